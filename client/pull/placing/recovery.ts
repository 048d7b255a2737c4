/**
 * What became of a placement that was interrupted: each file of it was placed or was not, proved by the bytes in its place or by the
 * journal of that very run, before anything of its staging folder is touched. Where neither proves it, the version that was remembered
 * before stays: an edit is then a conflict, and never becomes the next version of something that nobody knows it was made from.
 */

import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { IntendedFile } from '../../memory/open-pulls.ts'
import type { FilePlaced, ProjectMemory } from '../../memory/project-memory.ts'
import type { ReadFile, UnreadFile } from '../../project/file-reader.ts'
import { neverTrusted, statKey } from '../../project/fingerprint.ts'
import type { PullParts } from '../options.ts'
import type { PulledFile } from '../report.ts'
import { fileIdentity, isTelling } from './file-identity.ts'
import { clearStaging } from './folders.ts'
import { type JournalEntry, journalEntry, readJournal } from './journal.ts'
import { halfName, heldName, isBeginning, putBack } from './set-aside.ts'
import { finishReplaced, type Intention, settleHeld } from './settle-set-aside.ts'

/** A file of which it is known that an earlier run placed it, with what is reported of it. */
interface Settled {
  item: PulledFile
  isSettled: true
}
type Row = IntendedFile<Intention>

const isSettled = (row: IntendedFile<Intention | Settled>): row is IntendedFile<Settled> => 'isSettled' in row.item

interface Parts {
  memory: ProjectMemory
  /** Of the project. */
  root: string
  signal: AbortSignal
}

/**
 * Settles what interrupted pulls were placing, and clears their staging folder. `staging`: where pulls of this project stage, for what
 * does not say it itself. Only for who holds the lock of the project's pulls. Gives what is worth saying.
 */
export async function settleInterrupted(parts: Parts, staging?: string): Promise<string[]> {
  const notes: string[] = []
  for (const { jobId } of parts.memory.pulls.list()) {
    const rows = parts.memory.pulls.intended<Intention | Settled>(jobId)
    const folder = rows.find((row): row is Row => !isSettled(row))?.item.folder ?? staging
    if (folder !== undefined) notes.push(...(await new Settling(parts, { jobId, staging: folder }).run(rows)))
  }
  return notes
}

/** What earlier runs of this job placed, by content hash, as far as it was not removed since. */
export function settledFiles({ memory, target }: Pick<PullParts, 'memory' | 'target'>, jobId: number) {
  const rows = memory.pulls.intended<Intention | Settled>(jobId).filter(isSettled)
  const there = rows.filter(({ file }) => existsSync(join(target.root, file)))
  return new Map(there.map(({ contentHash, item }) => [contentHash, item.item]))
}

interface Look {
  row: Row
  entry: JournalEntry | undefined
  /** Of the file at its destination, when there is one and its identity is that of the new file, or it was read. */
  stat: string | undefined
  /** SHA-256 of it; undefined when it was not or cannot be read. */
  hash: string | undefined
  identity: string | undefined
}

class Settling {
  readonly #parts: Parts
  readonly #jobId: number
  readonly #staging: string
  readonly #journals = new Map<string, string | undefined>()

  constructor(parts: Parts, { jobId, staging }: { jobId: number; staging: string }) {
    this.#parts = parts
    this.#jobId = jobId
    this.#staging = staging
  }

  async run(rows: readonly IntendedFile<Intention | Settled>[]): Promise<string[]> {
    const { memory, root } = this.#parts
    const open = rows.filter((row): row is Row => !isSettled(row))
    if (open.length === 0) return []
    for (const row of open) this.#cancelHalf(row)
    const looks = await this.#look(open)
    const placed = looks.filter((look) => this.#isPlaced(look))
    const settled = await this.#finish(placed)
    const notes: string[] = []
    for (const { row } of looks.filter((look) => !placed.includes(look))) {
      const kept = await settleHeld(row, this.#heldParts(row))
      if (kept !== undefined) notes.push(`What was saved as ${row.file} while it was about to be replaced is kept as ${kept}.`)
    }
    memory.pulls.settle(this.#jobId, [...rows.filter(isSettled), ...settled])
    await clearStaging(this.#staging, root)
    return notes
  }

  #stagedPath = ({ contentHash }: Row): string => join(this.#staging, contentHash)
  #placePath = ({ file }: Row): string => join(this.#parts.root, file)
  #heldParts = (row: Row) => ({ staged: this.#stagedPath(row), root: this.#parts.root, jobId: this.#jobId })

  /** What the journal of its run says of a file; undefined where that is not there any more. */
  #entry({ item: { journal: name, index } }: Row): JournalEntry | undefined {
    if (name === undefined || index === undefined) return undefined
    if (!this.#journals.has(name)) this.#journals.set(name, readJournal(this.#staging, name))
    const journal = this.#journals.get(name)
    return journal === undefined ? undefined : journalEntry(journal, index)
  }

  /** Of the file that was being written in its place, what lies there is the beginning of it: the one that it replaces comes back. */
  #cancelHalf(row: Row): void {
    if (!this.#entry(row)?.isBegun) return
    const [staged, path] = [this.#stagedPath(row), this.#placePath(row)]
    const half = halfName(staged)
    const now = lstatSync(path, { throwIfNoEntry: false })
    // Of the size that it is to have it is whole, or someone's own: its bytes will tell.
    if (!existsSync(staged) || now?.size === row.item.item.size) return
    if (now) renameSync(path, half)
    if (!existsSync(half)) return
    if (isBeginning(half, staged)) rmSync(half)
    else putBack(half, path)
  }

  /** Reads what its attributes do not tell of. */
  async #look(rows: readonly Row[]): Promise<Look[]> {
    const looks = rows.map((row): Look => {
      const entry = this.#entry(row)
      const now = lstatSync(this.#placePath(row), { bigint: true, throwIfNoEntry: false })
      if (!now?.isFile()) return { row, entry, stat: undefined, hash: undefined, identity: undefined }
      const identity = fileIdentity(now)
      const isProved = identity === row.identity && isTelling(identity)
      return {
        row,
        entry,
        identity: identity,
        ...(isProved ? { stat: statKey(now), hash: row.contentHash } : { stat: undefined, hash: undefined }),
      }
    })
    const unread = looks.filter(({ identity, hash }) => identity !== undefined && hash === undefined)
    if (unread.length === 0) return looks
    const { readFiles } = await import('../../project/read-files.ts')
    const jobs = unread.map(({ row, identity = '' }) => ({ path: this.#placePath(row), size: Number(identity.split(':')[0]) }))
    const onFile = (index: number, read: ReadFile | UnreadFile) => {
      if ('hash' in read) Object.assign(unread[index] as Look, { hash: read.hash, stat: read.stat })
    }
    await readFiles(jobs, { signal: this.#parts.signal, onFile })
    return looks
  }

  #isPlaced({ row, entry, hash, identity }: Look): boolean {
    const { item, replacedMark, replacedHash } = row.item
    if (hash === row.contentHash) return item.outcome !== 'overwritten' || this.#isReplacedKept(row) || entry?.state === 'placed'
    if (identity === undefined || hash === undefined || hash === replacedHash || identity === replacedMark) return false
    // Someone saved it since. What was it before that?
    if (entry?.state === 'placed' || this.#isRemembered(row)) return true
    return entry?.state === 'working' && !existsSync(this.#stagedPath(row))
  }

  #isReplacedKept = (row: Row): boolean =>
    existsSync(heldName(this.#stagedPath(row))) || existsSync(join(this.#parts.root, row.item.item.backup ?? ''))

  /** The run that placed it had come as far as to remember it. */
  #isRemembered({ file, item: { placed, baseBefore } }: Row): boolean {
    const objectId = this.#parts.memory.find(file)?.base?.objectId
    return baseBefore !== undefined && objectId === placed.base.objectId && objectId !== baseBefore
  }

  /** Keeps what they replaced, and remembers them, unless a push has found out more about them since. */
  async #finish(placed: readonly Look[]): Promise<IntendedFile<Settled>[]> {
    const { memory } = this.#parts
    const settled: IntendedFile<Settled>[] = []
    const remembered: FilePlaced[] = []
    for (const { row, stat, hash } of placed) {
      const item = await finishReplaced(row, this.#heldParts(row))
      settled.push({ contentHash: row.contentHash, file: row.file, identity: '', item: { item, isSettled: true } })
      const { baseBefore, placed: placedAs } = row.item
      const isAsBefore = baseBefore === undefined || (memory.find(row.file)?.base?.objectId ?? null) === baseBefore
      if (isAsBefore) remembered.push({ ...placedAs, stat: hash === row.contentHash ? (stat ?? neverTrusted) : neverTrusted })
    }
    memory.savePlaced(remembered)
    return settled
  }
}

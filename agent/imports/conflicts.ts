/** Conflicts of imports: asked for a while, then the local file is kept, and the incoming version waits until someone wants it. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { basesIn } from '../../client/memory/file-bases.ts'
import type { ConflictAnswer } from '../../client/pull/options.ts'
import type { AgentConflict, conflictAnswers } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventLog } from '../running/event-log.ts'
import type { Surroundings } from '../surroundings.ts'
import type { ConflictDetails, PulledOver } from './conflict-details.ts'
import { ConflictFile, type KeptConflict, type NewConflict } from './conflict-file.ts'

export type Answer = (typeof conflictAnswers)[number]

/** A file with all that is known of it. */
export interface ConflictingFile extends PulledOver {
  details: ConflictDetails
  /** The version that the file here is made from, of whatever prop. */
  base: number | null
}

/** An import that asks. */
export interface Asking {
  root: string
  projectKey: string
  signal: AbortSignal
  answerMs: number
}

/** Where pictures of both sides are written, below the folder of the agent. */
export const picturesIn = (dir: string): string => join(dir, 'conflicts')

const toAnswer: Record<Answer, ConflictAnswer> = { keep_local: 'keep', take_incoming: 'overwrite' }

export class Conflicts {
  readonly #file: ConflictFile
  readonly #events: EventLog
  readonly #wire: Surroundings['wire']
  /** Called when someone has answered. */
  readonly #waiting = new Map<number, () => void>()

  constructor({ dir, wire, events }: Pick<Surroundings, 'dir' | 'wire' | 'events'>) {
    this.#file = new ConflictFile(dir, wire.url)
    this.#sweepPictures(picturesIn(dir))
    this.#events = events
    this.#wire = wire
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  /** Without those that were answered. */
  list(projectKey?: string): AgentConflict[] {
    this.settleElsewhere()
    const open = this.#file.list().filter(({ state }) => state !== 'answered')
    return open.filter(({ project_key }) => projectKey === undefined || project_key === projectKey).map(told)
  }

  /** Those that an import left. */
  waitingOf(root: string, jobIds: readonly number[]): KeptConflict[] {
    return this.#file.list().filter((one) => one.root === root && one.state === 'waiting' && jobIds.includes(one.job_id))
  }

  /** Drops pending conflicts that were settled outside of the agent: by `ph pull --theirs` or `--mine`, or by a push. */
  settleElsewhere(): void {
    const waiting = this.#file.list().filter(({ state }) => state === 'waiting')
    for (const [root, conflicts] of Map.groupBy(waiting, (one) => one.root)) {
      const { folders, url } = this.#wire
      const bases = basesIn(
        { folders, url, root },
        conflicts.map(({ file }) => file),
      )
      for (const one of conflicts) {
        const now = bases.get(one.file)
        const then = one.base === undefined ? one.local.object_id : one.base
        if (!now || now.objectId === null || now.objectId === then) continue
        this.end(one, now.hash === one.local.content_hash ? 'keep_local' : 'take_incoming', null)
      }
    }
  }

  /** Throws NOT_FOUND. */
  get(id: number): KeptConflict {
    const found = this.#file.get(id)
    if (!found) throw new ApiError('NOT_FOUND', `There is no conflict ${id} that waits.`)
    return found
  }

  /** Asks about files of an import until all are answered, the time is over, or the signal ends it. Without an answer a file is kept. */
  async ask(files: readonly ConflictingFile[], asking: Asking): Promise<Map<string, ConflictAnswer>> {
    const asked = this.#begin(files, asking)
    await Promise.all(asked.filter(({ state }) => state === 'asked').map(({ id }) => this.#answered(id, asking)))
    asking.signal.throwIfAborted()
    const known = asked.map(({ id }) => this.get(id))
    // Nobody answered: from now on it waits, whatever comes of the import.
    this.#change(
      known.filter(({ answer }) => !answer),
      { state: 'waiting' },
    )
    return new Map(known.map(({ file, answer }) => [file, toAnswer[answer ?? 'keep_local']]))
  }

  /** What was answered before a restart holds, unless the file is another one by now. */
  #begin(files: readonly ConflictingFile[], asking: Asking): KeptConflict[] {
    const answered = files.flatMap((one) => {
      const before = this.#file.at(asking.root, one.file)
      const isSame = before?.incoming.object_id === one.objectId && before.local.content_hash === one.details.local.content_hash
      return before?.answer && (before.job_id === one.jobId || before.state === 'waiting') && isSame ? [before] : []
    })
    const known = new Set(answered.map(({ file }) => file))
    const unknown = files.filter(({ file }) => !known.has(file))
    return [...answered, ...this.#add(unknown.map((one) => conflictOf(one, asking, 'asked')))]
  }

  /** In place of what was kept of the same files, with its pictures. */
  #add(conflicts: readonly NewConflict[]): KeptConflict[] {
    const before = conflicts.flatMap(({ root, file }) => this.#file.at(root, file) ?? [])
    const added = this.#file.add(conflicts)
    this.#removePictures(before)
    for (const conflict of added) this.#tell(conflict)
    return added
  }

  #answered(id: number, { signal, answerMs }: Asking): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, answerMs)
      this.#waiting.set(id, done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }

  /** Of a conflict that is asked. Throws CONFLICT where the other answer was given already. */
  answer(id: number, answer: Answer): AgentConflict {
    const found = this.get(id)
    if (found.answer && found.answer !== answer)
      throw new ApiError('CONFLICT', `${found.file} was answered already: ${found.answer}.`)
    if (!found.answer) this.#change([found], { state: 'answered', answer })
    this.#waiting.get(id)?.()
    return told({ ...found, state: 'answered', answer })
  }

  /** Its version is about to be brought; said before, so that who goes on after a crash does not ask again. */
  take(found: KeptConflict): void {
    this.#file.save([{ ...found, answer: 'take_incoming' }])
  }

  /** It was not brought after all. */
  waitOn(found: KeptConflict): void {
    this.#file.save([{ ...found, state: 'waiting', answer: null }])
  }

  /** It waits no more: what was asked is done. */
  end(found: KeptConflict, answer: Answer, copy: string | null): AgentConflict {
    this.#remove([found])
    const ended: KeptConflict = { ...found, state: 'answered', answer, copy }
    this.#tell(ended)
    return told(ended)
  }

  /** After an import: of files that it placed nothing waits; those that it kept without a word wait from now on. */
  settle(
    asking: Pick<Asking, 'root' | 'projectKey'>,
    outcomes: { placed: readonly string[]; kept: readonly ConflictingFile[] },
  ): void {
    const { root } = asking
    const own = outcomes.kept.flatMap(({ file, jobId }) => {
      const found = this.#file.at(root, file)
      return found?.job_id === jobId ? [found] : []
    })
    const placed = outcomes.placed.flatMap((file) => this.#file.at(root, file) ?? [])
    this.#remove([...placed, ...own.filter(({ answer }) => answer === 'keep_local')])
    this.#change(
      own.filter(({ answer }) => answer !== 'keep_local'),
      { state: 'waiting', answer: null },
    )
    const known = new Set(own.map(({ file }) => file))
    const unasked = outcomes.kept.filter(({ file }) => !known.has(file))
    this.#add(unasked.map((one) => conflictOf(one, { ...asking, answerMs: 0 }, 'waiting')))
  }

  /** Of imports that are over, or that nobody knows of any more: nobody waits for an answer, and the version waits. */
  letWait(root: string, openJobs: ReadonlySet<number>): void {
    const over = this.#file.list().filter((one) => one.root === root && one.state !== 'waiting' && !openJobs.has(one.job_id))
    this.#change(over, { state: 'waiting', answer: null })
  }

  close(): void {
    this.#file.close()
  }

  #change(found: readonly KeptConflict[], news: Partial<KeptConflict>): void {
    const changed = found.map((one) => ({ ...one, ...news }))
    this.#file.save(changed)
    for (const one of changed) this.#tell(one)
  }

  #remove(found: readonly KeptConflict[]): void {
    this.#file.remove(found)
    this.#removePictures(found)
  }

  #removePictures(gone: readonly KeptConflict[]): void {
    const pictures = gone.flatMap(({ local, incoming }) => [local.picture, incoming.picture].filter((one) => one !== null))
    if (pictures.length === 0) return
    const others = this.#file.pictures()
    for (const picture of pictures) if (!others.has(picture)) rmSync(picture, { force: true })
  }

  /** Those of an agent that was killed before it wrote down what they are of. */
  #sweepPictures(folder: string): void {
    if (!existsSync(folder)) return
    const known = this.#file.pictures()
    for (const name of readdirSync(folder)) if (!known.has(join(folder, name))) rmSync(join(folder, name), { force: true })
  }

  #tell(conflict: KeptConflict): void {
    this.#events.tell('conflict', told(conflict))
  }
}

const told = ({ root: _root, base: _base, ...conflict }: KeptConflict): AgentConflict => conflict

function conflictOf(
  one: ConflictingFile,
  { root, projectKey, answerMs }: Pick<Asking, 'root' | 'projectKey' | 'answerMs'>,
  state: 'asked' | 'waiting',
): NewConflict {
  const now = Date.now()
  return {
    ...{ root, job_id: one.jobId, project_key: projectKey, file: one.file, path: join(root, one.file), package: one.destination },
    ...{ reason: one.isChanged ? 'modified' : 'open', open: one.isOpen, ...one.details },
    ...{ state, answer: null, copy: null, base: one.base },
    asked_at: new Date(now).toISOString(),
    answer_by: new Date(now + answerMs).toISOString(),
  }
}

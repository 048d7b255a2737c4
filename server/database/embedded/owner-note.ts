/**
 * A note in a folder that says who has it, for disks whose locks may not hold between machines. Its owner writes a higher number into
 * it again and again. A process that sees the note change keeps away. An owner that finds another's note, or none, in place of its own
 * has lost the folder and must stop at once. That happens when it was suspended for so long that it seemed dead.
 */
import { randomBytes } from 'node:crypto'
import { open, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { systemClock } from '../../clock.ts'
import { explainDisk } from '../../disk/failure.ts'

const Note = Type.Object({
  /** Made anew by every process that takes the folder. */
  token: Type.String({ maxLength: 100 }),
  beat: Type.Integer(),
  pid: Type.Integer(),
  host: Type.String({ maxLength: 300 }),
})
type Note = Static<typeof Note>

const isNote = new Ajv().compile<Note>(Note)

/** The length of every note, in bytes: one is written over another in its place, also while the disk is full. */
const noteBytes = 512

/** Between two numbers. */
const usualBeatMs = 2000
/** A note that does not change for so many beats belongs to nobody. */
const watchedBeats = 5
/** After a claim, so that an owner that stood still, or another who is about to claim, has seen it. */
const claimBeats = 3
/** From the look at the note to the new number: one that came later could fall upon another's claim, and hide it. */
const longestBeats = 3
/** So many attempts in a row may fail. */
const mostFailures = 3

interface Owning {
  /** Hears, once, why the folder is no longer ours. Nothing may be written to it from then on. */
  lost(why: string): void
  beatMs?: number
}

/** The message names who has the folder, by its note. */
export class FolderOwned extends Error {}

export class OwnerNote {
  readonly #path: string
  readonly #note: Note = { token: randomBytes(16).toString('hex'), beat: 0, pid: process.pid, host: hostname() }
  readonly #lost: (why: string) => void
  readonly #beatMs: number
  readonly #ending = new AbortController()

  private constructor(dir: string, { lost, beatMs = usualBeatMs }: Owning) {
    this.#path = join(dir, 'owner.json')
    this.#lost = lost
    this.#beatMs = beatMs
  }

  /** Waits for 16 seconds where a note lies, for 6 where none does. Throws FolderOwned when another process has the folder. */
  static async take(dir: string, owning: Owning): Promise<OwnerNote> {
    const own = new OwnerNote(dir, owning)
    try {
      await own.#requireLeft()
      await writeFile(own.#path, textOf(own.#note), { mode: 0o600 })
      await sleep(claimBeats * own.#beatMs)
      const found = await own.#read()
      if (!own.#isOwn(found)) throw new FolderOwned(nameOf(found))
    } catch (error) {
      throw explainDisk(error, dir)
    }
    void own.#keep()
    return own
  }

  /** Takes the note away, so that the next one need not wait. */
  async release(): Promise<void> {
    this.#ending.abort()
    const found = await this.#glance()
    if (found?.token === this.#note.token) await rm(this.#path, { force: true })
  }

  async #requireLeft(): Promise<void> {
    const before = await this.#read()
    if (before === undefined) return
    await sleep(watchedBeats * this.#beatMs)
    const after = await this.#read()
    if (after !== undefined && (after.token !== before.token || after.beat !== before.beat)) throw new FolderOwned(nameOf(after))
  }

  async #keep(): Promise<void> {
    for (let failures = 0; failures < mostFailures; ) {
      await sleep(this.#beatMs, undefined, { ref: false, signal: this.#ending.signal }).catch(() => {})
      if (this.#ending.signal.aborted) return
      const late = sleep(longestBeats * this.#beatMs, 'late' as const, { ref: false })
      const outcome = await Promise.race([this.#beat(), late])
      if (this.#ending.signal.aborted) return
      if (outcome === 'taken') return this.#lost(`another process has taken it (${nameOf(await this.#glance())})`)
      if (outcome === 'late') break
      failures = outcome === 'kept' ? 0 : failures + 1
    }
    this.#lost('its disk does not answer in time, and another process may take it meanwhile')
  }

  async #beat(): Promise<'kept' | 'taken' | 'late' | 'fails'> {
    const from = systemClock.now().getTime()
    try {
      if (!this.#isOwn(await this.#read())) return 'taken'
      if (this.#ending.signal.aborted) return 'kept'
      this.#note.beat += 1
      // Closing sends it to the disk's server. It need not survive a power cut, nor does its writer.
      const file = await open(this.#path, 'r+')
      try {
        await file.write(textOf(this.#note), 0)
      } finally {
        await file.close()
      }
      return systemClock.now().getTime() - from > longestBeats * this.#beatMs ? 'late' : 'kept'
    } catch {
      return 'fails'
    }
  }

  /** The note, unless its disk is slow to answer. */
  #glance(): Promise<Note | undefined> {
    const late = sleep(this.#beatMs, undefined, { ref: false })
    return Promise.race([this.#read().catch(() => undefined), late])
  }

  #isOwn(found: Note | undefined): boolean {
    return found?.token === this.#note.token
  }

  /** Undefined where there is none. One that is just being written is read again. */
  async #read(): Promise<Note | undefined> {
    for (let attempt = 1; ; attempt++) {
      const note = await readNote(this.#path)
      if (note !== 'unclear') return note
      if (attempt === 5) throw new Error(`${this.#path} is not the note of an owner. Remove it when no server uses the folder.`)
      await sleep(this.#beatMs / 10)
    }
  }
}

async function readNote(path: string): Promise<Note | undefined | 'unclear'> {
  try {
    const note: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isNote(note) ? note : 'unclear'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof SyntaxError) return 'unclear'
    throw error
  }
}

const textOf = (note: Note): string => JSON.stringify(note).padEnd(noteBytes)

const nameOf = (note: Note | undefined): string => (note ? `process ${note.pid} on ${note.host}` : 'who left no note')

/** What one person changed in one workspace from this machine, the newest 50 changes: what `ph undo` takes back. One file, never half written. */
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tryLock } from '../../system/lock.ts'
import { ClientError, systemCode } from '../client-error.ts'
import { changesFile, type Folders } from '../folders.ts'
import { writeSettings } from '../sign-in/settings-file.ts'
import type { Births } from './births.ts'

/** A call that can be taken back, with what that takes. */
export interface Call {
  /** `tags.bulk`, as the table of taking back names it. */
  route: string
  kept: unknown
  /** When the things that it was about were made. Changes that an older ph recorded have none. */
  births?: Births
}

export interface NewChange {
  /** ISO time. */
  at: string
  /** In words, for people. */
  what: string
  /** In the order in which they were made. */
  calls: Call[]
  /** Why some of it, or all, cannot be taken back. */
  stays: string[]
  /** It was a push: what it made is remembered with the project. */
  push: { root: string; begunAt: string } | null
}

export interface Change extends NewChange {
  number: number
  /** ISO time; null while it stands. */
  undoneAt: string | null
}

interface Kept {
  next: number
  changes: Change[]
}

export const mostChanges = 50
/** Of the JSON of what one change takes to be taken back, and of the whole file: older changes make room. */
const mostOfChange = 1024 * 1024
const mostOfFile = 8 * 1024 * 1024
/** Another process has written long before. */
const patienceMs = 10_000

const tooLarge = 'It changed so much at once that it is not remembered how it was before.'

export class Journal {
  readonly path: string

  /** `whose`: the person or the key, in any words that name no other one; it is kept as a hash alone. */
  constructor(folders: Folders, { url, whose }: { url: string; whose: string }) {
    this.path = changesFile(folders, url, whose)
  }

  /** The newest first. Throws ClientError `SETTINGS_DAMAGED`. */
  async read(): Promise<Change[]> {
    return (await this.#read()).changes.toReversed()
  }

  /** Gives its number. A push that went on takes the place of its own earlier row. Throws ClientError `SETTINGS_DAMAGED`, `SETTINGS_UNUSABLE`. */
  async add(change: NewChange): Promise<number> {
    const isSmall = JSON.stringify(change.calls).length <= mostOfChange
    const kept = isSmall ? change : { ...change, calls: [], stays: [...change.stays, tooLarge] }
    let number = 0
    await this.#change(({ next, changes }) => {
      number = next
      const others = changes.filter(({ push }) => !push || !isSamePush(push, change.push))
      return { next: next + 1, changes: bounded([...others, { ...kept, number, undoneAt: null }]) }
    })
    return number
  }

  /** Of the change of that number, or of that push. Nothing happens where there is none. */
  async markUndone(which: number | NonNullable<Change['push']>, at: string): Promise<void> {
    const isIt = ({ number, push }: Change) =>
      typeof which === 'number' ? number === which : push !== null && isSamePush(push, which)
    await this.#change(({ next, changes }) => ({
      next,
      changes: changes.map((one) => (isIt(one) ? { ...one, calls: [], undoneAt: at } : one)),
    }))
  }

  async #read(): Promise<Kept> {
    try {
      const kept = JSON.parse(await readFile(this.path, 'utf8')) as Partial<Kept>
      if (typeof kept.next === 'number' && Array.isArray(kept.changes)) return kept as Kept
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return { next: 1, changes: [] }
      if (!(error instanceof SyntaxError)) throw error
    }
    throw new ClientError('SETTINGS_DAMAGED', `${this.path} is not the list of changes it should be.`, {
      next: 'Remove the file: what it held cannot be taken back by ph undo then.',
    })
  }

  async #change(change: (kept: Kept) => Kept): Promise<void> {
    const lock = this.#lock()
    try {
      await writeSettings(this.path, change(await this.#read()))
    } finally {
      lock.release()
    }
  }

  #lock(): { release(): void } {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
      const lock = tryLock(`${this.path}.lock`, patienceMs)
      if (lock) return lock
    } catch (cause) {
      throw new ClientError('SETTINGS_UNUSABLE', `${this.path} cannot be written: ${(cause as Error).message}.`, { cause })
    }
    throw new ClientError('SETTINGS_UNUSABLE', `${this.path} cannot be written: another ph holds it.`)
  }
}

const isSamePush = (one: NonNullable<Change['push']>, other: Change['push']): boolean =>
  other !== null && one.root === other.root && one.begunAt === other.begunAt

function bounded(changes: readonly Change[]): Change[] {
  const newest = changes.slice(-mostChanges)
  const sizes = newest.map((one) => JSON.stringify(one).length)
  let room = mostOfFile
  const first = sizes.findLastIndex((size) => {
    room -= size
    return room < 0
  })
  return newest.slice(first + 1)
}

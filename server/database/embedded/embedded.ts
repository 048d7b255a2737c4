/** The embedded database: PGlite in a worker thread, durable, with a lock on its folder that dies with the process. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freeBytes } from '../../../system/free-space.ts'
import { reserveBytes } from '../../disk/reserve.ts'
import { holdFolder } from './hold-folder.ts'
import { makeSocketFolder, type SocketFolder } from './socket-folder.ts'
import { type EmbeddedThread, startThread } from './thread.ts'

export interface Embedded {
  socketPath: string
  /** PGlite has one session. A single connection keeps statements in order and makes the pool wait while a transaction is open. */
  connections: 1
  /** Resolves when another process has taken the folder, with the reason; nothing is written from then on. Usually never. */
  lost: Promise<string>
  stop(): Promise<void>
}

/** Messages for the administrator of the server. */
export type TellTrouble = (sentence: string) => void

/** Between attempts to open it again. */
const patienceMs = 1000
const longestPatienceMs = 30_000

const filesIn = (dir: string): string => join(dir, 'pglite')

/** Whether a database was made in the folder. */
export const isEmbeddedIn = (dir: string): boolean => existsSync(filesIn(dir))

interface Starting {
  tell: TellTrouble
  /** Also on a disk of the network. */
  networkDisk: boolean
  cacheMiB: number
}

export async function startEmbedded(dir: string, { tell, networkDisk, cacheMiB }: Starting): Promise<Embedded> {
  const held = await holdFolder(dir, networkDisk)
  let folder: SocketFolder | undefined
  const release = async () => {
    folder?.remove()
    await held.release()
  }
  try {
    folder = makeSocketFolder(dir)
    const { socketPath } = folder
    const lives = new EmbeddedLives(dir, { socketPath, cacheMiB }, tell)
    await lives.begin()
    const lost = held.lost.then(async (why) => {
      await lives.abandon()
      const said = `The embedded database in ${dir} was closed at once: ${why}.`
      tell(said)
      return said
    })
    return {
      socketPath,
      connections: 1,
      lost,
      async stop() {
        await lives.stop()
        await release()
      },
    }
  } catch (error) {
    await release()
    throw new Error(`The embedded database in ${dir} does not start: ${reasonOf(error, dir)}`)
  }
}

/**
 * PGlite ends where PostgreSQL would restart: when its journal cannot be written, it must not go on with what it has in memory.
 * It is then opened again, and finds everything that was committed, as soon as the disk has room.
 */
class EmbeddedLives {
  readonly #dir: string
  readonly #setting: { socketPath: string; cacheMiB: number }
  readonly #tell: TellTrouble
  readonly #stopping = new AbortController()
  #thread: EmbeddedThread | undefined
  #next: Promise<void> = Promise.resolve()

  constructor(dir: string, setting: { socketPath: string; cacheMiB: number }, tell: TellTrouble) {
    this.#dir = dir
    this.#setting = setting
    this.#tell = tell
  }

  async begin(): Promise<void> {
    if (process.platform !== 'win32') rmSync(this.#setting.socketPath, { force: true })
    const thread = await startThread({ dir: filesIn(this.#dir), ...this.#setting })
    this.#thread = thread
    void thread.ended.then(() => {
      this.#thread = undefined
      if (!this.#stopping.signal.aborted) this.#next = this.#beginAgain()
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#next
    await this.#thread?.stop()
  }

  /** Another process has the folder: nothing more may be written, not even an end. */
  async abandon(): Promise<void> {
    this.#stopping.abort()
    await this.#thread?.kill()
    // It may be about to be opened again.
    await this.#next
    await this.#thread?.kill()
  }

  async #beginAgain(): Promise<void> {
    const { signal } = this.#stopping
    this.#tell(`The embedded database in ${this.#dir} could not go on, and is opened again.${fullness(this.#dir)}`)
    for (let waitMs = patienceMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestPatienceMs)) {
      try {
        await this.begin()
        this.#tell(`The embedded database in ${this.#dir} is open again.`)
        return
      } catch (error) {
        this.#tell(`The embedded database in ${this.#dir} does not open: ${reasonOf(error, this.#dir)}`)
      }
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      while (!signal.aborted && isShort(this.#dir)) await sleep(patienceMs, undefined, { signal }).catch(() => {})
    }
  }
}

const isShort = (dir: string): boolean => freeBytes(dir) < reserveBytes

/** Empty when there is room. */
const fullness = (dir: string): string =>
  isShort(dir)
    ? ` Its disk is full: it needs ${reserveBytes / 1024 / 1024} MiB free. Make some space there; nothing that was acknowledged is lost.`
    : ''

const reasonOf = (error: unknown, dir: string): string =>
  `${error instanceof Error ? error.message : String(error)}.${fullness(dir)}`

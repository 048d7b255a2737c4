/**
 * Whether all is heard that the system had to tell. Linux tells all watchers of a program in one queue, in the order in which things
 * happened: when a file that was just made is heard of, so is everything before. A queue that is full drops what comes then, without a word.
 */
import { closeSync, type FSWatcher, mkdirSync, openSync, readFileSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Heard within milliseconds, unless the machine is in trouble. */
const lateMs = 500

export class ToldEvents {
  readonly #dir: string
  readonly #waiting = new Map<string, () => void>()
  readonly #flooded = new Set<() => void>()
  readonly #mostInTurn = mostQueued() / 2
  #watcher: FSWatcher | undefined
  #last = 0
  #inTurn = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Called by every watcher for everything that it is told. */
  count(): void {
    if (this.#inTurn++ === 0) setImmediate(() => (this.#inTurn = 0))
    // All that is queued is told in one turn.
    if (this.#inTurn === this.#mostInTurn) for (const listener of this.#flooded) listener()
  }

  /** Calls back when something may have been dropped; gives what ends that. */
  onFlood(listener: () => void): () => void {
    this.#flooded.add(listener)
    return () => this.#flooded.delete(listener)
  }

  /** True when all that happened before this call is heard of; false where that cannot be known. */
  async areHeard(): Promise<boolean> {
    if (process.platform !== 'linux') return false
    const name = String(++this.#last)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const late = setTimeout(() => resolve(false), lateMs)
    try {
      this.#watcher ??= this.#open()
      this.#waiting.set(name, () => resolve(true))
      const path = join(this.#dir, name)
      closeSync(openSync(path, 'w'))
      rmSync(path)
      return await promise
    } catch {
      return false
    } finally {
      clearTimeout(late)
      this.#waiting.delete(name)
    }
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #open(): FSWatcher {
    rmSync(this.#dir, { recursive: true, force: true })
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    const watcher = watch(this.#dir, { persistent: false })
    watcher.on('change', (_kind, name) => this.#waiting.get(String(name))?.())
    watcher.on('error', () => this.close())
    return watcher
  }
}

/** What Linux queues for one program unless told otherwise (inotify(7)). */
const usuallyQueued = 16_384

function mostQueued(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || usuallyQueued
  } catch {
    return usuallyQueued
  }
}

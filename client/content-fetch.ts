/** Brings files from the library into the content cache: several at once, taken up again after cuts, checked by hash. */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../contract/errors.ts'
import { ClientError } from './client-error.ts'
import { type Content, type ContentCache, isPartInUse } from './content-cache.ts'
import { BufferPool } from './file-body.ts'
import type { Http } from './http.ts'
import { fillPart, type Part, PartBuffer, PartFile } from './part-file.ts'
import { PartThread } from './part-thread.ts'

export interface Wanted extends Content {
  /** What people call it. */
  title: string
}

/** Where the bytes of a hash are to be had; `renew` asks for addresses that were not used yet. */
export interface Addresses {
  of(hash: string): Promise<string>
  renew(): Promise<void>
}

export interface FetchParts {
  http: Http
  cache: ContentCache
  addresses: Addresses
  /** Told how many files and bytes have arrived in all. */
  onProgress: (done: { files: number; bytes: number }) => void
  /** A file is in the cache, checked. Its bytes come along where they are still in memory, for the time of the call. */
  onFetched: (wanted: Wanted, bytes: Buffer | undefined) => void
  signal?: AbortSignal
}

/** Connections at once: more of them bring nothing more, neither from nearby nor from far away. */
const atOnce = 8
/** So many of them bring large files first: the disk then has something to write while the others make small ones. */
const largeAtOnce = 3
/** A file that arrives damaged is fetched so often in all. */
const mostTries = 3
/** Parts that nobody came back for. */
const abandonedMs = 7 * 24 * 3_600_000
const progressMs = 100
/** Files up to this size are kept in memory until they are checked: the disk then has nothing to do with what is thrown away. */
const smallBytes = 256 * 1024

type Failure = ClientError | ApiError

export class ContentFetch {
  readonly #parts: FetchParts
  readonly #buffers = new BufferPool(smallBytes)
  readonly #thread = new PartThread()
  readonly #done = { files: 0, bytes: 0 }
  /** Bytes of the files on their way, by hash. */
  readonly #onTheWay = new Map<string, number>()
  /** Parts that a killed process left, by hash. */
  readonly #left: Map<string, string>

  constructor(parts: FetchParts) {
    this.#parts = parts
    this.#left = findLeftParts(parts.cache.incoming)
  }

  /** Bytes that came over the wire. */
  get received(): number {
    return this.#done.bytes
  }

  /** Fetches all; gives the failures of single files by hash. Anything else that is wrong is thrown. */
  async run(wanted: readonly Wanted[]): Promise<Map<string, Failure>> {
    const failures = new Map<string, Failure>()
    const timer = setInterval(() => this.#report(), progressMs)
    timer.unref()
    const { small, large } = queuesOf(wanted)
    const fetching = Array.from({ length: atOnce }, async (_, index) => {
      const [first, second] = index < largeAtOnce ? [large, small] : [small, large]
      for (let one = first.pop() ?? second.pop(); one; one = first.pop() ?? second.pop()) await this.#fetch(one, failures)
    })
    try {
      await Promise.all(fetching)
    } finally {
      small.length = 0
      large.length = 0
      clearInterval(timer)
      this.#thread.end()
    }
    this.#report()
    return failures
  }

  async #fetch(wanted: Wanted, failures: Map<string, Failure>): Promise<void> {
    this.#parts.signal?.throwIfAborted()
    try {
      for (let tries = 1; !(await this.#receive(wanted, tries)); tries++) if (tries === mostTries) throw wrongBytes(wanted)
      this.#done.files++
    } catch (error) {
      if (!isOfOneFile(error)) throw error
      failures.set(wanted.hash, error)
    } finally {
      this.#onTheWay.delete(wanted.hash)
    }
  }

  /** One try; false when what came is another file. */
  #receive(wanted: Wanted, tries: number): Promise<boolean> {
    return wanted.size <= smallBytes ? this.#receiveSmall(wanted, tries) : this.#receiveLarge(wanted, tries)
  }

  async #receiveSmall(wanted: Wanted, tries: number): Promise<boolean> {
    const buffer = this.#buffers.take()
    try {
      const part = new PartBuffer(buffer)
      if (!(await this.#fill(part, wanted, tries))) return false
      // A killed process may have left it half written: then that file is written anew.
      const { cache } = this.#parts
      await cache.putBytes(wanted, part.bytes, this.#takeLeft(wanted.hash) ?? cache.newPart(wanted.hash))
      this.#parts.onFetched(wanted, part.bytes)
      return true
    } finally {
      this.#buffers.give(buffer)
    }
  }

  /** From what an earlier run has left of it. */
  async #receiveLarge(wanted: Wanted, tries: number): Promise<boolean> {
    const { cache } = this.#parts
    const { hash, size } = wanted
    const path = this.#takeLeft(hash) ?? cache.newPart(hash)
    try {
      const part = await PartFile.open({ path, thread: this.#thread })
      let isWhole = false
      try {
        await part.takeUp(size)
        isWhole = await this.#fill(part, wanted, tries)
      } finally {
        await part.close()
      }
      if (isWhole) await cache.put(wanted, path)
      else rmSync(path, { force: true })
      if (isWhole) this.#parts.onFetched(wanted, undefined)
      return isWhole
    } finally {
      cache.leavePart(path)
    }
  }

  /** Receives what is missing; says whether the whole has the hash that it should. */
  async #fill(part: Part, { hash, size: sizeBytes, title }: Wanted, tries: number): Promise<boolean> {
    const { http, signal } = this.#parts
    const takenUp = part.size
    const onProgress = (bytes: number) => this.#onTheWay.set(hash, bytes - takenUp)
    const locate = this.#locator(hash, tries)
    try {
      await this.#renewing(() => fillPart(http, part, { locate, sizeBytes, title, onProgress, signal }))
    } catch (error) {
      if (error instanceof ClientError && error.code === 'WRONG_BYTES') return false
      throw error
    }
    this.#done.bytes += sizeBytes - takenUp
    this.#onTheWay.delete(hash)
    return (await part.digest()) === hash
  }

  /** Bytes that arrived damaged are asked for at a new address: what stands in between may have kept them. */
  #locator(hash: string, tries: number): () => Promise<string> {
    const { addresses } = this.#parts
    let renewed = tries === 1
    return async () => {
      if (!renewed) await addresses.renew()
      renewed = true
      return addresses.of(hash)
    }
  }

  /** An address lives for minutes: when the storage refuses it, all are asked for once more. */
  async #renewing(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isRefusal(error)) throw error
      await this.#parts.addresses.renew()
      await work()
    }
  }

  #takeLeft(hash: string): string | undefined {
    const left = this.#left.get(hash)
    if (left === undefined) return undefined
    this.#left.delete(hash)
    const own = this.#parts.cache.newPart(hash)
    try {
      renameSync(left, own)
      return own
    } catch {
      // Somebody else was faster.
      this.#parts.cache.leavePart(own)
      return undefined
    }
  }

  #report(): void {
    const onTheWay = [...this.#onTheWay.values()].reduce((sum, bytes) => sum + bytes, 0)
    this.#parts.onProgress({ files: this.#done.files, bytes: this.#done.bytes + onTheWay })
  }
}

/** Taken from the end: the largest first, so that none of them is what everything waits for in the end. */
function queuesOf(wanted: readonly Wanted[]): { small: Wanted[]; large: Wanted[] } {
  const { small = [], large = [] } = Object.groupBy(wanted, ({ size }) => (size <= smallBytes ? 'small' : 'large'))
  const bySize = (a: Wanted, b: Wanted): number => a.size - b.size
  return { small: small.sort(bySize), large: large.sort(bySize) }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 403

/** What is wrong with one file while the others may still come. */
const isOfOneFile = (error: unknown): error is Failure =>
  (error instanceof ClientError && error.code === 'WRONG_BYTES') ||
  (error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 410))

const wrongBytes = ({ title, hash }: Wanted): ClientError =>
  new ClientError(
    'WRONG_BYTES',
    `What arrives for ${title} is not the file with the hash ${hash}; it was tried ${mostTries} times.`,
  )

/** Parts that nobody writes any more. Old ones that nobody wants are removed. */
function findLeftParts(folder: string): Map<string, string> {
  const left = new Map<string, string>()
  for (const name of readdirSync(folder)) {
    const [, hash, pid] = /^([0-9a-f]{64})\.(\d+)\.[0-9a-f]+\.part$/.exec(name) ?? []
    const path = join(folder, name)
    const isOwn = Number(pid) === process.pid
    if (hash === undefined || (isOwn ? isPartInUse(path) : isAlive(Number(pid)))) continue
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (Date.now() - stats.mtimeMs > abandonedMs) rmSync(path, { force: true })
    else left.set(hash, path)
  }
  return left
}

/** A process of this number runs; in another container it may be somebody else's, and then bytes are checked all the same. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

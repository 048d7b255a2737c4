/** Brings files from the library into the content cache: several at once, taken up again after cuts, checked by hash. */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import { ClientError } from '../client-error.ts'
import type { Http } from '../http/http.ts'
import { proxyFor } from '../http/proxies.ts'
import { type Content, type ContentCache, isPartInUse, sizeOf } from './cache.ts'
import { PartFile } from './part-file.ts'
import { fillPart } from './part-fill.ts'
import { Receiver } from './receiver.ts'
import type { Received } from './receiving-connection.ts'

export interface ExpectedContent extends Content {
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
  /** A file is in the cache, checked. */
  onFetched: (content: ExpectedContent) => void
  signal?: AbortSignal
}

/** Connections at once: more of them bring nothing more, neither from nearby nor from far away. */
const connections = 8
/** Files on their way: some wait at the side of the connections, so that none of these ever waits for a file. */
const atOnce = 12
/** So many of them bring large files first: the disk then has something to write while the others make small ones. */
const largeAtOnce = 3
/** A file that arrives damaged is fetched so often in all. */
const mostTries = 3
/** Parts that nobody came back for. */
const abandonedMs = 7 * 24 * 3_600_000
const progressMs = 100
const smallBytes = 256 * 1024
/** Starting a thread takes longer than receiving this much without one. */
const withoutThreads = { files: 16, bytes: 1024 * 1024 }

type Failure = ClientError | ApiError

type Locate = () => Promise<string>

interface Run {
  receiver: Receiver | undefined
  failures: Map<string, Failure>
}

export class ContentFetch {
  readonly #parts: FetchParts
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
  async run(contents: readonly ExpectedContent[]): Promise<Map<string, Failure>> {
    const failures = new Map<string, Failure>()
    const receiver = receiverOf(contents)
    const stop = () => void receiver?.end()
    const { signal } = this.#parts
    signal?.addEventListener('abort', stop)
    const timer = setInterval(() => this.#report(), progressMs)
    timer.unref()
    const { small, large } = queuesOf(contents)
    const fetching = Array.from({ length: atOnce }, async (_, index) => {
      const [first, second] = index < largeAtOnce ? [large, small] : [small, large]
      for (let one = first.pop() ?? second.pop(); one; one = first.pop() ?? second.pop())
        await this.#fetch(one, { receiver, failures })
    })
    try {
      await Promise.all(fetching)
    } finally {
      small.length = 0
      large.length = 0
      clearInterval(timer)
      signal?.removeEventListener('abort', stop)
      await receiver?.end()
    }
    this.#report()
    return failures
  }

  async #fetch(content: ExpectedContent, { receiver, failures }: Run): Promise<void> {
    const { cache, signal } = this.#parts
    signal?.throwIfAborted()
    const left = this.#takeLeft(content.hash)
    const path = left ?? cache.newPart(content.hash)
    try {
      const outcome = receiver && left === undefined ? await this.#receive(content, path, receiver) : 'stopped'
      if (outcome !== 'whole') await this.#receivePatiently(content, path, outcome)
      cache.put(content, path)
      this.#done.files++
      this.#parts.onFetched(content)
    } catch (error) {
      signal?.throwIfAborted()
      if (!isOfOneFile(error)) throw error
      failures.set(content.hash, error)
    } finally {
      cache.leavePart(path)
      this.#onTheWay.delete(content.hash)
    }
  }

  /** Tries once, the fast way. */
  async #receive({ hash, size }: ExpectedContent, path: string, receiver: Receiver): Promise<Received['outcome']> {
    const { http, addresses } = this.#parts
    const { href: url } = http.addressOf(await addresses.of(hash))
    if (proxyFor(url, process.env) !== undefined) return 'stopped'
    const onProgress = (bytes: number) => this.#onTheWay.set(hash, bytes)
    const received = await receiver.receive({ url, path, size, hash }, onProgress)
    this.#count(hash, received.bytes)
    return received.outcome
  }

  /** From what is there already, unless that is something else, in as many tries as it may take. */
  async #receivePatiently(content: ExpectedContent, path: string, outcome: Exclude<Received['outcome'], 'whole'>): Promise<void> {
    if (outcome === 'other-bytes') rmSync(path, { force: true })
    for (let tries = outcome === 'other-bytes' ? 2 : 1; tries <= mostTries; tries++) {
      const part = new PartFile(path)
      try {
        if (await this.#fill(part, content, tries)) return
      } finally {
        part.close()
      }
      rmSync(path, { force: true })
    }
    throw wrongBytes(content)
  }

  /** Receives what is missing; says whether the whole has the hash that it should. */
  async #fill(part: PartFile, { hash, size: sizeBytes, title }: ExpectedContent, tries: number): Promise<boolean> {
    const { http, signal } = this.#parts
    await part.takeUp(sizeBytes)
    const takenUp = part.size
    const onProgress = (bytes: number) => this.#onTheWay.set(hash, bytes - takenUp)
    const locate = this.#locator(hash, tries)
    try {
      await this.#renewing(hash, locate, (located) =>
        fillPart(http, part, { locate: located, sizeBytes, title, onProgress, signal }),
      )
    } catch (error) {
      if (error instanceof ClientError && error.code === 'WRONG_BYTES') return false
      throw error
    }
    this.#count(hash, sizeBytes - takenUp)
    return part.digest() === hash
  }

  #count(hash: string, bytes: number): void {
    this.#done.bytes += bytes
    this.#onTheWay.delete(hash)
  }

  /** Bytes that arrived damaged are asked for at a new address: what stands in between may have kept them. */
  #locator(hash: string, tries: number): Locate {
    const { addresses } = this.#parts
    let renewed = tries === 1
    return async () => {
      if (!renewed) await addresses.renew()
      renewed = true
      return addresses.of(hash)
    }
  }

  /** An address lives for minutes: when the storage refuses it, all are asked for once more, unless someone else has done so. */
  async #renewing(hash: string, locate: Locate, work: (locate: Locate) => Promise<void>): Promise<void> {
    const { addresses } = this.#parts
    let used = ''
    try {
      await work(async () => {
        used = await locate()
        return used
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (used === (await addresses.of(hash))) await addresses.renew()
      await work(locate)
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
      // Someone else was faster.
      this.#parts.cache.leavePart(own)
      return undefined
    }
  }

  #report(): void {
    const onTheWay = [...this.#onTheWay.values()].reduce((sum, bytes) => sum + bytes, 0)
    this.#parts.onProgress({ files: this.#done.files, bytes: this.#done.bytes + onTheWay })
  }
}

function receiverOf(contents: readonly ExpectedContent[]): Receiver | undefined {
  const expectedBytes = sizeOf(contents)
  const isLittle = contents.length <= withoutThreads.files && expectedBytes <= withoutThreads.bytes
  return isLittle ? undefined : new Receiver({ connections, expectedBytes })
}

/** Taken from the end: the largest first, so that none of them is what everything waits for in the end. */
function queuesOf(contents: readonly ExpectedContent[]): { small: ExpectedContent[]; large: ExpectedContent[] } {
  const { small = [], large = [] } = Object.groupBy(contents, ({ size }) => (size <= smallBytes ? 'small' : 'large'))
  const bySize = (a: ExpectedContent, b: ExpectedContent): number => a.size - b.size
  return { small: small.sort(bySize), large: large.sort(bySize) }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 403

/** What is wrong with one file while the others may still come. */
const isOfOneFile = (error: unknown): error is Failure =>
  (error instanceof ClientError && error.code === 'WRONG_BYTES') ||
  (error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 410))

const wrongBytes = ({ title, hash }: ExpectedContent): ClientError =>
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

/** A process of this number runs; in another container it may be someone else's, and then bytes are checked anyway. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

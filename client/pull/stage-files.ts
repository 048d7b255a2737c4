/** Brings everything that a pull will place beside its place: out of the content cache, and into it from the library. */
import { statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { nearestFolder } from '../../system/free-space.ts'
import { isDiskFull } from '../client-error.ts'
import { type Content, ContentCache, sizeOf } from '../content/cache.ts'
import { type Addresses, ContentFetch, type ExpectedContent } from '../content/fetch.ts'
import type { FilePlaced } from '../memory/project-memory.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import type { PullOptions, PullParts } from './options.ts'
import { Staging } from './placing/staging.ts'
import { checkRoom } from './preflight.ts'

export interface Provision {
  obstacles: Obstacle[]
  /** Bytes that came over the wire, and bytes that were on this machine. */
  downloaded: number
  fromCache: number
}

/** What of a pull it takes. */
export type ProvisionParts = Pick<PullParts, 'http' | 'tell'> & { options: Pick<PullOptions, 'folders' | 'cacheBytes' | 'link'> }

export interface ProvisionOrder {
  contents: readonly ExpectedContent[]
  addresses: Addresses
  /** On the disk of the Content folder. */
  stagingFolder: string
  /** Finds a reason not to stage files now. Called before the staging folder is made, and when staging fails. */
  findObstacle?: () => Obstacle | undefined
  signal: AbortSignal
}

const holdAgainMs = 20 * 60_000

/** Stages every file of the order, checked and synced; with obstacles, not all of them are. */
export async function provide(parts: ProvisionParts, order: ProvisionOrder): Promise<Provision> {
  // Short-lived objects then fill 2 MiB before they are collected, not 48.
  setFlagsFromString('--semi-space-growth-factor=1')
  const cache = openCache(parts)
  const holding = setInterval(() => cache.hold(order.contents), holdAgainMs)
  holding.unref()
  try {
    cache.hold(order.contents)
    return await new Provider(parts, order, cache).run()
  } catch (error) {
    const found = order.findObstacle?.()
    if (found) return stopped([found])
    if (!isDiskFull(error)) throw error
    return stopped([fullDisk(error, cache.folder, order.stagingFolder)])
  } finally {
    clearInterval(holding)
    cache.close()
  }
}

const stopped = (obstacles: Obstacle[]): Provision => ({ obstacles, downloaded: 0, fromCache: 0 })

const openCache = ({ options: { folders, cacheBytes } }: ProvisionParts): ContentCache =>
  new ContentCache(folders.cache, cacheBytes === undefined ? {} : { limitBytes: cacheBytes })

/** Files that the project shares with the cache got their last attributes when they were placed. */
export function confirmShared(parts: ProvisionParts, placed: readonly FilePlaced[]): void {
  const cache = openCache(parts)
  try {
    cache.placed(placed)
  } finally {
    cache.close()
  }
}

function fullDisk({ path, code }: NodeJS.ErrnoException, cache: string, staging: string): Obstacle {
  const isCache = path !== staging
  const folder = isCache ? cache : staging
  return obstacle(isCache ? 'cache-full' : 'disk-full', folder, `The disk of ${folder} is full (${code}).`)
}

class Provider {
  readonly #parts: ProvisionParts
  readonly #order: ProvisionOrder
  readonly #cache: ContentCache
  readonly #staging: Staging
  readonly #jobs: Promise<void>[] = []
  #staged = 0

  constructor(parts: ProvisionParts, order: ProvisionOrder, cache: ContentCache) {
    this.#parts = parts
    this.#order = order
    this.#cache = cache
    this.#staging = new Staging(order.stagingFolder, cache, parts.options.link ?? false)
  }

  async run(): Promise<Provision> {
    const { contents, signal } = this.#order
    const { present } = await this.#cache.find(contents, signal)
    const missing = contents.filter(({ hash }) => !present.has(hash))
    const room = checkRoom([
      { folder: this.#cache.folder, neededBytes: sizeOf(missing) },
      { folder: this.#order.stagingFolder, neededBytes: this.#copiedBytes(missing) },
    ])
    const found = this.#order.findObstacle?.()
    if (found || room.length > 0) return stopped(found ? [found] : room)
    this.#staging.make()
    for (const one of contents) if (present.has(one.hash)) this.#stage(one)
    const fetched = await this.#fetch(missing)
    await Promise.all(this.#jobs)
    await this.#staging.sync()
    return { ...fetched, fromCache: sizeOf(contents) - sizeOf(missing) }
  }

  /** On the disk of the cache, files that nobody has yet are not copied. */
  #copiedBytes(missing: readonly ExpectedContent[]): number {
    if (this.#parts.options.link) return 0
    const { contents, stagingFolder } = this.#order
    const isOneDisk = statSync(this.#cache.folder).dev === statSync(nearestFolder(stagingFolder)).dev
    return sizeOf(contents) - (isOneDisk ? sizeOf(missing) : 0)
  }

  async #fetch(missing: readonly ExpectedContent[]): Promise<Pick<Provision, 'obstacles' | 'downloaded'>> {
    if (missing.length === 0) return { obstacles: [], downloaded: 0 }
    const { http, tell } = this.#parts
    const total = { totalFiles: missing.length, totalBytes: sizeOf(missing) }
    const fetch = new ContentFetch({
      http,
      cache: this.#cache,
      addresses: this.#order.addresses,
      onProgress: (done) => tell({ kind: 'download', ...done, ...total }),
      onFetched: (one) => this.#stage(one),
      signal: this.#order.signal,
    })
    try {
      const failures = await fetch.run(missing)
      const titles = new Map(missing.map(({ hash, title }) => [hash, title]))
      const obstacles = [...failures].map(([hash, { code, message }]) => {
        const title = titles.get(hash) ?? hash
        if (code === 'WRONG_BYTES') return obstacle('damaged', title, message)
        return obstacle('missing', title, `${title} cannot be fetched: ${message}`)
      })
      return { obstacles, downloaded: fetch.received }
    } finally {
      // Nothing may still be written when the folder is taken away.
      await Promise.allSettled(this.#jobs)
    }
  }

  #stage(one: Content): void {
    const { tell } = this.#parts
    const staged = this.#staging
      .add(one)
      .then(() => tell({ kind: 'stage', files: ++this.#staged, totalFiles: this.#order.contents.length }))
    // Met where all of them are awaited.
    staged.catch(() => {})
    this.#jobs.push(staged)
  }
}

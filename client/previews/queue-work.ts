/** Makes what a library wants, no matter who pushed it: previews of the queue, of source files, which it does not list, and thumbnails. */
import { limits } from '../../contract/limits.ts'
import { queuedTypes, sourceTypes } from '../../previews/previewed-types.ts'
import { ClientError } from '../client-error.ts'
import { ContentCache } from '../content/cache.ts'
import { ContentFetch } from '../content/fetch.ts'
import { entryPages } from '../entries/pages.ts'
import { type Api, createApi } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import type { TellMedia } from '../progress.ts'
import { GivenUp } from './given-up.ts'
import { findMediaJobs, type MediaJob } from './media-jobs.ts'
import { MediaRun } from './media-run.ts'
import { findNeededFiles, type NeededFile } from './needed-files.ts'
import type { MediaReport } from './report.ts'

export interface QueueWorkOptions extends Wire {
  cacheBytes?: number | undefined
  tell?: TellMedia
}

/** Entries that are asked about, fetched and made together. Several workers ask at different places, so few of them are made twice. */
const atOnce = 32

/** Everything that is wanted now and can be made here, once. Throws what concerns more than one version; what was sent stays. */
export async function workQueue(options: QueueWorkOptions): Promise<MediaReport> {
  const { url, folders, signal, cacheBytes, tell = () => {} } = options
  const givenUp = new GivenUp(folders, url, 'worker')
  const cache = new ContentCache(folders.cache, cacheBytes === undefined ? {} : { limitBytes: cacheBytes })
  const http = openWire(options, tell)
  const work = new QueueWork({ http, api: createApi(http), cache, givenUp, signal, tell })
  try {
    return await work.run()
  } finally {
    await work.end()
    cache.close()
    givenUp.close()
    await http.close(signal?.aborted ? 'destroy' : 'finish')
  }
}

interface Parts {
  http: Http
  api: Api
  cache: ContentCache
  givenUp: GivenUp
  signal: AbortSignal | undefined
  tell: TellMedia
}

class QueueWork {
  readonly #parts: Parts
  readonly #run: MediaRun
  /** Entries that were looked at. */
  readonly #seen = new Set<number>()
  readonly #progress = { done: 0, total: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
    this.#run = new MediaRun({
      ...parts,
      tier: 'worker',
      onDone: () => this.#parts.tell({ kind: 'previews', ...this.#progress, done: ++this.#progress.done }),
    })
  }

  async run(): Promise<MediaReport> {
    for await (const ids of this.#queue()) await this.#take(ids)
    for await (const ids of this.#listed()) await this.#take(ids)
    for await (const { ids, anew } of this.#thumbnails()) await this.#take(ids, anew)
    return this.#run.report
  }

  end = (): Promise<void> => this.#run.end()

  /** The queue has no pages: what was made leaves it, and the rest comes again. */
  async *#queue(): AsyncGenerator<number[]> {
    for (;;) {
      const { items } = await this.#parts.api.media.previewQueue({ limit: limits.queuePage.max })
      const fresh = items.map(({ entry_id }) => entry_id).filter((id) => !this.#seen.has(id))
      if (fresh.length > 0) yield turned(fresh)
      if (fresh.length === 0 || items.length < limits.queuePage.max) {
        this.#isQueueLong = items.length === limits.queuePage.max
        return
      }
    }
  }

  /** The queue is full of what this machine cannot make: what stands behind it is listed. */
  #isQueueLong = false

  async *#listed(): AsyncGenerator<number[]> {
    const type = [...sourceTypes, ...(this.#isQueueLong ? queuedTypes : [])]
    for await (const { entries } of entryPages(this.#parts.api, { preview: 'none', type, sort: 'date_indexed', order: 'asc' }))
      yield turned(entries.map(({ id }) => id).filter((id) => !this.#seen.has(id)))
  }

  async *#thumbnails(): AsyncGenerator<{ ids: number[]; anew: Set<number> }> {
    for (let after = 0; ; ) {
      const { items } = await this.#parts.api.media.thumbnailQueue({ after, limit: limits.page.max })
      const last = items.at(-1)
      if (!last) return
      after = last.entry_id
      const ids = items.map(({ entry_id }) => entry_id).filter((id) => !this.#seen.has(id))
      yield { ids, anew: new Set(items.filter(({ has_thumbnail }) => has_thumbnail).map(({ entry_id }) => entry_id)) }
    }
  }

  async #take(ids: readonly number[], anew?: ReadonlySet<number>): Promise<void> {
    const { api, givenUp, signal, tell } = this.#parts
    this.#progress.total += ids.length
    for (let at = 0; at < ids.length; at += atOnce) {
      signal?.throwIfAborted()
      const part = ids.slice(at, at + atOnce)
      for (const id of part) this.#seen.add(id)
      const wanted = await findMediaJobs(part, { calls: api, givenUp, ...(anew ? { anew } : {}) })
      this.#progress.total -= part.length - wanted.length
      tell({ kind: 'previews', ...this.#progress })
      await this.#make(wanted)
    }
  }

  async #make(wanted: readonly MediaJob[]): Promise<void> {
    const { cache, http, api, signal } = this.#parts
    if (wanted.length === 0) return
    const needed = await findNeededFiles(api, wanted)
    const own = wanted.map(({ hash, size, name: title }) => ({ hash, size, title }))
    const contents = [...new Map([...[...needed.values()].flat(), ...own].map((one) => [one.hash, one])).values()]
    cache.hold(contents)
    const { present } = await cache.find(contents, signal)
    const addresses = {
      of: async (hash: string) => (await api.blobs.get({ content_hash: hash })).location,
      renew: async () => {},
    }
    const onNothing = () => {}
    const fetching = new ContentFetch({
      http,
      cache,
      addresses,
      onProgress: onNothing,
      onFetched: onNothing,
      ...(signal ? { signal } : {}),
    })
    const failures = await fetching.run(contents.filter(({ hash }) => !present.has(hash)))
    const there = wanted.filter((one) => {
      const failure = failures.get(one.hash)
      if (failure) this.#notFetched(one, failure)
      return !failure
    })
    // What is not to be had leaves a mesh without some of its colours, or a source file without its preview.
    const filesOf = (files: readonly NeededFile[]) =>
      new Map(files.filter(({ hash }) => !failures.has(hash)).map(({ name, hash }) => [name, cache.pathOf(hash)]))
    await this.#run.take(
      there.map((one) => ({ ...one, path: cache.pathOf(one.hash), needed: filesOf(needed.get(one.objectId) ?? []) })),
    )
  }

  #notFetched({ entryId, name }: MediaJob, { code, message }: { code: string; message: string }): void {
    this.#run.report.failed.push({ entry_id: entryId, name, reason: code, message, given_up: false })
    this.#progress.total--
  }
}

/** Begun at any place: workers that start together do not make the same first. */
function turned(ids: readonly number[]): number[] {
  const first = Math.floor(Math.random() * ids.length)
  return [...ids.slice(first), ...ids.slice(0, first)]
}

/** Whether it is worth waiting for: the server, the network or the budget, and not the key. */
export const mayPass = (error: unknown): boolean => error instanceof ClientError && error.code === 'UNREACHABLE'

/** What a download brings, asked of the library: the entries, what they need, and where the bytes are to be had. */
import pLimit from 'p-limit'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import type { Addresses } from '../content/fetch.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Api } from '../http/api.ts'
import { askInParts, type EntriesOrder } from '../pull/orders/parts.ts'
import { uniteFiles } from '../pull/orders/united-files.ts'
import type { DownloadSet } from './layout.ts'
import type { DownloadedObject } from './taken-paths.ts'

export type SourceCalls = Pick<Api, 'entries' | 'blobs' | 'pullJobs'>

export interface Wish {
  entryIds: readonly number[]
  withDeps: boolean
  /** Of the one entry: another version than the current one. */
  version?: LineageObject
}

const requestsAtOnce = 8
/** Of so many entries each may be asked about by itself; a key has 240 requests a minute (spec 8). */
const fewEntries = 8

export class DownloadSources implements Addresses {
  readonly #calls: SourceCalls
  readonly #wish: Wish
  /** Presigned addresses by hash, and the entries whose own file a hash is. */
  #urls = new Map<string, string>()
  readonly #roots = new Map<string, { entry_id: number; object_id: number }>()
  #renewing: Promise<void> | undefined
  /** Entries whose closures were asked for. */
  readonly #closures = new Set<number>()

  constructor(calls: SourceCalls, wish: Wish) {
    this.#calls = calls
    this.#wish = wish
  }

  /** In the order asked for. Throws ApiError `ENTRY_NOT_FOUND`. */
  async sets(): Promise<DownloadSet[]> {
    const details = await readEntryDetails(this.#calls, this.#wish.entryIds)
    const unknown = this.#wish.entryIds.find((id) => !details.has(id))
    if (unknown !== undefined) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${unknown} in this workspace.`)
    const needs = this.#wish.withDeps ? await this.#needsTogether([...details.values()]) : undefined
    const sets = await this.#each([...details.values()], async (entry) => ({
      entry_id: entry.id,
      name: entry.name,
      members: needs?.get(entry.id) ?? (this.#wish.withDeps ? await this.#closureOf(entry) : [this.#ownObject(entry)]),
    }))
    for (const { entry_id, members } of sets)
      if (members[0]) this.#roots.set(members[0].content_hash, { entry_id, object_id: members[0].object_id })
    return sets
  }

  /**
   * What many packages need, by a plan of a pull of all of them: each file once, the needs with the first of them. Undefined where the
   * library makes none, where the key may not ask for one, or where it would be no right download: with files that have no place under
   * `/Game`, with source files, which name others by their own folders, or with two files for one place.
   */
  async #needsTogether(entries: readonly EntryDetail[]): Promise<Map<number, DownloadedObject[]> | undefined> {
    const packages = entries.filter(({ source_ext }) => source_ext === null)
    const [first] = packages
    if (!first || packages.length <= fewEntries) return undefined
    const entryIds = packages.map(({ id }) => ({ entry_id: id }))
    const order = { target_project: 'ph download', target_root: '/Game', entries: entryIds, dependencies: 'current' as const }
    const objects = await planned(this.#calls, order)
    if (!objects || objects.some(({ source_ext }) => source_ext !== null)) return undefined
    const own = new Set(packages.map(({ object_id }) => object_id))
    const others = objects.filter(({ object_id }) => !own.has(object_id))
    return new Map(packages.map((entry) => [entry.id, [this.#ownObject(entry), ...(entry === first ? others : [])]]))
  }

  /** Asks for the addresses of many entries' own files at once, where the library answers that; the others are asked for one by one. */
  async prepare(hashes: readonly string[]): Promise<void> {
    const asked = hashes.flatMap((hash) => (this.#urls.has(hash) ? [] : (this.#roots.get(hash) ?? [])))
    if (asked.length <= fewEntries) return
    for (let at = 0; at < asked.length; at += limits.bulk) {
      const answer = await this.#calls.entries
        .downloads({ entries: asked.slice(at, at + limits.bulk) })
        .catch(undefinedWhereUnknown)
      if (!answer) return
      for (const { content_hash, url } of answer.files) this.#urls.set(content_hash, url)
    }
  }

  /** Of an entry's own file the library hears that it is downloaded; other files come as in a pull. */
  async of(hash: string): Promise<string> {
    const known = this.#urls.get(hash)
    if (known !== undefined) return known
    const root = this.#roots.get(hash)
    const { location } = root ? await this.#calls.entries.download(root) : await this.#calls.blobs.get({ content_hash: hash })
    this.#urls.set(hash, location)
    return location
  }

  /** Who asks meanwhile waits for the same answer. */
  renew(): Promise<void> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #ask(): Promise<void> {
    const hashes = [...this.#urls.keys()]
    this.#urls = new Map()
    await this.prepare(hashes)
    await this.#each([...this.#closures], async (entry_id) => this.#askClosure(entry_id))
  }

  async #closureOf(entry: EntryDetail): Promise<DownloadedObject[]> {
    const members = await this.#askClosure(entry.id)
    // Servers that do not know the paths of closures know that of the entry.
    return members.map((member, at) => (at === 0 ? { ...this.#ownObject(entry), ...definedOf(member) } : member))
  }

  async #askClosure(entry_id: number) {
    const { version } = this.#wish
    this.#closures.add(entry_id)
    const { members } = await this.#calls.entries.closure({
      entry_id,
      object_id: version?.object_id,
      urls: true,
      dependencies: version ? 'as_pushed' : 'current',
    })
    for (const { content_hash, url, depth } of members) if (url !== undefined && depth > 0) this.#urls.set(content_hash, url)
    return members
  }

  #ownObject({ face, ...entry }: EntryDetail): DownloadedObject {
    const { version } = this.#wish
    const { lineage_id, name: asset_name } = entry
    if (version) return { ...version, lineage_id, asset_name: version.asset_name ?? asset_name }
    const package_name = packageNameIn(entry.metadata_doc)
    return { ...entry, ...face, lineage_id, asset_name, source_path: face.source_path ?? null, package_name }
  }

  #each<T, R>(list: readonly T[], ask: (one: T) => Promise<R>): Promise<R[]> {
    const atOnce = pLimit(requestsAtOnce)
    return Promise.all(list.map((one) => atOnce(ask, one)))
  }
}

/** What the push of a file without an `origin_path` said of it. */
function packageNameIn(document: EntryDetail['metadata_doc']): string | null {
  const { package_name } = (document?.ext?.unreal ?? {}) as { package_name?: unknown }
  return typeof package_name === 'string' ? package_name : null
}

const definedOf = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== null)) as Partial<T>

/** The files of a plan; undefined where there is none to be had. */
async function planned(api: Pick<Api, 'pullJobs'>, order: EntriesOrder): Promise<PullJobObject[] | undefined> {
  try {
    const plans = await askInParts(api, order, { ask: (part) => api.pullJobs.plan(part) })
    const isWhole = plans.every(({ misnamed = [] }) => misnamed.length === 0)
    const lists = plans.map(({ closure }) => closure.objects)
    return isWhole ? uniteFiles(lists, order).objects : undefined
  } catch (error) {
    if (error instanceof ApiError && unplanned.includes(error.status)) return undefined
    throw error
  }
}

/** A key that only reads, a library that does not plan, and an order that it refuses. */
const unplanned = [403, 404, 405, 422]

function undefinedWhereUnknown(error: unknown): undefined {
  if (!(error instanceof ApiError && [403, 404, 405].includes(error.status))) throw error
}

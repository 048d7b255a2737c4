/** What a download brings, asked of the library: the entries, what they need, and where the bytes are to be had. */
import pLimit from 'p-limit'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import type { Addresses } from '../content/fetch.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Api } from '../http/api.ts'
import type { DownloadSet } from './layout.ts'
import type { DownloadedObject } from './taken-paths.ts'

export type SourceCalls = Pick<Api, 'entries' | 'blobs'>

export interface Wish {
  entryIds: readonly number[]
  withDeps: boolean
  /** Of the one entry: another version than the current one. */
  version?: LineageObject
}

const requestsAtOnce = 8

export class DownloadSources implements Addresses {
  readonly #calls: SourceCalls
  readonly #wish: Wish
  /** Presigned addresses by hash, and the entries whose own file a hash is. */
  #urls = new Map<string, string>()
  readonly #roots = new Map<string, { entry_id: number; object_id: number }>()
  #renewing: Promise<void> | undefined

  constructor(calls: SourceCalls, wish: Wish) {
    this.#calls = calls
    this.#wish = wish
  }

  /** In the order asked for. Throws ApiError `ENTRY_NOT_FOUND`. */
  async sets(): Promise<DownloadSet[]> {
    const details = await readEntryDetails(this.#calls, this.#wish.entryIds)
    const unknown = this.#wish.entryIds.find((id) => !details.has(id))
    if (unknown !== undefined) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${unknown} in this workspace.`)
    const sets = await this.#each([...details.values()], async (entry) => ({
      entry_id: entry.id,
      name: entry.name,
      members: this.#wish.withDeps ? await this.#closureOf(entry) : [this.#ownObject(entry)],
    }))
    for (const { entry_id, members } of sets)
      if (members[0]) this.#roots.set(members[0].content_hash, { entry_id, object_id: members[0].object_id })
    return sets
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
    this.#urls = new Map()
    if (this.#wish.withDeps) await this.#each(this.#wish.entryIds, async (entry_id) => this.#askClosure(entry_id))
  }

  async #closureOf(entry: EntryDetail): Promise<DownloadedObject[]> {
    const members = await this.#askClosure(entry.id)
    // Servers that do not know the paths of closures know that of the entry.
    return members.map((member, at) => (at === 0 ? { ...this.#ownObject(entry), ...definedOf(member) } : member))
  }

  async #askClosure(entry_id: number) {
    const { version } = this.#wish
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

/** Asks a library which versions are current: in bulk where it offers that, else by reading its entries. */

import pLimit from 'p-limit'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { DeletedLineage, FoundLineages, FoundVersion, LineageFace } from '../../contract/lineages.ts'
import { ClientError } from '../client-error.ts'
import { entryPages } from '../entries/pages.ts'
import type { Api } from '../http/api.ts'

/** Lineages by id, versions by content, current versions by path; deleted ones by their GUIDs and names too. */
export interface FaceQuery {
  lineageIds: readonly string[]
  hashes: readonly string[]
  paths: readonly string[]
  guids?: readonly string[]
  names?: readonly string[]
}

/** `cursor`: where the change feed stood before, as far as the server says so. `deleted`, `referred`: none where it does not say it. */
export interface FoundFaces extends Omit<FoundLineages, 'cursor' | 'deleted' | 'referred'> {
  cursor: number | undefined
  deleted: DeletedLineage[]
  referred: string[]
}

/** So few lineages are quicker asked one by one than found among all entries. */
const fewLineages = 20
const requestsAtOnce = 8

/** One exchange for 5,000 of each, one also for none; more on servers that do not know the question. */
export const findFaces = async (api: Api, query: FaceQuery): Promise<FoundFaces> =>
  (await findFacesInBulk(api, query)) ?? readEntries(api, query)

/** The same in bulk alone; undefined where the server does not offer that. */
export async function findFacesInBulk(api: Pick<Api, 'lineages'>, query: FaceQuery): Promise<FoundFaces | undefined> {
  const found: FoundFaces = { cursor: undefined, lineages: [], versions: [], deleted: [], referred: [] }
  const { lineageIds, hashes, paths, guids = [], names = [] } = query
  const longest = Math.max(...[lineageIds, hashes, paths, guids, names].map(({ length }) => length))
  for (let at = 0; at === 0 || at < longest; at += limits.lineagesFound) {
    const part = <T>(list: readonly T[]): T[] => list.slice(at, at + limits.lineagesFound)
    const question = {
      lineage_ids: part(lineageIds),
      content_hashes: part(hashes),
      origin_paths: part(paths),
      ...(guids.length > 0 ? { package_guids: part(guids) } : {}),
      ...(names.length > 0 ? { names: part(names) } : {}),
    }
    const answer = await api.lineages.find(question).catch(undefinedWhereUnknown)
    if (!answer) return undefined
    found.cursor ??= answer.cursor
    found.library_epoch ??= answer.library_epoch
    found.lineages.push(...answer.lineages)
    found.versions.push(...answer.versions)
    found.deleted.push(...(answer.deleted ?? []))
    found.referred.push(...(answer.referred ?? []))
  }
  return found
}

/** What servers say of a route that they do not have; a read key on one that does not look like reading is refused first. */
function undefinedWhereUnknown(error: unknown): undefined {
  if (!(error instanceof ApiError && [403, 404, 405].includes(error.status))) throw error
}

/** The same from what every server offers. Bytes and paths are found among current versions only. */
async function readEntries(api: Api, { lineageIds, hashes, paths }: FaceQuery): Promise<FoundFaces> {
  const found = new EntryReading(lineageIds, hashes, paths)
  if (hashes.length + paths.length > 0 || lineageIds.length > fewLineages) await found.readAll(api)
  const atOnce = pLimit(requestsAtOnce)
  const rest = await Promise.all([...found.open].map((id) => atOnce(() => findLineage(api, id))))
  const lineages = [...found.lineages.values(), ...rest.flat()]
  return { cursor: found.cursor, lineages, versions: [...found.versions.values()], deleted: [], referred: [] }
}

async function findLineage(api: Api, lineageId: string): Promise<LineageFace[]> {
  try {
    const { id, entry_id, face_object_id, objects } = await api.lineages.get({ lineage_id: lineageId })
    const face = objects.find(({ object_id }) => object_id === face_object_id)
    if (!face) return []
    const { content_hash: face_content_hash, origin_path, source_ext } = face
    return [{ id, entry_id, face_object_id, face_content_hash, origin_path, source_ext }]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

/** Pages are short, and each says whether another one follows. */
const isCut = (error: unknown): boolean => error instanceof ClientError && error.code === 'ANSWER_CUT'

class EntryReading {
  readonly lineages = new Map<string, LineageFace>()
  /** By content: what an export that was cut has told is told again by the pages. */
  readonly versions = new Map<string, FoundVersion>()
  /** Lineages that no entry was found of yet. */
  readonly open: Set<string>
  cursor: number | undefined
  readonly #hashes: ReadonlySet<string>
  readonly #paths: ReadonlySet<string>

  constructor(lineageIds: readonly string[], hashes: readonly string[], paths: readonly string[]) {
    this.open = new Set(lineageIds)
    this.#hashes = new Set(hashes)
    this.#paths = new Set(paths.map((path) => path.toLowerCase()))
  }

  async readAll(api: Api): Promise<void> {
    try {
      for await (const line of api.changes.export()) this.#take(line as Partial<EntrySummary> & { cursor?: number })
    } catch (error) {
      if (!isCut(error)) undefinedWhereUnknown(error)
      await this.#readPages(api)
    }
  }

  async #readPages(api: Api): Promise<void> {
    for await (const { entries } of entryPages(api, { include_deprecated: true })) for (const entry of entries) this.#take(entry)
  }

  #take(line: Partial<EntrySummary> & { cursor?: number }): void {
    this.cursor ??= line.cursor
    const { lineage_id: id, object_id, content_hash, id: entry_id, origin_path = null, source_ext = null } = line
    if (id === undefined || object_id === undefined || content_hash === undefined || entry_id === undefined) return
    const isSought = this.#hashes.has(content_hash)
    if (!this.open.delete(id) && !isSought && !this.#paths.has(origin_path?.toLowerCase() ?? '')) return
    this.lineages.set(id, { id, entry_id, face_object_id: object_id, face_content_hash: content_hash, origin_path, source_ext })
    if (isSought) this.versions.set(content_hash, { content_hash, object_id, lineage_id: id })
  }
}

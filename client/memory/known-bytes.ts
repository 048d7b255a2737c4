/** Which of the files that lie in a project are versions that the library has now. What is remembered here may be of a library that was set back since. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { Deletion, FoundVersion, LineageFace, LineageObject } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import { findFacesInBulk } from './find-versions.ts'

/** Bytes that lie where a version of a lineage is to go. */
export interface LocalBytes {
  hash: string
  lineageId: string
  /** It is remembered that these bytes were a version of that lineage. */
  isRemembered: boolean
  /** The version that is to go there: by it the library says whether the prop was deleted. */
  wanted?: string
}

const requestsAtOnce = 8

/** What the library says of bytes, asked now. */
export interface KnownBytes {
  /** By content hash. */
  versions: ReadonlyMap<string, FoundVersion>
  /** By their ids: what is current in the lineages of these versions, and in those that go there, as far as the library says it. */
  faces: ReadonlyMap<string, LineageFace>
  /** Lineages that were deleted, by the content hashes of their versions. */
  deleted: ReadonlyMap<string, string>
  /** Who deleted these lineages, and when, by lineage id. */
  deletions: ReadonlyMap<string, Deletion>
}

/** One question for 5,000 files. */
export async function findKnownBytes(api: Pick<Api, 'lineages'>, local: readonly LocalBytes[]): Promise<KnownBytes> {
  if (local.length === 0) return { versions: new Map(), faces: new Map(), deleted: new Map(), deletions: new Map() }
  const hashes = [...new Set(local.flatMap(({ hash, wanted }) => [hash, ...(wanted === undefined ? [] : [wanted])]))]
  const lineageIds = [...new Set(local.map(({ lineageId }) => lineageId))]
  const found = await findFacesInBulk(api, { lineageIds, hashes, paths: [] })
  const versions = found?.versions ?? (await readHistories(api, local))
  const deleted = found?.deleted.flatMap((one) => one.content_hashes.map((hash) => [hash, one.lineage_id] as const)) ?? []
  return {
    versions: new Map(versions.map((version) => [version.content_hash, version])),
    faces: new Map(found?.lineages.map((face) => [face.id, face])),
    deleted: new Map(deleted),
    deletions: new Map(found?.deleted.map(({ lineage_id, name, at, by }) => [lineage_id, { name, at, by }])),
  }
}

/** The same from servers that are not asked in bulk: the histories of lineages that the bytes are remembered to belong to. */
async function readHistories(api: Pick<Api, 'lineages'>, local: readonly LocalBytes[]): Promise<FoundVersion[]> {
  const lineageIds = new Set(local.flatMap(({ lineageId, isRemembered }) => (isRemembered ? lineageId : [])))
  const atOnce = pLimit(requestsAtOnce)
  const histories = await Promise.all([...lineageIds].map((id) => atOnce(() => readHistory(api, id))))
  return histories.flat()
}

async function readHistory(api: Pick<Api, 'lineages'>, lineageId: string): Promise<FoundVersion[]> {
  try {
    const { id, objects } = await api.lineages.get({ lineage_id: lineageId })
    return objects.map(({ content_hash, object_id }: LineageObject) => ({ content_hash, object_id, lineage_id: id }))
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

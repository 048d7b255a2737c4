/**
 * Files that would become the next version of a prop by their identity alone, although nothing on this machine tells that they were
 * made from its current version: two people's edits must not override each other unnoticed. They are held until someone says so.
 * The server holds for other reasons (server/push/plan.ts).
 */
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import type { ManifestItem, NegotiateItem } from '../../../contract/push.ts'
import type { Api } from '../../http/api.ts'
import { findFacesInBulk } from '../../memory/find-versions.ts'
import { findInOtherFolders, type OtherMemories, type RememberedVersion } from '../../memory/machine-memory.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { PlannedItem } from '../plan/plan.ts'

/** Why a file is held on this side: the version that it was made from is not known. */
export const unknownBase = 'base_unknown'
/** Why a file is held on this side: its prop was deleted from the library, and would come back by it. */
export const wasDeleted = 'deleted'
/** Why a file is held on this side: other projects have its prop too, and its next version would be theirs. */
export const isShared = 'other_projects'

export interface BaseMemory {
  memory: ProjectMemory
  others: OtherMemories
  api: Api
}

export interface Judged {
  planned: PlannedItem
  item: NegotiateItem
}

const requestsAtOnce = 8

/** Whether the sender says which lineage an item continues, or that it continues none. */
export const saysLineage = (item: Readonly<ManifestItem>): boolean =>
  Boolean(item.stamped_lineage_id || item.attach_to_lineage || item.force_new_lineage)

/** The current version of the lineage that an item would continue. Servers that do not say it name it as the parent. */
export const faceOf = ({ item }: Judged): number | null => item.face_object_id ?? item.parent_object_id

/** Of items that the library would take for next versions by their identity: those whose base nobody here knows. */
export async function findUnknownBases(judged: readonly Judged[], bases: BaseMemory): Promise<Judged[]> {
  const open = judged.filter((one) => {
    const version = versionOf(one)
    return version !== undefined && !bases.memory.hasVersion(version)
  })
  if (open.length === 0) return []
  const known = await ownFromOtherFolders(
    open.flatMap((one) => versionOf(one) ?? []),
    bases,
  )
  return open.filter((one) => !known.has(faceOf(one) ?? 0))
}

function versionOf(one: Judged): RememberedVersion | undefined {
  const { action, lineage_id: lineageId } = one.item
  const objectId = faceOf(one)
  return action === 'register' && lineageId && objectId ? { lineageId, objectId } : undefined
}

/**
 * A project that was moved, or another working copy, has its memory under another folder's name. It counts for versions that this
 * person pushed: what someone else pushed and was pulled there says nothing about the files here.
 */
async function ownFromOtherFolders(versions: readonly RememberedVersion[], { others, api }: BaseMemory): Promise<Set<number>> {
  const found = findInOtherFolders(others, versions)
  if (found.size === 0) return found
  const remembered = versions.filter(({ objectId }) => found.has(objectId))
  const [me, publishers] = await Promise.all([api.members.me(), publishersOf(remembered, api)])
  return new Set(remembered.flatMap(({ objectId }) => (publishers.get(objectId) === me.id ? objectId : [])))
}

/**
 * Who pushed these versions, by object id. They are the current ones, and asked about in bulk; where another one became current
 * meanwhile, or the server does not say it in bulk, each is asked about by itself.
 */
async function publishersOf(versions: readonly RememberedVersion[], api: Api): Promise<Map<number, number | null>> {
  const lineageIds = [...new Set(versions.map(({ lineageId }) => lineageId))]
  const faces = await findFacesInBulk(api, { lineageIds, hashes: [], paths: [] })
  const publishers = new Map<number, number | null>()
  for (const { face_object_id, face_published_by } of faces?.lineages ?? [])
    if (face_published_by !== undefined) publishers.set(face_object_id, face_published_by)
  const atOnce = pLimit(requestsAtOnce)
  const askEach = async ({ lineageId, objectId }: RememberedVersion) => {
    const lineage = await api.lineages.get({ lineage_id: lineageId }).catch(undefinedWhereGone)
    const version = lineage?.objects.find(({ object_id }) => object_id === objectId)
    publishers.set(objectId, version?.published_by?.id ?? null)
  }
  const rest = versions.filter(({ objectId }) => !publishers.has(objectId))
  await Promise.all(rest.map((one) => atOnce(askEach, one)))
  return publishers
}

function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

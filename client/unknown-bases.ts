/**
 * Files that would become the next version of a prop by their identity alone, although nothing on this machine tells that they were
 * made from its current version: two people's edits must not override each other unnoticed. They are held until it is said.
 */
import pLimit from 'p-limit'
import type { NegotiateItem } from '../contract/push.ts'
import type { Fingerprints } from './fingerprints.ts'
import { findInOtherFolders, type OtherMemories, type RememberedVersion } from './machine-memory.ts'
import type { PlannedItem } from './push-plan.ts'
import type { StatusCalls } from './status-calls.ts'

/** Why a file is held on this side: the version that it was made from is not known. */
export const unknownBase = 'base_unknown'

export interface BaseMemory {
  fingerprints: Fingerprints
  others: OtherMemories
  look: StatusCalls
}

export interface Judged {
  planned: PlannedItem
  item: NegotiateItem
}

const requestsAtOnce = 8

/** Whether the sender says which lineage an item continues, or that it continues none. */
export const saysLineage = ({ item }: PlannedItem): boolean =>
  Boolean(item.stamped_lineage_id || item.attach_to_lineage || item.force_new_lineage)

/** The current version of the lineage that an item would continue. Servers that do not say it name it as the parent. */
export const faceOf = ({ item }: Judged): number | null => item.face_object_id ?? item.parent_object_id

/** Of items that the library would take for next versions by their identity: those whose base nobody here knows. */
export async function findUnknownBases(judged: readonly Judged[], memory: BaseMemory): Promise<Judged[]> {
  const open = judged.filter((one) => {
    const version = versionOf(one)
    return version !== undefined && !memory.fingerprints.hasVersion(version)
  })
  if (open.length === 0) return []
  const known = await ownFromOtherFolders(
    open.flatMap((one) => versionOf(one) ?? []),
    memory,
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
async function ownFromOtherFolders(versions: readonly RememberedVersion[], { others, look }: BaseMemory): Promise<Set<number>> {
  const found = findInOtherFolders(others, versions)
  if (found.size === 0) return found
  const me = await look.me()
  const atOnce = pLimit(requestsAtOnce)
  const isOwn = async ({ lineageId, objectId }: RememberedVersion) => {
    const { objects } = await look.lineage(lineageId)
    return objects.some(({ object_id, published_by }) => object_id === objectId && published_by?.id === me.id)
  }
  const remembered = versions.filter(({ objectId }) => found.has(objectId))
  const own = await Promise.all(remembered.map((one) => atOnce(isOwn, one)))
  return new Set(remembered.flatMap(({ objectId }, at) => (own[at] ? objectId : [])))
}

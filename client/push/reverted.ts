/**
 * Files that are a version of their prop which is not current: taken back to an earlier one here, or left as they are when a later one
 * was undone in the library. The library has the bytes, so a push has nothing to send. Making them current is what `ph restore` is for.
 */
import pLimit from 'p-limit'
import type { Lineage } from '../../contract/lineages.ts'
import { versionName, versionNumber } from '../entries/current-version.ts'
import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import { type Problem, problem } from '../project/problem.ts'
import type { Judged } from './held/why-held.ts'

export interface Reverted {
  /** Below the project's root. */
  file: string
  lineageId: string
  /** The version that the file is. */
  objectId: number
  /** The version that it was made from. */
  baseObjectId: number
}

/** Of more reverted files than these only the first are named: each is a request. */
const mostNamed = 20
const requestsAtOnce = 8

/**
 * Of items whose bytes the library has as another version than the one that the file was made from: those that are older than that and
 * not current, and those that are newer while that one is current. By content hash.
 */
export async function findReverted(judged: readonly Judged[], api: Api): Promise<Map<string, Reverted>> {
  const found = new Map(
    judged.flatMap(({ planned: { files }, item }): [string, Reverted][] => {
      const { action, existing_object_id: objectId, lineage_id: lineageId, content_hash } = item
      if (action !== 'dedup' || !objectId || !lineageId) return []
      const before = files.find(({ known }) => known?.base?.lineageId === lineageId && known.base.objectId !== objectId)
      const baseObjectId = before?.known?.base?.objectId
      return before && baseObjectId ? [[content_hash, { file: before.found.file, lineageId, objectId, baseObjectId }]] : []
    }),
  )
  if (found.size === 0) return found
  const lineageIds = [...new Set([...found.values()].map(({ lineageId }) => lineageId))]
  const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
  const faces = new Map(lineages.map(({ id, face_object_id }) => [id, face_object_id]))
  for (const [hash, one] of found) if (!isSetBack(one, faces.get(one.lineageId))) found.delete(hash)
  return found
}

/** Whether a file stands for a version that is not current, and would not become it by a push. */
export function isSetBack(
  { objectId, baseObjectId }: Omit<Reverted, 'file' | 'lineageId'>,
  faceId: number | undefined | null,
): boolean {
  return baseObjectId > objectId ? faceId !== objectId : baseObjectId < objectId && faceId === baseObjectId
}

/** Such a file with its version as people name it, and the command that makes it current. */
export interface RevertedVersion {
  file: string
  objectId: number
  /** Counted from 1. */
  version: number
  /** `v2` */
  name: string
  /** Name of the current version. */
  current: string
  /** It is later than the version that the file was made from: that one was restored. */
  isLater: boolean
  restore: string
}

export async function describeReverted(reverted: Iterable<Reverted>, api: Api): Promise<RevertedVersion[]> {
  const atOnce = pLimit(requestsAtOnce)
  const describe = async (one: Reverted) => describeOne(one, await api.lineages.get({ lineage_id: one.lineageId }))
  const described = await Promise.all([...reverted].slice(0, mostNamed).map((one) => atOnce(describe, one)))
  return described.flat()
}

function describeOne({ file, objectId, baseObjectId }: Reverted, lineage: Lineage): RevertedVersion[] {
  const { objects, face_object_id, entry_id } = lineage
  const version = versionNumber(lineage, objectId)
  const own = objects.find(({ object_id }) => object_id === objectId)
  const face = objects.find(({ object_id }) => object_id === face_object_id)
  if (version === undefined || !own || !face || entry_id === null) return []
  const name = versionName(own)
  const restore = `ph restore ${entry_id} --version ${name}`
  return [{ file, objectId, version, name, current: versionName(face), isLater: objectId > baseObjectId, restore }]
}

export const toProblem = ({ file, name, current, isLater, restore }: RevertedVersion): Problem =>
  problem('reverted', file, {
    message: isLater
      ? `${file} is ${name}, which the library has already; ${current} is current.`
      : `${file} is ${name} again; ${current} is current.`,
    next: `To make ${name} current: \`${restore}\``,
  })

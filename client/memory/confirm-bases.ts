/**
 * Whether the library still has the versions that files here were made from. After it was set back to an earlier state it has lost some: those
 * files are edits of what it has, and none of them is outdated by anything older than that.
 */
import pLimit from 'p-limit'
import type { LineageFace } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import type { BaseVersion, Replacement } from './bases.ts'
import { type FoundFaces, findFacesInBulk } from './find-versions.ts'
import { forgetLostSets, undefinedWhereGone } from './lost-sets.ts'
import type { ProjectMemory } from './project-memory.ts'

const requestsAtOnce = 8

/**
 * Asks about all of them, and remembers what stands in the place of those that it lost: where the current version of the lineage is older
 * than the epoch, that one; else the newest that is, so that the file has diverged from what others pushed since. Where the lineage is
 * lost, nothing: the file is new. Gives what was found; undefined where there is nothing to ask, or no server that takes it in bulk.
 */
export async function confirmBases(api: Api, memory: ProjectMemory): Promise<FoundFaces | undefined> {
  const bases = memory.bases.list()
  if (bases.length === 0) return undefined
  const lineageIds = [...new Set(bases.map(({ lineageId }) => lineageId))]
  const hashes = [...new Set(bases.map(({ hash }) => hash))]
  const found = await findFacesInBulk(api, { lineageIds, hashes, paths: [] })
  if (!found) return undefined
  const versions = new Map(found.versions.map((version) => [version.content_hash, version]))
  const faces = new Map(found.lineages.map((face) => [face.id, face]))
  // What was deleted is not lost: the library says who did it.
  const deleted = new Set(found.deleted.map(({ lineage_id }) => lineage_id))
  const atOnce = pLimit(requestsAtOnce)
  const replaced = await Promise.all(
    bases.map(async (from): Promise<Replacement[]> => {
      const version = versions.get(from.hash)
      if (!version && deleted.has(from.lineageId)) return []
      if (!version) return [{ from, to: await atOnce(() => standIn(api, from, { face: faces.get(from.lineageId), found })) }]
      const { object_id: objectId, lineage_id: lineageId } = version
      if (objectId === from.objectId && lineageId === from.lineageId) return []
      return [{ from, to: { hash: from.hash, lineageId, objectId, entryId: faces.get(lineageId)?.entry_id ?? null } }]
    }),
  )
  memory.bases.replace(replaced.flat())
  await settleSets(api, memory, faces)
  return found
}

/** Levels whose set here is not the newest of the library: it may have lost it. Of a lineage that has no set any more it is lost. */
async function settleSets(api: Api, { levels }: ProjectMemory, faces: ReadonlyMap<string, LineageFace>): Promise<void> {
  const known = levels.list().flatMap(({ lineageId, set }) => {
    const newest = faces.get(lineageId)?.sets ?? []
    return set === null || newest.some(({ id }) => id === set) ? [] : { lineageId, set, hasSets: newest.length > 0 }
  })
  for (const { lineageId, hasSets } of known) if (!hasSets) levels.forget(lineageId)
  await forgetLostSets(
    api,
    levels,
    known.filter(({ hasSets }) => hasSets),
  )
}

/** The version that a file was made from as far as the library knows, when it lost the one that it was. */
async function standIn(
  api: Api,
  { lineageId }: BaseVersion,
  { face, found }: { face: LineageFace | undefined; found: FoundFaces },
): Promise<Replacement['to']> {
  const began = Date.parse(found.library_epoch?.began_at ?? '')
  if (!face || Number.isNaN(began)) return undefined
  const { entry_id: entryId, face_object_id: objectId, face_content_hash: hash } = face
  if (Date.parse(face.face_date_ingested ?? '') < began) return { hash, lineageId, objectId, entryId }
  const lineage = await api.lineages.get({ lineage_id: lineageId }).catch(undefinedWhereGone)
  const older = lineage?.objects.find(({ date_ingested }) => Date.parse(date_ingested) < began)
  return older && { hash: older.content_hash, lineageId, objectId: older.object_id, entryId }
}

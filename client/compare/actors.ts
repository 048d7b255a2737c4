/** What differs between two sides of a level in its actors, which are files of their own: by the sets of the library, or the files here. */
import { isLevelPart, partLabel, partWords } from '../../contract/level-parts.ts'
import type { LevelSet, SetPart } from '../../contract/level-sets.ts'
import { limits } from '../../contract/limits.ts'
import type { Lineage } from '../../contract/lineages.ts'
import { changesOf } from '../entries/set-changes.ts'
import type { Api } from '../http/api.ts'
import { isMissingRoute } from '../http/failures/missing-route.ts'
import type { Wire } from '../http/open-http.ts'
import type { StatusFile } from '../status/report.ts'
import { status } from '../status/status.ts'
import type { ComparedVersion } from './compare.ts'

/** Which set of a level; null for the files here. */
export type ComparedSet = Pick<LevelSet, 'id' | 'number' | 'author' | 'created_at' | 'note'> | null

/** By what people call them. */
export interface ActorChanges {
  from_set: ComparedSet
  to_set: ComparedSet
  added: string[]
  changed: string[]
  removed: string[]
}

/** The sets of a level in a project, else in the one that made the newest, newest first. Undefined where there are none, or the server knows none. */
export async function setsOfLevel(api: Api, lineageId: string, project: string | null): Promise<LevelSet[] | undefined> {
  try {
    const { sets } = await api.lineages.parts({ lineage_id: lineageId, limit: limits.page.max })
    const own = sets.filter((one) => one.project?.toLowerCase() === project?.toLowerCase())
    const [newest] = sets
    if (!newest) return undefined
    return own.length > 0 ? own : sets.filter((one) => one.project === newest.project)
  } catch (error) {
    if (isMissingRoute(error)) return undefined
    throw error
  }
}

/** The two sets that are compared where nobody says which: the newest one and the one before. Undefined where these are of two versions. */
export function lastTwoSets(
  { face_object_id }: Lineage,
  sets: readonly LevelSet[],
): { from: LevelSet; to: LevelSet } | undefined {
  const [to, from] = sets
  return from && to?.object_id === face_object_id && from.object_id === face_object_id ? { from, to } : undefined
}

interface Sides {
  lineageId: string
  /** Of the level. */
  path: string | null
  sets: readonly LevelSet[]
  from: ComparedVersion
  to: ComparedVersion
  /** Where two sets of one version are compared. */
  chosen?: { from: LevelSet; to: LevelSet } | undefined
  root: string | null
  wire: Wire
}

/** Null where it is not known what they have. */
export async function compareActors(api: Api, sides: Sides): Promise<ActorChanges | null> {
  const { lineageId, sets, from, to, chosen } = sides
  if (from.file !== null || to.file !== null) return compareHere(api, sides)
  // Newest first: the last one that a version was pushed with.
  const setOf = ({ object_id }: ComparedVersion) => sets.find((one) => one.object_id === object_id)
  const { from: before, to: after } = chosen ?? { from: setOf(from), to: setOf(to) }
  return before && after ? betweenSets(api, { lineageId, before, after }) : null
}

async function betweenSets(
  api: Api,
  { lineageId, before, after }: { lineageId: string; before: LevelSet; after: LevelSet },
): Promise<ActorChanges | null> {
  const parts = before.id === after.id ? [] : await changesOf(api, { lineageId, set: after.id, since: before.id })
  if (!parts) return null
  const labels = (change: SetPart['change']) => parts.filter((one) => one.change === change).map(partLabel)
  return {
    ...{ from_set: toSet(before), to_set: toSet(after) },
    ...{ added: labels('added'), changed: labels('changed'), removed: labels('removed') },
  }
}

const toSet = ({ id, number, author, created_at, note }: LevelSet): ComparedSet => ({ id, number, author, created_at, note })

/** The files here and the set that they were pushed or pulled with; from them to the current version: what a pull would change. */
async function compareHere(api: Api, { lineageId, path, sets, from, root, wire }: Sides): Promise<ActorChanges | null> {
  if (root === null || path === null) return null
  const { files, levels } = await status({ ...wire, cwd: root, paths: [root], filesOnly: true })
  const news = levels.find(({ lineage_id }) => lineage_id === lineageId)
  const known = news ? sets.find(({ id }) => id === news.set) : sets[0]
  if (!known) return null
  if (from.file !== null) {
    const [newest] = sets
    const changes = newest ? await betweenSets(api, { lineageId, before: known, after: newest }) : null
    return changes && { ...changes, from_set: null }
  }
  const own = files.filter(({ part }) => part?.level.toLowerCase() === path.toLowerCase())
  const labels = (...states: StatusFile['state'][]) =>
    own.filter(({ state }) => states.includes(state)).flatMap(({ part }) => part?.label ?? [])
  return {
    ...{ from_set: toSet(known), to_set: null },
    ...{ added: labels('untracked'), changed: labels('modified', 'diverged'), removed: labels('missing') },
  }
}

/** A part is called what the outliner calls it; all else by its name. */
export const nameOfPart = ({ objects, face_object_id }: Lineage, name: string): string => {
  const face = objects.find(({ object_id }) => object_id === face_object_id)
  const path = face?.origin_path
  return face && path && isLevelPart(path) ? partWords({ path, asset_class: face.asset_class, label: face.label }) : name
}

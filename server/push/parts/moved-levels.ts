/** Levels that lie at another path than the set of their parts was made for: the engine looks for parts below the path of their level. */
import { isPartOf } from '../../../contract/level-parts.ts'
import { type KnownSet, selectLevelPaths, selectPartPaths, selectVersionsWithSet } from '../../rows/levels/sets.ts'
import { placeKey } from '../../rows/places.ts'
import type { Pushing } from '../facts.ts'
import type { ItemPlan } from '../plan.ts'

export interface LevelPlace {
  /** Where the level lies after this push, in lower case: what is no part of a level at this path does not come to it. */
  path: string
  /** Parts that leave because the level has moved. */
  leaving: string[]
}

interface Asked {
  projectId: number
  /** With the set that counts: the newest of the project, else the one that it begins with. */
  levels: readonly { plan: ItemPlan; counted: KnownSet | undefined }[]
}

/** By content hash of the level; of those whose set was made for another path. A version that the project had a set of before moves nothing: a clone that was not updated may send it. */
export async function placeLevels(
  { sql, workspace }: Pick<Pushing, 'sql' | 'workspace'>,
  { projectId, levels }: Asked,
): Promise<Map<string, LevelPlace>> {
  const paths = await selectLevelPaths(
    sql,
    workspace.id,
    levels.flatMap(({ counted }) => counted ?? []),
  )
  const elsewhere = levels.flatMap(({ plan, counted }) => {
    const [own, before] = [placeKey(plan.item), paths.get(counted?.id ?? 0)]
    return counted && own && before && own !== before ? [{ plan, counted, own, before }] : []
  })
  if (elsewhere.length === 0) return new Map()
  const known = elsewhere.flatMap(({ plan }) => (plan.action === 'dedup' ? plan.known.id : []))
  const hadSet = await selectVersionsWithSet(sql, workspace.id, { objectIds: known, projectId })
  const places = new Map<string, LevelPlace>()
  for (const { plan, counted, own, before } of elsewhere) {
    const isMove = plan.action === 'register' || (plan.action === 'dedup' && !hadSet.has(plan.known.id))
    const parts = isMove ? await selectPartPaths(sql, workspace.id, counted) : []
    const leaving = parts.filter((path) => !isPartOf(path, own))
    places.set(plan.item.content_hash, { path: isMove ? own : before, leaving })
  }
  return places
}

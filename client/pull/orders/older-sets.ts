/** Levels that a job brings as they were when it was ordered, and that are newer here by now. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { forgetLostSets } from '../../memory/lost-sets.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'

export interface OlderSets {
  /** The same list; such levels without their sets, so that nothing is taken away for them. */
  objects: readonly PullJobObject[]
  /** Content hashes of their parts: an actor that left the level since would come back with them. */
  parts: ReadonlySet<string>
}

/** `orderedAt`: undefined where exactly these sets are wanted. */
export function withoutOlderSets(
  memory: Pick<ProjectMemory, 'levels'> | undefined,
  objects: readonly PullJobObject[],
  orderedAt: string | undefined,
): OlderSets {
  const isOlder = ({ lineage_id, set }: PullJobObject) => set != null && (memory?.levels.setOf(lineage_id) ?? 0) > set
  const older = orderedAt === undefined ? [] : objects.filter(isOlder)
  if (older.length === 0) return { objects, parts: new Set() }
  const isPart = ({ origin_path: path }: PullJobObject) =>
    path !== null && older.some(({ origin_path: level }) => level !== null && isPartOf(path, level))
  return {
    objects: objects.map((one) => (older.includes(one) ? { ...one, set: null } : one)),
    parts: new Set(objects.filter(isPart).map(({ content_hash }) => content_hash)),
  }
}

/** Before sets are held against those that are here: a library that was set back brings an earlier one, which is not older than what it lost. */
export async function forgetLost(
  { memory, api }: { memory: ProjectMemory | undefined; api: Pick<Api, 'lineages'> },
  objects: readonly PullJobObject[],
): Promise<void> {
  if (!memory) return
  const known = objects.flatMap(({ lineage_id: lineageId, set: brought }) => {
    const set = brought == null ? undefined : memory.levels.setOf(lineageId)
    return set === undefined || set === brought ? [] : { lineageId, set }
  })
  await forgetLostSets(api, memory.levels, known)
}

/** Parts of levels that left with the set that a pull brings: taken away here too, and what is remembered of the sets that are here from now on. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import type { KnownPart } from '../../memory/level-parts.ts'
import type { PulledFile } from '../report.ts'
import { type TakingAway, type TakingParts, takeAway } from './take-away.ts'

/** A level of a pull, with the set that comes and the files of its parts. */
interface BroughtLevel {
  object: PullJobObject & { set: number; origin_path: string }
  parts: KnownPart[]
}

const isPlaced = ({ outcome }: PulledFile): boolean =>
  outcome === 'added' || outcome === 'updated' || outcome === 'identical' || outcome === 'overwritten' || outcome === 'kept'

/** Levels of which a set comes as a whole. What is not here after all is not known to be: no push may take it for removed. */
export function broughtLevels(objects: readonly PullJobObject[], files: readonly PulledFile[]): BroughtLevel[] {
  const levels = objects.filter((object): object is BroughtLevel['object'] => Boolean(object.set && object.origin_path))
  if (levels.length === 0) return []
  const fileOf = new Map(files.filter(isPlaced).map((item) => [item.content_hash, item.file]))
  return levels.map((object) => ({
    object,
    parts: objects.flatMap(({ origin_path: path, content_hash: hash }) => {
      const file = fileOf.get(hash)
      return path && file !== undefined && isPartOf(path, object.origin_path) ? [{ path, file, hash }] : []
    }),
  }))
}

/** What stays although it left is known: as it is, no push brings it back into the level. */
export async function settleLevels(parts: TakingParts, levels: readonly BroughtLevel[], jobId: number): Promise<TakingAway> {
  const { memory } = parts
  const leaving = levels.flatMap(({ object, parts: here }) => {
    const paths = new Set(here.map(({ path }) => path.toLowerCase()))
    return memory.levels.placedOf(object.origin_path).filter(({ path }) => !paths.has(path))
  })
  const removed = leaving.map(({ file, lineageId }) => ({ file, lineageId, why: 'removed' as const }))
  const taking = await takeAway(parts, removed, jobId)
  const staying = new Set(taking.left.map(({ file }) => file))
  const stayed = leaving.filter(({ file }) => staying.has(file))
  for (const { object, parts: here } of levels) {
    const own = stayed.filter(({ path }) => isPartOf(path, object.origin_path))
    memory.levels.save(object.lineage_id, object.set, [
      ...here,
      ...own.map(({ baseHash, ...part }) => ({ ...part, hash: baseHash })),
    ])
  }
  return taking
}

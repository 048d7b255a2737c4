/** What has no place in a project any more after a pull: files where props were before they moved, and parts that left with a level's newest set. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import type { KnownPart } from '../../memory/level-parts.ts'
import type { PulledFile } from '../report.ts'
import { takeAwayFormer } from './former-places.ts'
import { type TakingAway, type TakingParts, takeAway } from './take-away.ts'

/** A level of a pull, with the set that comes and the files of its parts. */
interface BroughtLevel {
  object: PullJobObject & { set: number; origin_path: string }
  parts: KnownPart[]
}

const isPlaced = ({ outcome }: PulledFile): boolean =>
  outcome === 'added' || outcome === 'updated' || outcome === 'identical' || outcome === 'overwritten' || outcome === 'kept'

/** Levels of which a set comes as a whole. What is not here after all is not known to be: no push may take it for removed. */
function broughtLevels(objects: readonly PullJobObject[], files: readonly PulledFile[]): BroughtLevel[] {
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
async function settleLevels(parts: TakingParts, levels: readonly BroughtLevel[], jobId: number): Promise<TakingAway> {
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

interface Brought {
  objects: readonly PullJobObject[]
  files: readonly PulledFile[]
  targetRoot: string
  jobId: number
  /** Called before anything is taken away. */
  onBegin(): Promise<unknown>
}

/** Takes such files away, as far as they may be, and remembers the sets of levels that are here now. */
export async function takeAwayLeaving(parts: TakingParts, { objects, files, ...about }: Brought): Promise<TakingAway> {
  const brought = files.filter(({ outcome }) => outcome !== 'left_out' && outcome !== 'failed')
  const moved = await takeAwayFormer(parts, { brought, ...about })
  const levels = broughtLevels(objects, files)
  const removed = levels.length > 0 ? await settleLevels(parts, levels, about.jobId) : { taken: [], left: [] }
  return { taken: [...moved.taken, ...removed.taken], left: [...moved.left, ...removed.left] }
}

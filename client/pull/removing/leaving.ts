/** What has no place in a project any more after a pull: files where props were before they moved, and parts that left with a level's newest set. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import type { KnownPart, PlacedPart } from '../../memory/level-parts.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { PulledFile } from '../report.ts'
import { takeAwayFormer } from './former-places.ts'
import { type LeavingFile, type TakingAway, type TakingParts, takeAway } from './take-away.ts'

/** A level of which a set comes as a whole. */
interface BroughtLevel {
  object: PullJobObject & { set: number; origin_path: string }
  /** Its parts in that set: by package path in lower case. */
  parts: Map<string, PullJobObject & { origin_path: string }>
  /** What is here as a part of it, and that set does not have. */
  leaving: PlacedPart[]
}

/** Levels that come with a set, and what lies here that left them with it. */
function broughtLevels(memory: ProjectMemory, objects: readonly PullJobObject[]): BroughtLevel[] {
  const levels = objects.filter((object): object is BroughtLevel['object'] => Boolean(object.set && object.origin_path))
  return levels.map((object) => {
    const own = objects.filter(
      (one): one is PullJobObject & { origin_path: string } =>
        one.origin_path !== null && isPartOf(one.origin_path, object.origin_path),
    )
    const parts = new Map(own.map((one) => [one.origin_path.toLowerCase(), one]))
    return { object, parts, leaving: memory.levels.placedOf(object.origin_path).filter(({ path }) => !parts.has(path)) }
  })
}

const toLeaving = ({ leaving }: BroughtLevel): LeavingFile[] =>
  leaving.map(({ file, lineageId }) => ({ file, lineageId, why: 'removed' }))

/** What a pull of these would take away of levels that it brings. */
export const findLeavingParts = (memory: ProjectMemory | undefined, objects: readonly PullJobObject[]): LeavingFile[] =>
  memory ? broughtLevels(memory, objects).flatMap(toLeaving) : []

const isPlaced = ({ outcome }: PulledFile): boolean =>
  outcome === 'added' || outcome === 'updated' || outcome === 'identical' || outcome === 'overwritten' || outcome === 'kept'

/**
 * What stays although it left is known: as it is, no push brings it back into the level. What is not here after all is not known to be: no push
 * may take it for removed.
 */
async function settleLevels(
  taking: TakingParts,
  { objects, files, jobId }: Pick<Brought, 'objects' | 'files' | 'jobId'>,
): Promise<TakingAway> {
  const { memory } = taking
  const levels = broughtLevels(memory, objects)
  if (levels.length === 0) return { taken: [], left: [] }
  const fileOf = new Map(files.filter(isPlaced).map((item) => [item.content_hash, item.file]))
  const before = new Map(levels.map(({ object }) => [object, memory.levels.placedOf(object.origin_path)]))
  const away = await takeAway(taking, levels.flatMap(toLeaving), jobId)
  const left = new Set(away.left.map(({ file }) => file))
  for (const { object, parts, leaving } of levels) {
    const here = [...parts.values()].flatMap(({ origin_path: path, content_hash: hash }) => {
      const file = fileOf.get(hash)
      return file === undefined ? [] : [{ path, file, hash }]
    })
    const placed = new Set(here.map(({ path }) => path.toLowerCase()))
    // What could not be placed is what it was.
    const others = before.get(object)?.filter(({ path }) => parts.has(path) && !placed.has(path)) ?? []
    const staying = leaving.filter(({ file }) => left.has(file))
    memory.levels.save(object.lineage_id, object.set, { parts: [...here, ...others.map(asKnown)], staying: staying.map(asKnown) })
  }
  return away
}

const asKnown = ({ path, file, baseHash: hash }: PlacedPart): KnownPart => ({ path, file, hash })

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
  const removed = await settleLevels(parts, { objects, files, jobId: about.jobId })
  return { taken: [...moved.taken, ...removed.taken], left: [...moved.left, ...removed.left] }
}

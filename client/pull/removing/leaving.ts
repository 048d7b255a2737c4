/** What has no place in a project any more after a pull: files where props were before they moved, and parts that left with a level's newest set. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import { changesOf } from '../../entries/set-changes.ts'
import type { Api } from '../../http/api.ts'
import { findFacesInBulk } from '../../memory/find-versions.ts'
import type { KnownPart, PlacedPart } from '../../memory/level-parts.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { PulledFile } from '../report.ts'
import { takeAwayFormer } from './former-places.ts'
import { type LeavingFile, type TakingAway, type TakingParts, takeAway } from './take-away.ts'

/** A level of which a set comes. */
interface BroughtLevel {
  object: PullJobObject & { set: number; origin_path: string }
  /** Its parts in the list: by package path in lower case. */
  parts: Map<string, PullJobObject & { origin_path: string }>
  /** What is here as a part of it, and that set does not have. */
  leaving: PlacedPart[]
  /** Only what changed since the set that is known here is in the list. */
  isChange: boolean
}

interface Looking {
  memory: ProjectMemory | undefined
  api: Pick<Api, 'lineages'>
}

/** Levels that come with a set, and what lies here that left them with it. `have`: sets since which lists hold only what changed. */
async function broughtLevels(
  { memory, api }: Looking,
  objects: readonly PullJobObject[],
  have: readonly number[],
): Promise<BroughtLevel[]> {
  const levels = objects.filter((object): object is BroughtLevel['object'] => Boolean(object.set && object.origin_path))
  const found: BroughtLevel[] = []
  for (const object of memory ? levels : []) {
    const own = objects.filter(
      (one): one is PullJobObject & { origin_path: string } =>
        one.origin_path !== null && isPartOf(one.origin_path, object.origin_path),
    )
    const parts = new Map(own.map((one) => [one.origin_path.toLowerCase(), one]))
    const leaving = await leavingOf({ memory, api }, { object, parts, have })
    if (leaving) found.push({ object, parts, ...leaving })
  }
  return found
}

/** Undefined where it is not known: what was known when the pull was ordered is so no more. */
async function leavingOf(
  { memory, api }: Looking,
  { object, parts, have }: Pick<BroughtLevel, 'object' | 'parts'> & { have: readonly number[] },
): Promise<Pick<BroughtLevel, 'leaving' | 'isChange'> | undefined> {
  if (!memory) return undefined
  const { lineage_id: lineageId, set, origin_path: level } = object
  const placed = () => [...memory.levels.placedOf(level), ...memory.levels.leftBehind(lineageId, level)]
  const since = memory.levels.setOf(lineageId)
  if (have.length === 0 || since === undefined) {
    const absent = placed().filter(({ path }) => !parts.has(path))
    return { leaving: await withoutLost(api, absent), isChange: false }
  }
  if (!have.includes(since)) return undefined
  const changes = since === set ? [] : await changesOf(api, { lineageId, set, since })
  if (!changes) return undefined
  const staying = memory.levels.stayingOf(lineageId).filter((path) => !parts.has(path))
  const gone = new Set([...changes.flatMap(({ change, path }) => (change === 'removed' ? path.toLowerCase() : [])), ...staying])
  return { leaving: gone.size === 0 ? [] : placed().filter(({ path }) => gone.has(path)), isChange: true }
}

/** Without actors that the library lost when it was set back. Those did not leave their level: they are edits of this machine, and the next push brings them back. */
async function withoutLost(api: Pick<Api, 'lineages'>, absent: readonly PlacedPart[]): Promise<PlacedPart[]> {
  if (absent.length === 0) return []
  const hashes = [...new Set(absent.map(({ baseHash }) => baseHash))]
  const found = await findFacesInBulk(api, { lineageIds: [], hashes, paths: [] })
  const known =
    found && new Set([...found.versions.map((one) => one.content_hash), ...found.deleted.flatMap((one) => one.content_hashes)])
  return absent.filter(({ baseHash }) => !known || known.has(baseHash))
}

const toLeaving = ({ leaving }: BroughtLevel): LeavingFile[] =>
  leaving.map(({ file, lineageId }) => ({ file, lineageId, why: 'removed' }))

/** What a pull of these would take away of levels that it brings. */
export const findLeavingParts = async (
  looking: Looking,
  objects: readonly PullJobObject[],
  have: readonly number[],
): Promise<LeavingFile[]> => (await broughtLevels(looking, objects, have)).flatMap(toLeaving)

const isPlaced = ({ outcome }: PulledFile): boolean =>
  outcome === 'added' || outcome === 'updated' || outcome === 'identical' || outcome === 'overwritten' || outcome === 'kept'

/**
 * What stays although it left is known: as it is, no push brings it back into the level. What is not here after all is not known to be: no push
 * may take it for removed.
 */
async function settleLevels(
  taking: TakingParts,
  { objects, files, jobId, have }: Pick<Brought, 'objects' | 'files' | 'jobId' | 'have'>,
): Promise<TakingAway> {
  const levels = await broughtLevels(taking, objects, have)
  if (levels.length === 0) return { taken: [], left: [] }
  const fileOf = new Map(files.filter(isPlaced).map((item) => [item.content_hash, item.file]))
  const before = new Map(
    levels.map(({ object, isChange }) => [object, isChange ? [] : taking.memory.levels.placedOf(object.origin_path)]),
  )
  const away = await takeAway(taking, levels.flatMap(toLeaving), jobId)
  const left = new Set(away.left.map(({ file }) => file))
  for (const level of levels) remember(taking, level, { fileOf, left, before: before.get(level.object) ?? [] })
  return away
}

/** `before`: what lay here as parts of it; `left`: files that were not taken away. */
function remember(
  { memory }: TakingParts,
  { object: { lineage_id: lineageId, set }, parts, leaving, isChange }: BroughtLevel,
  { fileOf, left, before }: { fileOf: ReadonlyMap<string, string>; left: ReadonlySet<string>; before: readonly PlacedPart[] },
): void {
  const here = [...parts.values()].flatMap(({ origin_path: path, content_hash: hash }) => {
    const file = fileOf.get(hash)
    return file === undefined ? [] : [{ path, file, hash }]
  })
  const staying = leaving.filter(({ file }) => left.has(file)).map(asKnown)
  if (isChange) {
    memory.levels.advance(lineageId, { set, put: here, remove: leaving.map(({ path }) => path), staying })
    return
  }
  const placed = new Set(here.map(({ path }) => path.toLowerCase()))
  // What could not be placed is what it was.
  const others = before.filter(({ path }) => parts.has(path) && !placed.has(path))
  memory.levels.save(lineageId, set, { parts: [...here, ...others.map(asKnown)], staying })
}

const asKnown = ({ path, file, baseHash: hash }: PlacedPart): KnownPart => ({ path, file, hash })

interface Brought {
  objects: readonly PullJobObject[]
  files: readonly PulledFile[]
  /** Sets of levels since which the list holds only what changed. */
  have: readonly number[]
  targetRoot: string
  jobId: number
  /** Called before anything is taken away. */
  onBegin(): Promise<unknown>
}

/** Takes such files away, as far as they may be, and remembers the sets of levels that are here now. */
export async function takeAwayLeaving(parts: TakingParts, { objects, files, have, ...about }: Brought): Promise<TakingAway> {
  const brought = files.filter(({ outcome }) => outcome !== 'left_out' && outcome !== 'failed')
  const moved = await takeAwayFormer(parts, { brought, ...about })
  const removed = await settleLevels(parts, { objects, files, have, jobId: about.jobId })
  return { taken: [...moved.taken, ...removed.taken], left: [...moved.left, ...removed.left] }
}

/** Placing and remembering: what is written down before the first file of a pull is placed, and what follows from how it went. */
import { type BigIntStats, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFullCode } from './client-error.ts'
import { neverTrusted, statKey } from './fingerprint.ts'
import type { FilePlaced } from './fingerprints.ts'
import type { IntendedFile } from './open-pulls.ts'
import { heldName, type Placed, placeAll, placeMark } from './place.ts'
import type { Decision } from './pull-decision.ts'
import { type Obstacle, obstacle } from './pull-obstacle.ts'
import type { PullParts } from './pull-options.ts'
import type { PulledFile } from './pull-report.ts'

/** A file that is to be placed, with what is reported of it when that is done. */
export interface Planned {
  decision: Decision
  item: PulledFile
}

/** What a killed pull leaves of each file, so that the next one knows what became of it. */
export interface Intention {
  item: PulledFile
  placed: Omit<FilePlaced, 'stat'>
  /** `placeMark` of what was to be replaced. */
  replacedMark: string | null
}

const anyWrite = 0o222n

export interface PlacingResult {
  items: PulledFile[]
  obstacles: Obstacle[]
  /** Files that are in place, with what is remembered of them. */
  remembered: FilePlaced[]
}

/** What is remembered of a file that is a version of the library. */
export function memoryOf({ landing: { object }, file, known }: Decision, entryId: number | null): Omit<FilePlaced, 'stat'> {
  const {
    content_hash: hash,
    blob_size: size,
    asset_class: assetClass,
    lineage_id: lineageId,
    object_id: objectId,
    origin_path,
  } = object
  const base = { hash, guid: null, assetClass, lineageId, objectId, entryId }
  return { file, hash, size, packageName: origin_path?.toLowerCase() ?? null, base, linked: known?.linked ?? false }
}

/** Places what was staged in `folder`. A file that was touched meanwhile stays, as a conflict that was kept. */
export async function placePlanned(
  { fingerprints, target, tell }: PullParts,
  planned: readonly Planned[],
  { jobId, folder, entryIds }: { jobId: number; folder: string; entryIds: ReadonlyMap<number, number> },
): Promise<PlacingResult> {
  const stagedPath = ({ item }: Planned) => join(folder, item.content_hash)
  const staged = planned.map((one) => lstatSync(stagedPath(one), { bigint: true }))
  const memories = planned.map(({ decision, item }, index) => {
    const memory = memoryOf(decision, entryIds.get(item.object_id) ?? null)
    return { ...memory, linked: ((staged[index]?.mode ?? anyWrite) & anyWrite) === 0n }
  })
  fingerprints.pulls.intend(
    jobId,
    planned.map((one, index): IntendedFile<Intention> => {
      const { decision, item } = one
      const placed = memories[index] as Omit<FilePlaced, 'stat'>
      const replacedMark = decision.stats ? placeMark(decision.stats) : null
      const mark = placeMark(staged[index] as BigIntStats)
      return { contentHash: item.content_hash, file: item.file, mark, item: { item, placed, replacedMark } }
    }),
  )
  const results: PlacingResult = { items: [], obstacles: [], remembered: [] }
  const placements = planned.map((one) => ({
    staged: stagedPath(one),
    path: one.decision.path,
    replaced: one.decision.stats,
    backup: one.item.backup === undefined ? undefined : join(target.root, one.item.backup),
  }))
  await placeAll(placements, (index, placed) => {
    const [one, memory] = [planned[index], memories[index]]
    if (!one || !memory) return
    if (placed.result === 'placed') results.remembered.push({ ...memory, stat: placed.stat })
    results.items.push(outcomeOf(one.item, placed, results.obstacles))
    tell({ kind: 'place', files: index + 1, totalFiles: planned.length })
  })
  fingerprints.savePlaced(results.remembered)
  return results
}

function outcomeOf(item: PulledFile, placed: Placed, obstacles: Obstacle[]): PulledFile {
  if (placed.result === 'placed') return item
  const { backup: _backup, replaced_object_id: _replaced, ...rest } = item
  if (placed.result === 'changed') return { ...rest, outcome: 'kept' }
  const found = isFullCode(placed.code)
    ? obstacle('disk-full', item.file, `${item.file} could not be placed: its disk is full (${placed.code}).`)
    : obstacle('not-placed', item.file, `${item.file} could not be placed (${placed.code}).`)
  obstacles.push(found)
  return { ...rest, outcome: 'failed', error: found.message }
}

/** What a killed run of this job had placed: what it would have reported, by content hash. The rest is to be done still. */
export function settleIntended({ fingerprints, target }: PullParts, jobId: number, folder: string): Map<string, PulledFile> {
  const done = new Map<string, PulledFile>()
  const remembered: FilePlaced[] = []
  for (const { contentHash, file, mark, item: intention } of fingerprints.pulls.intended<Intention>(jobId)) {
    const now = lstatSync(join(target.root, file), { bigint: true, throwIfNoEntry: false })
    const staged = join(folder, contentHash)
    if (!now || !isPlaced(placeMark(now), mark, staged)) continue
    // Whoever edited it since has edited the version that was placed.
    const stat = placeMark(now) === mark ? statKey(now) : neverTrusted
    remembered.push({ ...intention.placed, stat })
    done.set(contentHash, keepEdit(intention, { held: heldName(staged), root: target.root, jobId }))
  }
  fingerprints.savePlaced(remembered)
  return done
}

/** Renaming keeps inode and device; an editor that saved it since has made another file, and then the staged one is gone too. */
function isPlaced(now: string, mark: string, staged: string): boolean {
  if (identity(now) === identity(mark)) return true
  const isStagingThere = lstatSync(dirname(staged), { throwIfNoEntry: false }) !== undefined
  return isStagingThere && lstatSync(staged, { throwIfNoEntry: false }) === undefined
}

const identity = (mark: string): string => mark.split(':').slice(2).join(':')

/** Killed between replacing a file and looking at it again: if somebody wrote into it just then, it is kept as a backup. */
function keepEdit(
  { item, replacedMark }: Intention,
  { held, root, jobId }: { held: string; root: string; jobId: number },
): PulledFile {
  const stats = lstatSync(held, { bigint: true, throwIfNoEntry: false })
  if (!stats) return item
  if (replacedMark === placeMark(stats)) {
    rmSync(held)
    return item
  }
  const backup = `Saved/PropHouse/Backups/edited during pull ${jobId}/${item.file}`
  mkdirSync(dirname(join(root, backup)), { recursive: true })
  renameSync(held, join(root, backup))
  return { ...item, outcome: 'overwritten', backup }
}

/** Placing and remembering: what is written down before the first file of a pull is placed, and what follows from how it went. */

import { randomUUID } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isFullCode } from '../../../system/disk-codes.ts'
import { isDiskFull, systemCode } from '../../client-error.ts'
import type { IntendedFile } from '../../memory/open-pulls.ts'
import type { FilePlaced } from '../../memory/project-memory.ts'
import type { Decision } from '../compare.ts'
import { type Obstacle, obstacle } from '../obstacle.ts'
import type { PullParts } from '../options.ts'
import type { PulledFile } from '../report.ts'
import { fileIdentity } from './file-identity.ts'
import { PlaceJournal } from './journal.ts'
import { type Placed, placeAll } from './place.ts'
import { heldName, isHeldName } from './set-aside.ts'
import type { Intention } from './settle-set-aside.ts'
import { keepEdit, settleHeld } from './settle-set-aside.ts'

/** A file that is to be placed, with what is reported of it when that is done. */
export interface Planned {
  decision: Decision
  item: PulledFile
}

const anyWrite = 0o222n

export interface PlacingResult {
  items: PulledFile[]
  obstacles: Obstacle[]
  /** Files that are in place, with what is remembered of them. */
  remembered: FilePlaced[]
}

interface PlacingOrder {
  jobId: number
  /** Where the files are staged. */
  folder: string
  entryIds: ReadonlyMap<number, number>
}

/** What is remembered of a file that is a version of the library. */
function memoryOf({ pullFile: { object }, file, known }: Decision, entryId: number | null): Omit<FilePlaced, 'stat'> {
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

/** Files that are in place already, and that memory does not know to be this version. */
export const notYetKnown = (identical: readonly Decision[], entryIds: PlacingOrder['entryIds']): FilePlaced[] =>
  identical.flatMap((decision) => {
    const { localStat, known, pullFile } = decision
    const placedAs = memoryOf(decision, entryIds.get(pullFile.object.object_id) ?? null)
    const isKnown =
      known?.stat === localStat && known?.base?.objectId === placedAs.base.objectId && known.base.hash === placedAs.hash
    return isKnown || localStat === undefined ? [] : [{ ...placedAs, stat: localStat }]
  })

/** Places what was staged in `folder`. A file that was touched meanwhile stays, as a conflict that was kept. */
export async function placePlanned(
  parts: PullParts,
  planned: readonly Planned[],
  { jobId, folder, entryIds }: PlacingOrder,
): Promise<PlacingResult> {
  const { memory, target, tell } = parts
  const stagedPath = ({ item }: Planned) => join(folder, item.content_hash)
  const staged = planned.map((one) => lstatSync(stagedPath(one), { bigint: true }))
  const journal = `placed-${randomUUID()}`
  const intended = planned.map((one, index) => {
    const placedAs = memoryOf(one.decision, entryIds.get(one.item.object_id) ?? null)
    const linked = ((staged[index]?.mode ?? anyWrite) & anyWrite) === 0n
    return intentionOf(one, { placed: { ...placedAs, linked }, staged: staged[index] as BigIntStats, folder, journal, index })
  })
  memory.pulls.intend(jobId, intended)
  const results: PlacingResult = { items: [], obstacles: [], remembered: [] }
  const placements = planned.map((one) => ({
    staged: stagedPath(one),
    path: one.decision.path,
    replaced: one.decision.stats,
    replacedHash: one.decision.localHash,
    backup: one.item.backup === undefined ? undefined : join(target.root, one.item.backup),
  }))
  const notes = openJournal(folder, journal, planned.length)
  if ('message' in notes) return { ...results, obstacles: [notes] }
  try {
    const onPlaced = (index: number, placed: Placed) => {
      const [one, placedAs] = [planned[index], intended[index]?.item.placed]
      if (!one || !placedAs) return
      if (placed.result === 'placed') results.remembered.push({ ...placedAs, stat: placed.stat })
      const held = { path: heldName(stagedPath(one)), root: target.root, jobId }
      const item = outcomeOf(one.item, placed, results.obstacles)
      results.items.push(placed.result === 'placed' && placed.isHeld ? keepEdit(item, held) : item)
      tell({ kind: 'place', files: index + 1, totalFiles: planned.length })
    }
    await placeAll(placements, onPlaced, notes)
  } finally {
    notes.close()
  }
  memory.savePlaced(results.remembered)
  await settleLeft(parts, intended, { jobId, folder })
  return results
}

function intentionOf(
  { decision, item }: Planned,
  {
    placed,
    staged,
    ...order
  }: Pick<Intention, 'placed'> & { staged: BigIntStats; folder: string; journal: string; index: number },
): IntendedFile<Intention> {
  const { stats, localHash, known } = decision
  const before = {
    replacedMark: stats ? fileIdentity(stats) : null,
    replacedHash: localHash ?? null,
    baseBefore: known?.base?.objectId ?? null,
  }
  return {
    contentHash: item.content_hash,
    file: item.file,
    identity: fileIdentity(staged),
    item: { item, placed, ...before, ...order },
  }
}

/** Or what keeps it from being there: without it nothing is placed. */
function openJournal(folder: string, name: string, files: number): PlaceJournal | Obstacle {
  try {
    return new PlaceJournal(folder, name, files)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return obstacle('disk-full', folder, `The disk of ${folder} is full (${systemCode(error)}).`)
  }
}

/** What is held still belongs to files that were not placed. */
async function settleLeft(
  { target }: PullParts,
  intended: readonly IntendedFile<Intention>[],
  { jobId, folder }: { jobId: number; folder: string },
): Promise<void> {
  const left = new Set(readdirSync(folder).filter(isHeldName))
  if (left.size === 0) return
  for (const one of intended)
    if (left.has(heldName(one.contentHash)))
      await settleHeld(one, { staged: join(folder, one.contentHash), root: target.root, jobId })
}

function outcomeOf(item: PulledFile, placed: Placed, obstacles: Obstacle[]): PulledFile {
  if (placed.result === 'placed') return item
  const { backup: _backup, replaced_object_id: _replaced, restored_by: _restored, ...rest } = item
  if (placed.result === 'changed') return { ...rest, outcome: 'kept' }
  const found = isFullCode(placed.code)
    ? obstacle('disk-full', item.file, `${item.file} could not be placed: its disk is full (${placed.code}).`)
    : obstacle('not-placed', item.file, `${item.file} could not be placed (${placed.code}).`)
  obstacles.push(found)
  return { ...rest, outcome: 'failed', error: found.message }
}

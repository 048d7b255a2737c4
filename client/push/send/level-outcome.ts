/** What the library made of a level's parts: what is remembered of it, and which of them it kept as they were. */
import { isPartOf } from '../../../contract/level-parts.ts'
import type { PartsOutcome } from '../../../contract/level-sets.ts'
import type { LevelParts } from '../../memory/level-parts.ts'
import type { PlannedItem } from '../plan/plan.ts'
import type { Outcomes } from './outcomes.ts'

/** A part that others changed too is held; the level was told of all others. */
export function holdKept(outcomes: Outcomes, { kept }: PartsOutcome): void {
  for (const { content_hash, reason } of kept)
    if (content_hash && reason === 'parts_conflict') outcomes.hold(content_hash, { reason, candidate_lineage_id: null })
}

/** Remembers what was told. Says whether the library has all of it, so that nothing is left to tell. */
export function rememberParts(
  levels: LevelParts,
  {
    planned,
    lineageId,
    sent,
    outcome,
  }: { planned: PlannedItem; lineageId: string; sent: PlannedItem['item']; outcome: PartsOutcome },
): boolean {
  const { level, item } = planned
  if (!level || !sent.parts) return true
  const ownPath = item.origin_path ?? ''
  const { base, before, set, parts, stale, kept } = outcome
  if (level.base !== undefined && base === null) {
    levels.forget(lineageId)
    return false
  }
  const hashes = new Map((sent.parts.put ?? []).map(({ path, content_hash }) => [path, content_hash]))
  const keptPaths = new Set(kept.map(({ path }) => path))
  const put = level.put.filter(({ path, hash }) => hashes.get(path) === hash && !keptPaths.has(path))
  const removed = new Set(sent.parts.remove)
  const remove = level.remove.filter(({ path }) => removed.has(path) && !keptPaths.has(path))
  const isWhole = kept.length === 0 && put.length === level.put.length && remove.length === level.remove.length
  // A level that has moved has left the parts of its old place.
  const left = level.base === undefined ? levels.find(lineageId).parts.filter(({ path }) => !isPartOf(path, ownPath)) : []
  // What others changed meanwhile is not here: the set that was known stays the one to compare with.
  const knowsAll = isWhole && stale === 0 && (base === null ? before === null || parts === put.length : before === base)
  levels.change(lineageId, { set: (knowsAll ? set : base) ?? undefined, put, remove: [...remove, ...left] })
  return isWhole
}

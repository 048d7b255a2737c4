/** Taking back own pushes: what is asked, what is answered, and what stands in the way (contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { absentOrNull, Count, Hash, Id, LineageId, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()

/** What someone can have done with a version that keeps it from being taken back. */
export const pushUses = [
  'pulled',
  'downloaded',
  'restored',
  'reviewed',
  'commented',
  'curated',
  'checked_out',
  'built_on',
  'referred_to',
  'pushed',
] as const

/**
 * What stands in the way of taking back a push: who did what with which version. `object_id` is null where it was done with the entry.
 * `at` is null where the moment is not kept.
 */
export const PushUse = Type.Object({
  lineage_id: LineageId,
  entry_id: nullable(Id),
  object_id: nullable(Id),
  name: nullable(Text),
  did: oneOf(pushUses),
  by: nullable(UserStub),
  at: nullable(Timestamp),
})
export type PushUse = Static<typeof PushUse>

/** A lineage as it is after the undo. `current` is null where it is gone, `entry_id` and `name` also where only its entry is. */
export const UndoneLineage = Type.Object({
  lineage_id: LineageId,
  entry_id: nullable(Id),
  name: nullable(Text),
  current: nullable(Type.Object({ object_id: Id, content_hash: Hash, asset_class: Text, version: Count })),
})
export type UndoneLineage = Static<typeof UndoneLineage>

/** `undone_at`: null in a dry run. `versions`: how many the commit had registered. */
export const UndoneBatch = Type.Object({
  batch_key: Text,
  pushed_at: Timestamp,
  undone_at: nullable(Timestamp),
  versions: Count,
})

export const PushUndo = Type.Object({
  /** Of commits, from their answers; those of one push are given together. */
  batch_keys: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: limits.pushUndo.batches }),
  /** Say what it would come to, and change nothing. */
  dry_run: absentOrNull(Type.Boolean()),
})

/** `lineages`: those that the commits had registered versions or entries of, as they are now. */
export const PushUndoAnswer = Type.Object({ batches: Type.Array(UndoneBatch), lineages: Type.Array(UndoneLineage) })
export type PushUndoAnswer = Static<typeof PushUndoAnswer>

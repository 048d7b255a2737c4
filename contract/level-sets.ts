/** The parts of a level, its external actors and objects, as sets: one after the other, for each project (contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { absentOrNull, Count, Hash, Id, LineageId, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'
import { PackagePath } from './version-facts.ts'

const many = { maxItems: limits.levelParts }

/**
 * What a push changes of a level's parts, against the set that its sender knew. `put`: files that came or changed, in this manifest or in
 * the library. `remove`: package paths of those that left. `base` null: nothing is removed, and bytes that an earlier set had at that
 * path change nothing.
 */
export const PartsChange = Type.Object({
  base: absentOrNull(Id),
  put: absentOrNull(Type.Array(Type.Object({ path: PackagePath, content_hash: Hash }), many)),
  remove: absentOrNull(Type.Array(PackagePath, many)),
})
export type PartsChange = Static<typeof PartsChange>

/** Why a part keeps the file of the set before. `parts_conflict`: the same path was changed in the library too since `base`. */
export const partRefusals = ['parts_conflict', 'part_locked', 'held', 'denied', 'locked'] as const

/** A part that keeps the file of the set before; `content_hash` is null for one that was to be removed. */
export const KeptPart = Type.Object({ path: PackagePath, content_hash: nullable(Hash), reason: oneOf(partRefusals) })
export type KeptPart = Static<typeof KeptPart>

/**
 * What became of a change. `set`: the newest set of the project now; null where there is none, or it is still to be made. `before`: the newest
 * one before this push; where it is the `base` that was sent, the sender knows all of `set`. `base` is null where the library does not know
 * the one that was sent. `parts`: how many `set` holds. The other counts are those of this change, all 0 where it made no new set; `stale`:
 * files that an earlier set had, which changed nothing.
 */
export const PartsOutcome = Type.Object({
  set: nullable(Id),
  number: nullable(Count),
  base: nullable(Id),
  before: nullable(Id),
  added: Count,
  changed: Count,
  removed: Count,
  parts: Count,
  stale: Count,
  kept: Type.Array(KeptPart),
})
export type PartsOutcome = Static<typeof PartsOutcome>

/** A set. `number` counts from 1 for each project. `parts`: how many it holds; the other counts are against the set before. */
export const LevelSet = Type.Object({
  id: Id,
  lineage_id: LineageId,
  /** The name of the project; null for pushes that named none. */
  project: nullable(Type.String()),
  number: Count,
  /** The version of the level's own file that it was pushed with. */
  object_id: Id,
  author: nullable(UserStub),
  created_at: Timestamp,
  note: nullable(Type.String()),
  parts: Count,
  added: Count,
  changed: Count,
  removed: Count,
})
export type LevelSet = Static<typeof LevelSet>

/** What people call a part of a level: `label` is that of the outliner, null where its file has none or was sent before the library read it. */
export const partName = { path: PackagePath, asset_class: Type.String(), label: nullable(Type.String()) }
export const NamedPart = Type.Object(partName)
export type NamedPart = Static<typeof NamedPart>

/** A part of a set. `change`: what the set did to it since another one; `object_id` and `content_hash` are null for one that left. */
export const SetPart = Type.Object({
  ...partName,
  object_id: nullable(Id),
  content_hash: nullable(Hash),
  change: Type.Optional(oneOf(['added', 'changed', 'removed'])),
})
export type SetPart = Static<typeof SetPart>

/** The newest set of a level in a project. */
export const NewestSet = Type.Object({
  id: Id,
  project: nullable(Type.String()),
  number: Count,
  /** The name of who made it; null where that account is gone. */
  author: nullable(Type.String()),
  created_at: Timestamp,
})
export type NewestSet = Static<typeof NewestSet>

/** Of a level in a closure: the set whose parts are in it. Absent for what has none. */
export const memberSet = { set: Type.Optional(nullable(Id)) }

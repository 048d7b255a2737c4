/** What goes along with an entry when it is asked for: its versions, its closure, what needs it (an addition of ours; contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { ClosureMember, DependentsMember } from './closure-members.ts'
import { dependencyModes } from './dependency-modes.ts'
import { LevelSet, SetPart } from './level-sets.ts'
import { Lineage } from './lineages.ts'
import { Count, Id, oneOf } from './shapes.ts'

/** Files that an entry needs, itself first. `dependencies`: in which versions, where that was asked. */
export const EntryClosure = Type.Object({
  entry_id: Id,
  root_object_id: Id,
  dependencies: Type.Optional(oneOf(dependencyModes)),
  total_objects: Count,
  total_bytes: Count,
  members: Type.Array(ClosureMember),
})
export type EntryClosure = Static<typeof EntryClosure>

/**
 * Files that need the current version of an entry. `dependencies`, where that was asked: `current` for files that are current and refer to any version
 * of it, as a pull of them brings it.
 */
export const EntryDependents = Type.Object({
  entry_id: Id,
  root_object_id: Id,
  dependencies: Type.Optional(oneOf(dependencyModes)),
  total_objects: Count,
  used_by_entries: Count,
  members: Type.Array(DependentsMember),
})
export type EntryDependents = Static<typeof EntryDependents>

/** The newest sets of a level's external actors, and what the newest one changed of the one before it in the same project. `more`: it changed more than is listed. */
export const LevelActors = Type.Object({
  sets: Type.Array(LevelSet),
  changes: Type.Array(SetPart),
  more: Type.Boolean(),
})
export type LevelActors = Static<typeof LevelActors>

/** What may be asked for with an entry. */
export const entryParts = ['lineage', 'closure', 'dependents', 'actors'] as const
export type EntryPart = (typeof entryParts)[number]

/**
 * Each is there that was asked for, but `actors` only of a level that has any. `refused`: a part that could not be answered, such as
 * one that is more than an answer holds, with what the route says that answers it alone.
 */
export const EntryParts = Type.Object({
  lineage: Type.Optional(Lineage),
  closure: Type.Optional(EntryClosure),
  dependents: Type.Optional(EntryDependents),
  actors: Type.Optional(LevelActors),
  refused: Type.Optional(Type.Array(Type.Object({ part: oneOf(entryParts), code: Type.String(), message: Type.String() }))),
})
export type EntryParts = Static<typeof EntryParts>

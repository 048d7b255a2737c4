/** Lineages: the version history of one prop (contract-gaps 4). */
import { type Static, type TSchema, Type } from 'typebox'
import { LevelSet, NamedPart, NewestSet, partName, SetPart } from './level-sets.ts'
import { limits } from './limits.ts'
import { Lock } from './locks.ts'
import { EntryMetadata } from './metadata.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  Cursor,
  Hash,
  Id,
  LibraryEpoch,
  LineageId,
  lineageAnchors,
  named,
  nullable,
  oneOf,
  PageLimit,
  reviewStates,
  Timestamp,
} from './shapes.ts'
import { placelessName, versionFacts, versionOrigin } from './version-facts.ts'

const Text = Type.String()

/** One version in a lineage. */
export const LineageObject = Type.Object({
  object_id: Id,
  content_hash: Hash,
  blob_size: Count,
  asset_class: Text,
  asset_name: nullable(Text),
  origin_path: nullable(Text),
  engine_version: nullable(Text),
  source_ext: nullable(Text),
  parent_object_id: nullable(Id),
  published_by: nullable(Type.Object({ id: Id, name: Text })),
  date_ingested: Timestamp,
  review_status: oneOf(reviewStates),
  is_face: Type.Boolean(),
  /** Of an external actor of a level: what the outliner calls it. */
  label: Type.Optional(partName.label),
  ...versionFacts,
  ...versionOrigin,
})
export type LineageObject = Static<typeof LineageObject>

/** A lineage with its versions, newest first. */
export const Lineage = Type.Object({
  id: LineageId,
  anchor: oneOf(lineageAnchors),
  package_guid: nullable(Text),
  entry_id: nullable(Id),
  face_object_id: Id,
  created_at: Timestamp,
  /** Who has it checked out now. */
  lock: nullable(Lock),
  objects: Type.Array(LineageObject),
})
export type Lineage = Static<typeof Lineage>

/** A version that another one needs directly. `hard`: it cannot be without it. */
export const DirectNeed = Type.Object({
  object_id: Id,
  lineage_id: LineageId,
  entry_id: nullable(Id),
  asset_name: nullable(Text),
  origin_path: nullable(Text),
  source_ext: nullable(Text),
  version: versionFacts.version,
  hard: Type.Boolean(),
})
export type DirectNeed = Static<typeof DirectNeed>

/** Everything about one version, current or not: what its entry shows of the current one. */
export const VersionDetail = Type.Object({
  lineage_id: LineageId,
  entry_id: nullable(Id),
  ...LineageObject.properties,
  metadata: EntryMetadata,
  thumbnail_artifact_id: nullable(Id),
  preview_artifact_id: nullable(Id),
  preview_kind: nullable(Text),
  /** In the order of their paths. */
  needs: Type.Array(DirectNeed),
})
export type VersionDetail = Static<typeof VersionDetail>

/**
 * Since when a version is current, by whom, and how it became that: it was pushed, restored, or a later one was undone. `by` is null where that
 * account is gone. Servers that do not say it leave it out.
 */
export const CurrentSince = Type.Object({
  by: nullable(Type.Object({ id: Id, name: Text })),
  at: Timestamp,
  how: oneOf(['push', 'restore', 'undo']),
})
export type CurrentSince = Static<typeof CurrentSince>

/** The current version of a lineage, without its history. */
export const LineageFace = Type.Object({
  id: LineageId,
  entry_id: nullable(Id),
  face_object_id: Id,
  face_content_hash: Hash,
  face_version: Type.Optional(Id),
  /** When it was pushed. Servers that do not say it leave it out. */
  face_date_ingested: Type.Optional(Timestamp),
  /** Who pushed it: the id of a member. Servers that do not say it leave it out. */
  face_published_by: Type.Optional(nullable(Id)),
  /** The project that it was pushed from first. Servers that do not say it leave it out. */
  face_pushed_from: Type.Optional(nullable(Text)),
  current_since: Type.Optional(CurrentSince),
  origin_path: nullable(Text),
  package_name: placelessName,
  source_ext: nullable(Text),
  /** Who has it checked out now. Servers that do not say it leave it out. */
  lock: Type.Optional(nullable(Lock)),
  /** Of a part of a level: what people call it. Absent for all else. */
  part: Type.Optional(NamedPart),
  /** Of a level: the newest set of its parts in each project, that of the first project first. Absent for what has none. */
  sets: Type.Optional(Type.Array(NewestSet)),
})
export type LineageFace = Static<typeof LineageFace>

/** Who deleted a prop from the library, and when. Kept for a year. */
export const Deletion = Type.Object({
  /** What the prop was called. */
  name: nullable(Text),
  at: Timestamp,
  /** Null where that account is gone. */
  by: nullable(Type.Object({ id: Id, name: Text })),
})
export type Deletion = Static<typeof Deletion>

/** A lineage whose entry was deleted, with what it was found by of all that was asked. What another prop of the library has by now is left out. */
export const DeletedLineage = Type.Object({
  lineage_id: LineageId,
  ...Deletion.properties,
  content_hashes: Type.Array(Hash),
  package_guids: Type.Array(Text),
  origin_paths: Type.Array(Type.Object({ origin_path: Text, source_ext: nullable(Text) })),
})
export type DeletedLineage = Static<typeof DeletedLineage>

/** A version that has the bytes of a content hash, and where it was pushed from. Servers that do not say the place leave it out. */
export const FoundVersion = Type.Object({
  content_hash: Hash,
  object_id: Id,
  lineage_id: LineageId,
  origin_path: Type.Optional(nullable(Text)),
  source_ext: Type.Optional(nullable(Text)),
})
export type FoundVersion = Static<typeof FoundVersion>

const many = <S extends TSchema>(item: S) => absentOrNull(Type.Array(item, { maxItems: limits.lineagesFound }))

/** What lies at a path of a project: `path` in lower case, of source files with their extension. */
export const Place = Type.Object({ path: Text, lineage_id: LineageId })
/** A current version of another prop that refers to a path where versions were pushed from; at most 20 for each path. */
export const Referrer = Type.Object({ path: Text, object_id: Id, lineage_id: Type.Optional(LineageId), name: nullable(Text) })
export type Referrer = Static<typeof Referrer>
export type Place = Static<typeof Place>

/**
 * Which lineages are meant, in several ways at once. By GUIDs, and by the names of props, only deleted ones are found. `places`: those that lie
 * in a project by its last pushes, at some paths or a page of all; `after` is what the page before ended with.
 */
const question = Type.Object({
  lineage_ids: many(LineageId),
  content_hashes: many(Hash),
  origin_paths: many(Type.String({ maxLength: 1000 })),
  package_guids: many(Type.String({ maxLength: 100 })),
  names: many(Type.String({ maxLength: limits.names.entry })),
  places: absentOrNull(
    Type.Object({
      project: Type.String({ minLength: 1, maxLength: limits.pullJob.projectName }),
      paths: many(Type.String({ maxLength: 1000 })),
      after: Type.Optional(Count),
    }),
  ),
})

/**
 * `cursor`: the change feed's head before anything was read. What was not found is left out. `deleted`: props that were deleted within a
 * year; one that something still needs is among `lineages` too, without an entry. `referred`: those of the paths, in lower case, to which
 * versions that the library keeps refer; what lay there may have moved on. `referrers`: where paths were asked for, which current versions
 * refer to them, 20 for each at most, those that lie in the project first. `places`: as asked for, their lineages among `lineages`; `places_next` is where the next page goes on, null at the end.
 * Servers that do not say these leave them out.
 */
const foundLineages = Type.Object({
  cursor: Count,
  lineages: Type.Array(LineageFace),
  versions: Type.Array(FoundVersion),
  deleted: Type.Optional(Type.Array(DeletedLineage)),
  referred: Type.Optional(Type.Array(Text)),
  places: Type.Optional(Type.Array(Place)),
  places_next: Type.Optional(nullable(Count)),
  referrers: Type.Optional(Type.Array(Referrer)),
  library_epoch: Type.Optional(LibraryEpoch),
})
export type FoundLineages = Static<typeof foundLineages>

export const lineages = routes({
  find: {
    method: 'POST',
    path: '/lineages/find',
    scope: 'read',
    summary:
      'Say which version is current of many lineages, and which were deleted: by their ids, the content of any version, the path of the current one, or as those that lie in a project.',
    input: question,
    bodyBytes: limits.questionBodyBytes,
    output: foundLineages,
    transaction: false,
    repeatable: true,
    extension: true,
    errors: ['VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/lineages/{lineage_id}',
    scope: 'read',
    summary:
      'Show a lineage with all its versions, newest first. A deleted one is LINEAGE_NOT_FOUND with `details.deleted` `{name, at, by}` for a year.',
    input: Type.Object({ lineage_id: Type.String({ minLength: 1 }) }),
    output: Lineage,
    errors: ['LINEAGE_NOT_FOUND'],
  },
  parts: {
    method: 'GET',
    path: '/lineages/{lineage_id}/parts',
    scope: 'read',
    summary: "List the sets of a level's external actors and objects, newest first, of one project or of all.",
    input: Type.Object({
      lineage_id: Type.String({ minLength: 1 }),
      project: Type.Optional(named(limits.pullJob.projectName)),
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(Cursor),
    }),
    output: Type.Object({ sets: Type.Array(LevelSet), next_cursor: nullable(Type.String()) }),
    extension: true,
    errors: ['LINEAGE_NOT_FOUND', 'VALIDATION'],
  },
  setParts: {
    method: 'GET',
    path: '/lineages/{lineage_id}/parts/{set}',
    scope: 'read',
    summary: 'List what one set of a level holds, or with `since`, another set of the level, what changed from that one to it.',
    input: Type.Object({
      lineage_id: Type.String({ minLength: 1 }),
      set: Id,
      since: Type.Optional(Id),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.lineagesFound })),
      cursor: Type.Optional(Cursor),
    }),
    output: Type.Object({ set: LevelSet, parts: Type.Array(SetPart), next_cursor: nullable(Type.String()) }),
    extension: true,
    errors: ['LINEAGE_NOT_FOUND', 'NOT_FOUND', 'VALIDATION'],
  },
  version: {
    method: 'GET',
    path: '/lineages/{lineage_id}/versions/{object_id}',
    scope: 'read',
    summary: 'Show everything about one version, current or not, with its measures, its pictures and what it needs directly.',
    input: Type.Object({ lineage_id: Type.String({ minLength: 1 }), object_id: Id }),
    output: VersionDetail,
    extension: true,
    errors: ['LINEAGE_NOT_FOUND', 'OBJECT_NOT_FOUND'],
  },
})

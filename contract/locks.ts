/** Locks: who has a prop checked out, and until when (spec 2, 3, 4.4; contract-gaps 5 and 9). */
import { type Static, Type } from 'typebox'
import { NamedPart } from './level-sets.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  Hash,
  Id,
  LineageId,
  named,
  nullable,
  oneOf,
  PageLimit,
  reviewStates,
  Timestamp,
  UserStub,
} from './shapes.ts'

const Text = Type.String()
const { lock: most } = limits

/** A check-out of a lineage. `active` is false from `expires_at` on, released or not. */
export const Lock = Type.Object({
  id: Id,
  lineage_id: LineageId,
  holder: UserStub,
  note: nullable(Text),
  /** The version that the holder works from. */
  base_object_id: nullable(Id),
  created_at: Timestamp,
  expires_at: Timestamp,
  released_at: nullable(Timestamp),
  active: Type.Boolean(),
  /** There where its holder was disabled: an owner or admin of the workspace can release it. */
  holder_left: Type.Optional(Type.Boolean()),
})
export type Lock = Static<typeof Lock>

/** What is checked out: the current version. `entry_id` is null for a file that is no entry. */
export const Checkout = Type.Object({
  entry_id: nullable(Id),
  object_id: Id,
  content_hash: Hash,
  blob_url: Text,
  suggested_filename: Text,
})
export type Checkout = Static<typeof Checkout>

const Taken = { lock: Lock, checkout: Checkout }
const terms = {
  note: absentOrNull(Type.String({ maxLength: limits.note })),
  ttl_hours: absentOrNull(Type.Integer({ minimum: 1, maximum: most.hours })),
}
const LineageIds = Type.Array(LineageId, { minItems: 1, maxItems: most.many })

/** What people call a lineage. `name`: its entry's, else its file's. `part`: an external actor or object of a level, which is no entry. */
const lineageName = { entry_id: nullable(Id), name: nullable(Text), part: Type.Optional(NamedPart) }

/** A lineage of which a list has locks. `face_object_id`: its current version. */
export const LockedLineage = Type.Object({ lineage_id: LineageId, ...lineageName, face_object_id: Type.Optional(Id) })
export type LockedLineage = Static<typeof LockedLineage>

/** Who asks: a member, and what the key may do. An addition of ours, which saves two requests. */
export const Asker = Type.Object({ id: Id, role: oneOf(['admin', 'member']), scope: oneOf(['read', 'write']) })
export type Asker = Static<typeof Asker>

/** How the lock on the radar stands to the lineage that was asked about. */
export const relations = ['self', 'dependency', 'dependent'] as const

/** Older servers leave `name` out. */
export const RadarLock = Type.Object({
  lock: Lock,
  relation: oneOf(relations),
  ...lineageName,
  name: Type.Optional(nullable(Text)),
})
export type RadarLock = Static<typeof RadarLock>
export const RadarEditor = Type.Object({ session_id: Text, project_key: Text, user: UserStub })
export type RadarEditor = Static<typeof RadarEditor>

/**
 * Locks, reviews and editors around one lineage. `locks` lists the nearest; `more_locks` counts the others. `needs_left_out` is true when
 * the requested lineages have too many dependencies: `locks` then lists no locks on dependencies.
 */
export const RadarLineage = Type.Object({
  lineage_id: LineageId,
  /** Of its current version. */
  review_status: oneOf(reviewStates),
  locks: Type.Array(RadarLock),
  more_locks: Count,
  editors: Type.Array(RadarEditor),
  needs_left_out: Type.Optional(Type.Literal(true)),
})
export type RadarLineage = Static<typeof RadarLineage>

export const locks = routes({
  create: {
    method: 'POST',
    path: '/locks',
    scope: 'write',
    summary: 'Check a lineage out; asked again by its holder, move its end and, where one is sent, replace its note.',
    input: Type.Object({ lineage_id: LineageId, ...terms }),
    /** `created`: whether it is a new lock. */
    output: Type.Object({ ...Taken, created: Type.Boolean() }),
    created: 'created',
    errors: ['LOCKED', 'LINEAGE_NOT_FOUND', 'VALIDATION'],
  },
  batch: {
    method: 'POST',
    path: '/locks/batch',
    scope: 'write',
    effect: 'replaces',
    summary: 'Check out many lineages, all of them or none; with `steal` (admins) from those who have them.',
    input: Type.Object({
      lineage_ids: LineageIds,
      ...terms,
      steal: absentOrNull(Type.Object({ reason: named(limits.note) })),
    }),
    output: Type.Object({ locks: Type.Array(Type.Object(Taken)) }),
    status: 201,
    extension: true,
    errors: ['LOCKED', 'LINEAGE_NOT_FOUND', 'FORBIDDEN', 'VALIDATION'],
  },
  release: {
    method: 'POST',
    path: '/locks/release',
    scope: 'write',
    effect: 'replaces',
    summary: 'Release many locks, all of them or none. Answers how many were active until now.',
    input: Type.Object({ lock_ids: Type.Array(Id, { minItems: 1, maxItems: most.many }) }),
    output: Type.Object({ released: Count }),
    repeatable: true,
    extension: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION'],
  },
  radar: {
    method: 'POST',
    path: '/locks/radar',
    scope: 'read',
    summary:
      'Say what goes on around lineages: locks on them, on what their current versions need and on what needs them directly, reviews, and online editors of projects into which they were pulled.',
    input: Type.Object({ lineage_ids: LineageIds }),
    output: Type.Object({ lineages: Type.Array(RadarLineage), you: Type.Optional(Asker) }),
    transaction: false,
    repeatable: true,
    extension: true,
    errors: ['LINEAGE_NOT_FOUND', 'VALIDATION'],
  },
  list: {
    method: 'GET',
    path: '/locks',
    scope: 'read',
    summary: 'List locks, newest first, those that are over too.',
    input: Type.Object({
      lineage_id: Type.Optional(LineageId),
      /** The id of a member. */
      holder: Type.Optional(Id),
      /** Only those of who asks: an addition of ours. */
      mine: Type.Optional(Type.Boolean()),
      active: Type.Optional(Type.Boolean()),
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(Id),
    }),
    /** `lineages`: what the locks are on, each once. Older servers leave it and `you` out. */
    output: Type.Object({
      locks: Type.Array(Lock),
      next_cursor: nullable(Id),
      lineages: Type.Optional(Type.Array(LockedLineage)),
      you: Type.Optional(Asker),
    }),
    errors: ['VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/locks/{lock_id}',
    scope: 'write',
    summary: 'Release a lock: its holder or an admin; one that is over stays as it is.',
    input: Type.Object({ lock_id: Id }),
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
})

/** Administration: the denylist, sweeps, storage and previews (contract-gaps 7, 9). Everything here needs the admin role. */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Hash, Id, nullable, oneOf, Timestamp } from './shapes.ts'

export const denylistKinds = ['content_hash', 'package_guid'] as const

export const DenylistRecord = Type.Object({
  id: Id,
  kind: oneOf(denylistKinds),
  value: Type.String(),
  note: nullable(Type.String()),
  created_by: nullable(Id),
  created_at: Timestamp,
})
export type DenylistRecord = Static<typeof DenylistRecord>

export const sweepKinds = ['orphan_blobs', 'unattached_attachments', 'expired_records'] as const
export type SweepKind = (typeof sweepKinds)[number]

/** `entry_id` and `name`: of the entry whose version it is; null for a file that no version has. */
export const DenylistedFile = Type.Object({
  content_hash: Hash,
  bytes: Count,
  denylist_id: Id,
  denylist_kind: oneOf(denylistKinds),
  object_id: nullable(Id),
  entry_id: nullable(Id),
  name: nullable(Type.String()),
})
export type DenylistedFile = Static<typeof DenylistedFile>

/** Files and what they take. */
const amount = { files: Count, bytes: Count }

/** `listed`: the largest of them. */
export const DenylistedFiles = Type.Object({ ...amount, listed: Type.Array(DenylistedFile) })
export type DenylistedFiles = Static<typeof DenylistedFiles>

/**
 * `candidates`, `bytes`: what would go, or was there to go; of more than a hundred thousand as many are counted. `deleted`: what went now;
 * where it is less, the same sweep again goes on. `denylisted`, of `orphan_blobs`: stored files that are on the denylist. They stay.
 */
export const Sweep = Type.Object({
  kind: oneOf(sweepKinds),
  dry_run: Type.Boolean(),
  candidates: Count,
  bytes: Count,
  deleted: Count,
  denylisted: Type.Optional(DenylistedFiles),
})
export type Sweep = Static<typeof Sweep>

export const storageKinds = ['versions', 'previews', 'thumbnails', 'attachments', 'unused'] as const

/**
 * `stored_bytes`: what counts toward `limit_bytes`; files of kind `unused` that nothing uses any more count no longer. `by_pack`, `by_month`:
 * of the files of versions, the largest pack and the newest month first. `orphaned`: what a sweep would remove now.
 */
export const StorageFigures = Type.Object({
  stored_bytes: Count,
  limit_bytes: nullable(Count),
  by_kind: Type.Array(Type.Object({ kind: oneOf(storageKinds), ...amount })),
  by_pack: Type.Array(Type.Object({ pack: Type.Object({ id: Id, name: Type.String() }), ...amount })),
  other_packs: Type.Object({ packs: Count, ...amount }),
  by_month: Type.Array(Type.Object({ month: Type.String(), ...amount })),
  orphaned: Type.Object(amount),
  denylisted: Type.Object(amount),
})
export type StorageFigures = Static<typeof StorageFigures>

export const admin = routes({
  denylist: {
    method: 'GET',
    path: '/admin/denylist',
    scope: 'admin',
    summary: 'List what may not be pushed.',
    output: Type.Object({ denylist: Type.Array(DenylistRecord) }),
    errors: ['FORBIDDEN'],
  },
  deny: {
    method: 'POST',
    path: '/admin/denylist',
    scope: 'admin',
    summary: 'Forbid a file by its hash, or a package by its GUID.',
    input: Type.Object({
      kind: oneOf(denylistKinds),
      value: Type.String({ minLength: 1, maxLength: 200 }),
      note: absentOrNull(Type.String({ maxLength: limits.note })),
    }),
    output: DenylistRecord,
    status: 201,
    errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION'],
  },
  allow: {
    method: 'DELETE',
    path: '/admin/denylist/{denylist_id}',
    scope: 'admin',
    summary: 'Take something off the denylist.',
    input: Type.Object({ denylist_id: Id }),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  },
  sweep: {
    method: 'POST',
    path: '/admin/sweeps',
    scope: 'admin',
    summary: 'Remove what nothing uses any more, after a dry run that says how much it is.',
    input: Type.Object({ kind: oneOf(sweepKinds), dry_run: Type.Boolean() }),
    output: Sweep,
    transaction: false,
    effect: 'replaces',
    errors: ['FORBIDDEN', 'DRY_RUN_REQUIRED', 'VALIDATION', 'UNAVAILABLE'],
  },
  storage: {
    method: 'GET',
    path: '/admin/storage',
    scope: 'admin',
    summary: 'Say how many bytes are stored, by kind of file, by pack and by month.',
    output: StorageFigures,
    extension: true,
    errors: ['FORBIDDEN'],
  },
  refreshPreviews: {
    method: 'POST',
    path: '/admin/previews/refresh',
    scope: 'admin',
    summary: 'Ask for the thumbnails of entries to be made anew, and for previews that could not be made.',
    input: Type.Object({
      entry_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000 })),
      all: Type.Optional(Type.Literal(true)),
    }),
    output: Type.Object({ affected: Count }),
    errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND', 'VALIDATION'],
  },
})

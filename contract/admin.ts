/** Administration: the denylist, sweeps and previews (contract-gaps 7). Everything here needs the admin role. */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Id, nullable, oneOf, Timestamp } from './shapes.ts'

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

export const Sweep = Type.Object({
  kind: oneOf(sweepKinds),
  dry_run: Type.Boolean(),
  candidates: Count,
  bytes: Count,
  deleted: Count,
})
export type Sweep = Static<typeof Sweep>

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
    errors: ['FORBIDDEN', 'DRY_RUN_REQUIRED', 'VALIDATION'],
  },
  refreshPreviews: {
    method: 'POST',
    path: '/admin/previews/refresh',
    scope: 'admin',
    summary: 'Ask for the thumbnails of entries to be made anew.',
    input: Type.Object({
      entry_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000 })),
      all: Type.Optional(Type.Literal(true)),
    }),
    output: Type.Object({ affected: Count }),
    errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND', 'VALIDATION'],
  },
})

/** Packs: where entries came from (spec 2, 4.12). Pushes make them too. */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Cursor, Id, named, nullable, PageLimit, Timestamp } from './shapes.ts'

const Text = Type.String()

export const Pack = Type.Object({
  id: Id,
  name: Text,
  source_path: nullable(Text),
  source_type: Text,
  engine_version: nullable(Text),
  product_url: nullable(Text),
  notes: nullable(Text),
  created_by: nullable(Id),
  date_added: Timestamp,
  updated_by: nullable(Id),
  date_updated: Timestamp,
  entry_count: Count,
  object_count: Count,
})
export type Pack = Static<typeof Pack>

const SourceType = Type.String({ minLength: 1, maxLength: limits.names.sourceType })

/** The fields of a pack that its maker may give. */
export const packFields = {
  source_path: absentOrNull(Type.String({ maxLength: 1000 })),
  source_type: absentOrNull(SourceType),
  engine_version: absentOrNull(Type.String({ maxLength: 40 })),
  product_url: absentOrNull(Type.String({ maxLength: 2000 })),
}
const Notes = Type.String({ maxLength: limits.description })
export const PackName = named(limits.names.pack)

export const packs = routes({
  list: {
    method: 'GET',
    path: '/packs',
    scope: 'read',
    summary: 'List the packs of the workspace by name.',
    input: Type.Object({ limit: Type.Optional(PageLimit), cursor: Type.Optional(Cursor) }),
    output: Type.Object({ packs: Type.Array(Pack), next_cursor: nullable(Text) }),
    errors: ['VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/packs/{pack_id}',
    scope: 'read',
    summary: 'Show one pack.',
    input: Type.Object({ pack_id: Id }),
    output: Pack,
    errors: ['PACK_NOT_FOUND'],
  },
  create: {
    method: 'POST',
    path: '/packs',
    scope: 'write',
    summary: 'Make a pack.',
    input: Type.Object({ name: PackName, ...packFields, notes: absentOrNull(Notes) }),
    output: Pack,
    status: 201,
    errors: ['CONFLICT', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/packs/{pack_id}',
    scope: 'write',
    summary: 'Change what is said of a pack.',
    input: Type.Object({
      pack_id: Id,
      name: Type.Optional(PackName),
      ...packFields,
      source_type: Type.Optional(SourceType),
      notes: absentOrNull(Notes),
    }),
    output: Pack,
    errors: ['PACK_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/packs/{pack_id}',
    scope: 'admin',
    summary: 'Delete a pack of which nothing was ever pulled, with its entries and its versions that nothing else uses.',
    input: Type.Object({ pack_id: Id }),
    output: Type.Object({
      pack_id: Id,
      name: Text,
      deleted_entries: Count,
      deleted_objects: Count,
      /** Versions of the pack, or of its entries, that something else needs. They stay, in the pack of what needs them. */
      kept_shared_objects: Count,
      /** Files that nothing refers to any more; the sweep of orphans removes them. */
      storage: Type.Object({ unused_files: Count, unused_bytes: Count }),
    }),
    errors: ['PACK_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
  },
})

/** Packs: where entries came from (spec 2). Pushes make them; they are read here. */
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

/** The fields of a pack that whoever makes it may give. */
export const packFields = {
  source_path: absentOrNull(Type.String({ maxLength: 1000 })),
  source_type: absentOrNull(Type.String({ minLength: 1, maxLength: limits.names.sourceType })),
  engine_version: absentOrNull(Type.String({ maxLength: 40 })),
  product_url: absentOrNull(Type.String({ maxLength: 2000 })),
}
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
})

/** Lineages: the version history of one prop (contract-gaps 4). */
import { type Static, Type } from 'typebox'
import { routes } from './route.ts'
import { Count, Hash, Id, LineageId, lineageAnchors, nullable, oneOf, reviewStates, Timestamp } from './shapes.ts'

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
  lock: nullable(Type.Object({}, { additionalProperties: true })),
  objects: Type.Array(LineageObject),
})
export type Lineage = Static<typeof Lineage>

export const lineages = routes({
  get: {
    method: 'GET',
    path: '/lineages/{lineage_id}',
    scope: 'read',
    summary: 'Show a lineage with all its versions, newest first.',
    input: Type.Object({ lineage_id: Type.String({ minLength: 1 }) }),
    output: Lineage,
    errors: ['LINEAGE_NOT_FOUND'],
  },
})

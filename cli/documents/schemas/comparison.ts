/** Documents that compare two versions of a prop. */
import { Type } from 'typebox'
import { LevelSet } from '../../../contract/level-sets.ts'
import { EntryMetadata } from '../../../contract/metadata.ts'
import { type Shapes, shape } from './shape.ts'

const Need = shape(
  '{ name: string, path: string | null, lineage_id: string | null, object_id: integer | null, version?: integer }',
)

const ComparedVersion = shape(
  `{
    file: string | null, object_id: integer | null, version?: integer, content_hash: string, blob_size: integer,
    asset_class: string, engine_version: string | null, origin_path: string | null, metadata: Measures | null,
    needs: Need[] | null, missing_dependencies: string[], plugins: string[], pushed_at: string | null,
    pushed_by: string | null, push_note: string | null, thumbnail_artifact_id: integer | null,
    preview_artifact_id: integer | null, preview_kind: string | null, source_ext: string | null
  }`,
  { Need, Measures: shape('Partial<EntryMetadata>', { EntryMetadata }) },
)

const Comparison = shape(
  `{
    identical: boolean, changes: { field: string, from: unknown, to: unknown }[],
    dependencies: { added: Need[], gone: Need[], updated: { name: string, path: string | null, from: Need, to: Need }[] } | null,
    missing: { added: string[], gone: string[] } | null, plugins: { added: string[], gone: string[] } | null
  }`,
  { Need },
)

export const AgainstApproved = shape(
  '{ version: ComparedVersion, approved: ComparedVersion | null, comparison: Comparison | null }',
  { ComparedVersion, Comparison },
)

export const comparisonShapes: Shapes = {
  diff: shape(
    `{
      lineage_id: string, entry_id: integer | null, name: string, from: ComparedVersion, to: ComparedVersion,
      comparison: Comparison,
      actors?: { from_set: Set | null, to_set: Set | null, added: string[], changed: string[], removed: string[] } | null,
      current: { object_id: integer, version?: integer } | null
    }`,
    { ComparedVersion, Comparison, Set: Type.Pick(LevelSet, ['id', 'number', 'author', 'created_at', 'note']) },
  ),
}

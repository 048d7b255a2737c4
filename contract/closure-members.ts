/** Files that an entry needs, and files that need it, as answers list them (spec 2). */
import { type Static, Type } from 'typebox'
import { memberSet, partName } from './level-sets.ts'
import { Lock } from './locks.ts'
import { Count, entryStatuses, Hash, Id, LineageId, nullable, oneOf } from './shapes.ts'
import { placelessName, versionFacts, versionOrigin } from './version-facts.ts'

const Text = Type.String()

const memberIdentity = {
  object_id: Id,
  content_hash: Hash,
  lineage_id: LineageId,
  asset_class: Text,
  asset_name: nullable(Text),
  origin_path: nullable(Text),
  blob_size: Count,
  engine_version: nullable(Text),
  source_ext: nullable(Text),
  depth: Count,
  edge: oneOf(['root', 'hard', 'soft']),
  via_object_id: nullable(Id),
  entry_id: nullable(Id),
  has_thumbnail: Type.Boolean(),
}

/** A file that an entry needs, or the entry's own (`edge: root`). `url` only when asked for with `urls=true`. */
export const ClosureMember = Type.Object({
  ...memberIdentity,
  ...versionFacts,
  source_path: versionOrigin.source_path,
  package_name: placelessName,
  shared_with_count: Count,
  /** Of an external actor of a level. Absent for what has none. */
  label: Type.Optional(partName.label),
  ...memberSet,
  /** Who has its lineage checked out now. */
  lock: Type.Optional(nullable(Lock)),
  url: Type.Optional(Text),
})
export type ClosureMember = Static<typeof ClosureMember>

/** A file that needs the queried one, directly (`depth` 1) or through others. */
export const DependentsMember = Type.Object({
  ...memberIdentity,
  entry_name: nullable(Text),
  entry_status: nullable(oneOf(entryStatuses)),
  package_name: placelessName,
})
export type DependentsMember = Static<typeof DependentsMember>

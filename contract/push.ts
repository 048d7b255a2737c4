/** Push: negotiate what is missing, upload it, commit the manifest (spec 4.9; contract-gaps 5). */
import { type Static, Type } from 'typebox'
import { PartsChange, PartsOutcome } from './level-sets.ts'
import { limits } from './limits.ts'
import { Deletion } from './lineages.ts'
import { Lock } from './locks.ts'
import { FlatMetadata, MetadataDoc } from './metadata.ts'
import { PackName, packFields } from './packs.ts'
import { PushUndo, PushUndoAnswer } from './push-undo.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  EngineVersion,
  Hash,
  Id,
  LineageId,
  lineageAnchors,
  named,
  nullable,
  OriginPath,
  oneOf,
  PackageGuid,
  plainNamed,
} from './shapes.ts'
import { PackagePath, PayloadId, PushNote, SourcePath } from './version-facts.ts'

const Text = Type.String()
const Flag = Type.Boolean()
const { manifest, names } = limits
const Ref = Type.String({ minLength: 1, maxLength: 200 })

/**
 * What an item needs, by hash: in the manifest or in the library. `hard` is true when absent. `path`: how the item refers to it, a package
 * path, of source files with their extension; where it is absent, the path of that file (an addition, contract-gaps 5).
 */
export const ManifestDependency = Type.Object({ content_hash: Hash, hard: absentOrNull(Flag), path: absentOrNull(PackagePath) })

/** Present when the file becomes a browsable entry. `make_face` is true when absent. */
export const ManifestEntry = Type.Object({
  entry_type: Type.String({ minLength: 1, maxLength: 100 }),
  name: named(names.entry),
  variant_label: absentOrNull(Type.String({ maxLength: names.entry })),
  make_face: absentOrNull(Flag),
  metadata: absentOrNull(FlatMetadata),
  variant_group_ref: absentOrNull(Ref),
})
export type ManifestEntry = Static<typeof ManifestEntry>

/** One file of a push. Null and absent mean the same in every optional field. */
export const ManifestItem = Type.Object({
  content_hash: Hash,
  asset_class: Type.String({ minLength: 1, maxLength: names.assetClass }),
  blob_size: Type.Integer({ minimum: 0, maximum: limits.blobBytes }),
  asset_name: absentOrNull(Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: names.asset })),
  origin_path: absentOrNull(OriginPath),
  engine_version: absentOrNull(EngineVersion),
  package_guid: absentOrNull(PackageGuid),
  stamped_lineage_id: absentOrNull(LineageId),
  stamped_base_hash: absentOrNull(Hash),
  expected_face_object_id: absentOrNull(Id),
  /** None of `executableKinds` (file-kinds.ts), and below /Game/Python none at all. */
  source_ext: absentOrNull(Type.String({ pattern: '^[a-z0-9]{1,12}$' })),
  metadata_doc: absentOrNull(MetadataDoc),
  dependencies: absentOrNull(Type.Array(ManifestDependency, { maxItems: manifest.dependenciesPerItem })),
  pack_ref: absentOrNull(Ref),
  entry: absentOrNull(ManifestEntry),
  attach_to_lineage: absentOrNull(LineageId),
  force_new_lineage: absentOrNull(Flag),
  /** Where it lay, relative to what was pushed. */
  source_path: absentOrNull(SourcePath),
  /** Packages that it refers to and that are neither in this push nor in the library. */
  missing_dependencies: absentOrNull(Type.Array(PackagePath, { maxItems: limits.missing.dependencies })),
  /** Plugins whose content it refers to and that is not in the library. */
  plugins: absentOrNull(Type.Array(plainNamed(limits.missing.pluginName), { maxItems: limits.missing.plugins })),
  /** Source data in the file, by id: what tells that two files hold the same mesh, picture or sound. */
  payload_ids: absentOrNull(Type.Array(PayloadId, { maxItems: limits.payloadIds })),
  /** Of a level, also of a known one: what changed of its external actors and objects (an addition, contract-gaps 9). */
  parts: absentOrNull(PartsChange),
})
export type ManifestItem = Static<typeof ManifestItem>

export const InlinePack = Type.Object({ ref: Ref, name: PackName, ...packFields })
export const InlineVariantGroup = Type.Object({
  ref: Ref,
  label: absentOrNull(Type.String({ maxLength: names.entry })),
  id: absentOrNull(Id),
})

/** The body of negotiate and of commit. New versions keep `note`, and `project` as what they were pushed from. */
export const Manifest = Type.Object({
  items: Type.Array(ManifestItem, { minItems: 1, maxItems: manifest.items }),
  pack_id: absentOrNull(Id),
  packs: absentOrNull(Type.Array(InlinePack, { maxItems: manifest.packs })),
  variant_groups: absentOrNull(Type.Array(InlineVariantGroup, { maxItems: manifest.variantGroups })),
  note: absentOrNull(PushNote),
  project: absentOrNull(plainNamed(limits.pullJob.projectName)),
})
export type Manifest = Static<typeof Manifest>

const withheld = {
  reason: Type.Optional(Text),
  held_dependencies: Type.Optional(Type.Array(Hash)),
  denied_dependencies: Type.Optional(Type.Array(Hash)),
  denylist_kind: Type.Optional(Text),
  locked_dependencies: Type.Optional(Type.Array(Hash)),
  /** Of `lineage_locked`: who has it checked out. */
  lock: Type.Optional(Lock),
}

/**
 * What would happen to one item. An item that someone else's check-out stops is `register` with the reason `lineage_locked` or
 * `depends_on_locked`: a commit would answer it as `locked`, and its bytes are not asked for. `face_…` name the current version of the lineage it would continue (contract-gaps 9).
 */
export const NegotiateItem = Type.Object({
  content_hash: Hash,
  action: oneOf(['register', 'dedup', 'hold', 'denied']),
  lineage_id: nullable(LineageId),
  lineage_anchor: nullable(oneOf(lineageAnchors)),
  parent_object_id: nullable(Id),
  existing_object_id: nullable(Id),
  probable_lost_stamp: Flag,
  candidate_lineage_id: nullable(LineageId),
  face_object_id: nullable(Id),
  face_content_hash: nullable(Hash),
  /** The prop that the item is, or would continue, was deleted from the library within a year: registering it brings that back. Absent otherwise. */
  deleted: Type.Optional(Deletion),
  /**
   * Names of other projects, at most 10, whose latest is the version that the item would become the next of, or the candidate that it looks
   * like, and that had it from elsewhere than the library: the next version would be theirs too. Absent where the project pulled a version of that prop that it had not pushed itself, and where the sender attaches the item to it or
   * says that it is new.
   */
  other_projects: Type.Optional(Type.Array(Text)),
  /** Of a level that names parts: what a commit would make of them. */
  parts: Type.Optional(PartsOutcome),
  ...withheld,
})
export type NegotiateItem = Static<typeof NegotiateItem>

/** Where and how to PUT missing bytes: exactly these headers, no Authorization. */
export const UploadTarget = Type.Object({ hash: Hash, upload_url: Text, headers: Type.Record(Text, Text) })
export type UploadTarget = Static<typeof UploadTarget>

export const NegotiateAnswer = Type.Object({
  missing_hashes: Type.Array(Hash),
  upload_mode: Type.Optional(Type.Literal('direct')),
  missing: Type.Optional(Type.Array(UploadTarget)),
  items: Type.Array(NegotiateItem),
})
export type NegotiateAnswer = Static<typeof NegotiateAnswer>

/** What became of one item. `enriched` names the fields that a dedup filled; `has_thumbnail` is an extension (contract-gaps 9). */
export const CommitResult = Type.Object({
  content_hash: Hash,
  status: oneOf(['new', 'dedup', 'held', 'denied', 'locked']),
  object_id: nullable(Id),
  lineage_id: nullable(LineageId),
  lineage_anchor: nullable(oneOf(lineageAnchors)),
  parent_object_id: nullable(Id),
  variant: Flag,
  entry_id: nullable(Id),
  entry_created: Flag,
  has_thumbnail: Type.Optional(Flag),
  variant_group_id: Type.Optional(Id),
  enriched: Type.Optional(Type.Array(Text)),
  probable_lost_stamp: Type.Optional(Flag),
  candidate_lineage_id: Type.Optional(nullable(LineageId)),
  /** Of a level that names parts. */
  parts: Type.Optional(PartsOutcome),
  ...withheld,
})
export type CommitResult = Static<typeof CommitResult>

/** The name of a folder was cut for a pack or category that is named after it: an addition of ours. */
export const CommitWarning = Type.Object({
  type: Type.Literal('name_cut'),
  field: oneOf(['pack', 'category']),
  folder: Text,
  name: Text,
  message: Text,
  content_hashes: Type.Array(Hash),
})
export type CommitWarning = Static<typeof CommitWarning>

export const CommitAnswer = Type.Object({
  pack_id: nullable(Id),
  packs: Type.Record(Text, Id),
  /** Names this commit for `POST /push/undo` (an addition, contract-gaps 9). Absent where nothing was registered or known. */
  batch_key: Type.Optional(Text),
  variant_groups: Type.Optional(Type.Record(Text, Id)),
  results: Type.Array(CommitResult),
  warnings: Type.Optional(Type.Array(CommitWarning)),
  summary: Type.Object({ new: Count, dedup: Count, held: Count, denied: Count, locked: Count, entries_created: Count }),
})
export type CommitAnswer = Static<typeof CommitAnswer>

export const push = routes({
  limits: {
    method: 'GET',
    path: '/push/limits',
    scope: 'read',
    summary: 'Say how large a manifest may be.',
    output: Type.Object({ max_items: Count, max_packs: Count, max_dependencies_per_item: Count }),
    budget: 'push',
  },
  negotiate: {
    method: 'POST',
    path: '/push/negotiate',
    scope: 'write',
    effect: 'reads',
    summary:
      'Say what would happen to each item and which bytes are missing; writes nothing. Programs, scripts, and what is no package below /Game/Python are refused by name.',
    input: Manifest,
    bodyBytes: limits.jsonBodyBytes,
    output: NegotiateAnswer,
    budget: 'push',
    transaction: false,
    repeatable: true,
    states: 'handler',
    errors: ['VALIDATION', 'PACK_NOT_FOUND', 'FORBIDDEN', 'UNAVAILABLE'],
  },
  commit: {
    method: 'POST',
    path: '/push/commit',
    scope: 'write',
    effect: 'replaces',
    summary:
      'Register the manifest in one transaction. Programs, scripts, and what is no package below /Game/Python are refused by name.',
    input: Manifest,
    bodyBytes: limits.jsonBodyBytes,
    output: CommitAnswer,
    budget: 'push',
    repeatable: true,
    // Package headers are read from the storage before the transaction that registers everything begins.
    transaction: false,
    errors: ['VALIDATION', 'PACK_NOT_FOUND', 'BLOB_MISSING', 'HASH_MISMATCH', 'STALE_FACE', 'CONFLICT', 'FORBIDDEN'],
  },
  undo: {
    method: 'POST',
    path: '/push/undo',
    scope: 'write',
    effect: 'replaces',
    extension: true,
    summary:
      'Take back own commits of the last 24 hours, all of them or none: their versions and the entries that they made go, with their references and places; what was current before is current again. What one was taken back of already stays so. CONFLICT with `details.used`, a list of {lineage_id, entry_id, object_id, name, did, by, at}, where someone else used what they brought; with `details.pushed_at` where one is older. NOT_FOUND with `details.unknown` for commits that the caller did not make. Committing the same files afterwards registers them as new.',
    input: PushUndo,
    output: PushUndoAnswer,
    budget: 'push',
    repeatable: true,
    // A dry run is a transaction that is rolled back.
    transaction: false,
    errors: ['VALIDATION', 'NOT_FOUND', 'CONFLICT'],
  },
})

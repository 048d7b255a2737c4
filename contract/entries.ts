/** Entries: list, facets, detail, closure, dependents, download, restore, export, curation (spec 2, 4.2, 4.12, 4.13; contract-gaps 4, 5, 9). */
import { type Static, Type } from 'typebox'
import { Comment } from './comments.ts'
import { closureQuery } from './dependency-modes.ts'
import { manyDownloads } from './downloads.ts'
import { entryFilters } from './entry-filters.ts'
import { EntryClosure, EntryDependents, EntryParts, entryParts } from './entry-parts.ts'
import { Facets } from './facets.ts'
import { limits } from './limits.ts'
import { EntryMetadata, type MetadataDoc } from './metadata.ts'
import { ReviewRecord } from './reviews.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  Cursor,
  entryStatuses,
  Hash,
  Id,
  LineageId,
  named,
  nullable,
  oneOf,
  PageLimit,
  previewStatuses,
  repeatable,
  reviewStates,
  Timestamp,
} from './shapes.ts'
import { TagOnEntry } from './tags.ts'
import { versionFacts, versionOrigin } from './version-facts.ts'

const Text = Type.String()

const summaryFields = {
  id: Id,
  name: Text,
  /** What else it is called: by the file of its current version, or before, for a year. Servers that do not say it leave it out. */
  other_names: Type.Optional(Type.Array(Text)),
  entry_type: Text,
  lineage_id: LineageId,
  object_id: Id,
  content_hash: Hash,
  blob_size: Count,
  engine_version: nullable(Text),
  asset_class: Text,
  origin_path: nullable(Text),
  is_variant: Type.Boolean(),
  variant_label: nullable(Text),
  variant_group: nullable(Type.Object({ id: Id, label: nullable(Text), count: Count })),
  category: nullable(Text),
  category_locked: Type.Boolean(),
  has_thumbnail: Type.Boolean(),
  preview_status: oneOf(previewStatuses),
  preview_kind: nullable(Text),
  review_status: oneOf(reviewStates),
  status: oneOf(entryStatuses),
  source_ext: nullable(Text),
  pack: Type.Object({ id: Id, name: Text }),
  metadata: EntryMetadata,
  date_indexed: Timestamp,
  date_updated: Timestamp,
}

/** Where words of a question are looked for, the weightiest first. */
export const wordFields = ['name', 'category', 'tags', 'pack', 'comments'] as const

/** One row of a list of entries: the prop and the attributes of its current version. */
export const EntrySummary = Type.Object({
  ...summaryFields,
  /** On ranked answers, how well it matches: at most 1; by words above 0, by look from 0 on. */
  score: Type.Optional(Type.Number()),
  /** On ranked answers, where the words were found: an addition of ours. */
  matched: Type.Optional(Type.Array(oneOf(wordFields))),
  /** On ranked answers, where its words were found, and how like it looks, from 0 to 1: an addition of ours. */
  reason: Type.Optional(Type.Object({ words: Type.Array(oneOf(wordFields)), looks: nullable(Type.Number()) })),
})
export type EntrySummary = Static<typeof EntrySummary>

/** A summary with its tags: a line of the export, a record of the expanded change feed. */
export const EntryWithTags = Type.Object({ ...summaryFields, tags: Type.Array(TagOnEntry) })
export type EntryWithTags = Static<typeof EntryWithTags>

/** Everything about one entry. */
export const EntryDetail = Type.Object({
  ...summaryFields,
  ever_pulled: Type.Boolean(),
  face: Type.Object({
    object_id: Id,
    content_hash: Hash,
    package_guid: nullable(Text),
    lineage_anchor: Text,
    date_ingested: Timestamp,
    published_by: nullable(Type.Object({ id: Id, name: Text })),
    ...versionFacts,
    ...versionOrigin,
  }),
  tags: Type.Array(TagOnEntry),
  comments: Type.Array(Comment),
  collections: Type.Array(Type.Object({ id: Id, name: Text })),
  review: nullable(ReviewRecord),
  /** As it was sent. */
  metadata_doc: nullable(Type.Unsafe<MetadataDoc>({ type: 'object', additionalProperties: true })),
  preview_artifact_id: nullable(Id),
  thumbnail_artifact_id: nullable(Id),
})
export type EntryDetail = Static<typeof EntryDetail>

/** Words as they begin, in any order, and phrases in double quotes: all of them must be found (contract-gaps 6). */
const Question = Type.Optional(Type.String({ maxLength: 10_000 }))

/** Ranked entries with a lower score are left out: an addition of ours (contract-gaps 9). */
const MinScore = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }))

/** The one label that says what kind of thing an entry is, such as `Props`. */
export const Category = named(limits.names.category)

export const sorts = ['relevance', 'name', 'date_indexed', 'date_updated', 'blob_size', 'tri_count'] as const

export const entries = routes({
  list: {
    method: 'GET',
    path: '/entries',
    scope: 'read',
    summary: 'List the entries of the workspace, page by page.',
    input: Type.Object({
      ...entryFilters,
      q: Question,
      /** Ranks by look alone; `q` then leaves out entries without its words, like a filter. */
      similar_to: Type.Optional(Id),
      min_score: MinScore,
      sort: Type.Optional(oneOf(sorts)),
      order: Type.Optional(oneOf(['asc', 'desc'])),
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(Cursor),
    }),
    /** `total`: how many there are on all pages together, of ranked answers also those behind the best 1,000. */
    output: Type.Object({ entries: Type.Array(EntrySummary), next_cursor: nullable(Text), total: Type.Optional(Count) }),
    errors: ['VALIDATION', 'ENTRY_NOT_FOUND', 'EMBEDDINGS_UNAVAILABLE'],
  },
  searchByImage: {
    method: 'POST',
    path: '/entries/search/image',
    scope: 'read',
    summary: 'List the entries that look most like a picture; filters and words leave out others.',
    input: Type.Object({ ...entryFilters, q: Question, min_score: MinScore, limit: Type.Optional(PageLimit) }),
    raw: { maxBytes: limits.searchImage.bytes, types: ['image/png', 'image/jpeg'] },
    output: Type.Object({ entries: Type.Array(EntrySummary), total_ranked: Count }),
    repeatable: true,
    errors: ['VALIDATION', 'EMBEDDINGS_UNAVAILABLE'],
  },
  facets: {
    method: 'GET',
    path: '/entries/facets',
    scope: 'read',
    summary: 'Count what the entries that pass the filters are; each dimension ignores its own filter.',
    input: Type.Object({ ...entryFilters, q: Question }),
    output: Facets,
    errors: ['VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/entries/{entry_id}',
    scope: 'read',
    summary:
      'Show everything about one entry; with `include` also its versions, its closure, what needs it, the actors of a level.',
    input: Type.Object({ entry_id: Id, include: Type.Optional(repeatable(oneOf(entryParts))), ...closureQuery }),
    /** `parts`: what `include` asks for; older servers leave it out. */
    output: Type.Object({ ...EntryDetail.properties, parts: Type.Optional(EntryParts) }),
    errors: ['ENTRY_NOT_FOUND', 'LINEAGE_CONFLICT', 'VALIDATION'],
  },
  find: {
    method: 'POST',
    path: '/entries/find',
    scope: 'read',
    summary: 'Show everything about many entries at once; unknown ones are left out.',
    input: Type.Object({ entry_ids: Type.Array(Id, { minItems: 1, maxItems: limits.page.max }) }),
    output: Type.Object({ entries: Type.Array(EntryDetail) }),
    transaction: false,
    repeatable: true,
    extension: true,
    errors: ['VALIDATION'],
  },
  closure: {
    method: 'GET',
    path: '/entries/{entry_id}/closure',
    scope: 'read',
    summary: `List every file that the current version needs, or an earlier one, itself first. More than ${limits.graph.files} are refused, and files that name one another more than ${limits.graph.edges} times.`,
    input: Type.Object({
      entry_id: Id,
      object_id: Type.Optional(Id),
      urls: Type.Optional(Type.Boolean()),
      ...closureQuery,
    }),
    output: EntryClosure,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'LINEAGE_CONFLICT', 'VALIDATION'],
  },
  dependents: {
    method: 'GET',
    path: '/entries/{entry_id}/dependents',
    scope: 'read',
    summary: `List every file that needs the current version; with \`dependencies: current\`, the current versions that refer to any version of it. More than ${limits.graph.files} are refused, and files that name one another more than ${limits.graph.edges} times.`,
    input: Type.Object({ entry_id: Id, dependencies: closureQuery.dependencies }),
    output: EntryDependents,
    errors: ['ENTRY_NOT_FOUND', 'VALIDATION'],
  },
  download: {
    method: 'GET',
    path: '/entries/{entry_id}/download',
    scope: 'read',
    summary: 'Redirect to the bytes of the current version, or of an earlier one, with a file name.',
    input: Type.Object({ entry_id: Id, object_id: Type.Optional(Id) }),
    answers: 'redirect',
    transaction: true,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'LINEAGE_CONFLICT'],
  },
  downloads: {
    method: 'POST',
    path: '/entries/downloads',
    scope: 'read',
    summary: 'Answer addresses of the bytes of many entries at once; each counts as downloaded.',
    ...manyDownloads,
    repeatable: true,
    extension: true,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'VALIDATION'],
  },
  restore: {
    method: 'POST',
    path: '/entries/{entry_id}/restore',
    scope: 'write',
    effect: 'replaces',
    summary:
      'Make an earlier version the current one, or, with `set`, give a level the parts of an earlier set: as a new set, equal to that one.',
    input: Type.Object({
      entry_id: Id,
      object_id: Type.Optional(Id),
      set: Type.Optional(Id),
      expected_face_object_id: absentOrNull(Id),
    }),
    output: EntryDetail,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'LINEAGE_CONFLICT', 'STALE_FACE', 'LOCKED', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/entries/{entry_id}',
    scope: 'write',
    summary: 'Rename an entry, categorize it, make another version current, or (admins) deprecate it.',
    input: Type.Object({
      entry_id: Id,
      name: Type.Optional(named(limits.names.entry)),
      category: absentOrNull(Category),
      category_locked: Type.Optional(Type.Boolean()),
      object_id: Type.Optional(Id),
      status: Type.Optional(oneOf(entryStatuses)),
    }),
    output: EntryDetail,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'LINEAGE_CONFLICT', 'LOCKED', 'FORBIDDEN', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/entries/{entry_id}',
    scope: 'admin',
    summary: 'Delete an entry that was never pulled, with its versions that nothing else needs.',
    input: Type.Object({ entry_id: Id }),
    errors: ['ENTRY_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
  },
})

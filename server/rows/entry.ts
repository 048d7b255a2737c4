/** The only list of the columns of an entry: summary, with tags, and detail. */

import type { EntryDetail, EntrySummary, EntryWithTags } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { type FlatMetadata, metadataFields } from '../../contract/metadata.ts'
import { amongIds, amongTexts, lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { collectionsOf } from './collection.ts'
import { commentsOf, type View } from './comment.ts'
import { otherNamesOf } from './former/entry-names.ts'
import { holdEntries, holdEntryRow } from './hold.ts'
import { tagsOf } from './tag.ts'
import { reviewOf, versionFacts } from './version.ts'

interface Which {
  workspaceId: number
  /** Unknown ones are left out, repeated ones count once. */
  ids: readonly number[]
}

/**
 * The rows from which summaries are made: e = entries, l = lineages, o = the current version, p = its pack, g = variant group. Looked up
 * one by one: in a library that nobody has counted yet, a join would go through all of its entries for each id (server/database/among.ts).
 */
const joins = (sql: Sql, { workspaceId, ids }: Which) => sql`
  ${lookupIds(sql, new Set(ids))}
  cross join lateral (select * from entries where workspace_id = ${workspaceId} and id = lookup.key offset 0) e
  cross join lateral (select face_object_id from lineages where workspace_id = ${workspaceId} and id = e.lineage_id offset 0) l
  cross join lateral (select * from objects where workspace_id = ${workspaceId} and id = l.face_object_id offset 0) o
  cross join lateral (select id, name from packs where workspace_id = ${workspaceId} and id = o.pack_id offset 0) p
  left join lateral (
    select id, label from variant_groups where workspace_id = ${workspaceId} and id = e.variant_group_id offset 0) g on true`

/** With a label or in a group (contract-gaps 5). */
export const isVariant = (sql: Sql): Fragment => sql`(coalesce(e.variant_label, '') <> '' or e.variant_group_id is not null)`

const columns = (sql: Sql) => sql`
  e.id, e.name, coalesce(${otherNamesOf(sql)}, '[]') as other_names, e.entry_type, e.lineage_id, o.id as object_id, o.content_hash, o.blob_size, o.engine_version, o.asset_class, o.origin_path,
  ${isVariant(sql)} as is_variant, e.variant_label,
  case when g.id is not null then json_build_object('id', g.id, 'label', g.label, 'count', (
    select count(*) from entries m where m.workspace_id = e.workspace_id and m.variant_group_id = g.id)) end as variant_group,
  e.category, e.category_locked, o.thumbnail_artifact_id is not null as has_thumbnail, o.preview_status, o.preview_kind,
  o.review_status, e.status, o.source_ext, json_build_object('id', p.id, 'name', p.name) as pack, o.metadata,
  e.date_indexed, e.date_updated`

/** A summary but for its metadata, which are stored as they are sent. */
interface SummaryRow extends Omit<EntrySummary, 'metadata'> {
  metadata: FlatMetadata
}

/** Entries as a list shows them, by id. */
export async function selectEntries(sql: Sql, which: Which): Promise<EntrySummary[]> {
  const rows = await sql<SummaryRow[]>`select ${columns(sql)} from ${joins(sql, which)} order by e.id`
  return rows.map(toSummary)
}

/** The entries of lineages; some have none. */
export async function selectEntryIdsOf(sql: Sql, workspaceId: number, lineageIds: readonly string[]): Promise<number[]> {
  if (lineageIds.length === 0) return []
  const rows = await sql<{ id: number }[]>`
    select id from entries where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)}`
  return rows.map((row) => row.id)
}

/** The same with tags: what mirrors keep. */
export async function selectEntriesWithTags(sql: Sql, workspaceId: number, ids: readonly number[]): Promise<EntryWithTags[]> {
  if (ids.length === 0) return []
  const rows = await sql<(SummaryRow & Pick<EntryWithTags, 'tags'>)[]>`
    select ${columns(sql)}, coalesce(tags.list, '[]') as tags
      from ${joins(sql, { workspaceId, ids })}
      left join (${tagsOf(sql, workspaceId, ids)}) tags on tags.entry_id = e.id
     order by e.id`
  return rows.map(toSummary)
}

type Face = EntryDetail['face']

interface DetailRow extends SummaryRow, Required<Omit<Face, 'published_by'>> {
  ever_pulled: boolean
  publisher_id: number | null
  publisher_name: string | null
  metadata_doc: EntryDetail['metadata_doc']
  preview_artifact_id: number | null
  thumbnail_artifact_id: number | null
  tags: EntryDetail['tags']
  collections: EntryDetail['collections']
  comments: EntryDetail['comments']
  review: EntryDetail['review']
}

/** Everything about one entry; ENTRY_NOT_FOUND otherwise. */
export async function requireEntryDetail(sql: Sql, view: View, entryId: number): Promise<EntryDetail> {
  const [entry] = await selectEntryDetails(sql, view, [entryId])
  if (!entry) throw entryNotFound(entryId)
  return entry
}

/**
 * Everything about the given entries, by id. Unknown ids are left out. Most have no comments and no review, and to plan for those takes
 * longer than all the rest; where one has some, a second statement reads all of it again, so that an answer is of one moment.
 */
export async function selectEntryDetails(sql: Sql, view: View, ids: readonly number[]): Promise<EntryDetail[]> {
  const { workspaceId } = view
  const plain = await sql<(DetailRow & { is_discussed: boolean })[]>`
    select ${detailColumns(sql)}, null as review, '[]'::json as comments,
           o.review_status <> 'draft' or exists (
             select from comments c where c.workspace_id = ${workspaceId} and c.entry_id = e.id) as is_discussed
      from ${detailJoins(sql, { workspaceId, ids })} order by e.id`
  if (!plain.some((row) => row.is_discussed)) return plain.map(({ is_discussed, ...row }) => toDetail(row))
  const whole = await sql<DetailRow[]>`
    select ${detailColumns(sql)}, ${reviewOf(sql, workspaceId, sql`o.id`)} as review, coalesce(comments.list, '[]') as comments
      from ${detailJoins(sql, { workspaceId, ids })}
      left join (${commentsOf(sql, view, ids)}) comments on comments.entry_id = e.id
     order by e.id`
  return whole.map(toDetail)
}

const detailColumns = (sql: Sql): Fragment => sql`
  ${columns(sql)}, e.ever_pulled, o.package_guid, o.lineage_anchor, o.date_ingested, m.id as publisher_id, m.name as publisher_name,
  o.metadata_doc, o.preview_artifact_id, o.thumbnail_artifact_id, ${versionFacts(sql)}, o.pushed_from, o.source_path,
  coalesce(tags.list, '[]') as tags, coalesce(collections.list, '[]') as collections`

const detailJoins = (sql: Sql, { workspaceId, ids }: Which): Fragment => sql`
  ${joins(sql, { workspaceId, ids })}
  left join lateral (select id, name from members where workspace_id = ${workspaceId} and id = o.published_by offset 0) m on true
  left join (${tagsOf(sql, workspaceId, ids)}) tags on tags.entry_id = e.id
  left join (${collectionsOf(sql, workspaceId, ids)}) collections on collections.entry_id = e.id`

/** What was said about an entry, oldest first; ENTRY_NOT_FOUND otherwise. */
export async function requireEntryComments(sql: Sql, view: View, entryId: number): Promise<EntryDetail['comments']> {
  const [entry] = await sql<Pick<EntryDetail, 'comments'>[]>`
    select coalesce(comments.list, '[]') as comments
      from entries e left join (${commentsOf(sql, view, [entryId])}) comments on comments.entry_id = e.id
     where e.workspace_id = ${view.workspaceId} and e.id = ${entryId}`
  if (!entry) throw entryNotFound(entryId)
  return entry.comments
}

function toDetail(row: DetailRow): EntryDetail {
  const { ever_pulled, package_guid, lineage_anchor, date_ingested, publisher_id, publisher_name, ...shown } = row
  const { version, push_note, missing_dependencies, plugins, pushed_from, source_path, ...rest } = shown
  return {
    ...toSummary(rest),
    ever_pulled,
    face: {
      object_id: row.object_id,
      content_hash: row.content_hash,
      package_guid,
      lineage_anchor,
      date_ingested,
      published_by: publisher_id === null ? null : { id: publisher_id, name: publisher_name ?? '' },
      ...{ version, push_note, missing_dependencies, plugins, pushed_from, source_path },
    },
    tags: row.tags,
    comments: row.comments,
    collections: row.collections,
    review: row.review,
    metadata_doc: row.metadata_doc,
    preview_artifact_id: row.preview_artifact_id,
    thumbnail_artifact_id: row.thumbnail_artifact_id,
  }
}

/** What handlers need before they do something with an entry. */
export interface EntryFace {
  entry_id: number
  name: string
  lineage_id: string
  object_id: number
}

/** The entry and its current version; ENTRY_NOT_FOUND otherwise. `hold` keeps others from moving it until the transaction ends. */
export async function requireEntryFace(
  sql: Sql,
  workspaceId: number,
  { entryId, hold }: { entryId: number; hold: boolean },
): Promise<EntryFace> {
  if (hold) await holdEntries(sql, workspaceId, [entryId])
  const [row] = await sql<EntryFace[]>`
    select e.id as entry_id, e.name, e.lineage_id, l.face_object_id as object_id
      from entries e join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
     where e.workspace_id = ${workspaceId} and e.id = ${entryId}`
  if (!row) throw entryNotFound(entryId)
  return row
}

/** The entry with everything that belongs to it stays until the transaction ends (`holdEntryRow`); ENTRY_NOT_FOUND otherwise. */
export async function requireEntryRow(
  sql: Sql,
  workspaceId: number,
  entryId: number,
): Promise<{ id: number; lineage_id: string }> {
  const entry = await holdEntryRow(sql, workspaceId, entryId)
  if (!entry) throw entryNotFound(entryId)
  return entry
}

/** What curation compares before it changes something. */
export interface KnownEntry {
  id: number
  lineage_id: string
  name: string
  category: string | null
  category_locked: boolean
  status: EntrySummary['status']
  variant_group_id: number | null
}

/** All of them, each once, held until the transaction ends; ENTRY_NOT_FOUND with every unknown one in `details.missing`. */
export async function holdKnownEntries(sql: Sql, workspaceId: number, entryIds: readonly number[]): Promise<KnownEntry[]> {
  await holdEntries(sql, workspaceId, entryIds)
  const known = await sql<KnownEntry[]>`
    select id, lineage_id, name, category, category_locked, status, variant_group_id
      from entries where workspace_id = ${workspaceId} and id ${amongIds(sql, entryIds)} order by id`
  const found = new Set(known.map((entry) => entry.id))
  const missing = [...new Set(entryIds)].filter((id) => !found.has(id))
  const [first, second] = missing
  if (first === undefined) return known
  const more = second === undefined ? '' : `, nor ${missing.length - 1} others that were named`
  throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${first} in this workspace${more}.`, { missing })
}

export const entryNotFound = (id: number) => new ApiError('ENTRY_NOT_FOUND', `There is no entry ${id} in this workspace.`)

const toSummary = <Row extends SummaryRow>(row: Row): Omit<Row, 'metadata'> & Pick<EntrySummary, 'metadata'> => ({
  ...row,
  metadata: toMetadata(row.metadata),
})

const scalarFields = metadataFields.filter((field) => !field.startsWith('bounds_'))
/** All of them at once: objects that are alike are written sooner. */
const unknownMetadata = Object.fromEntries([...scalarFields, 'bounds'].map((field) => [field, null]))

/** Every field, null when unknown; the bounds as one object, null when none of them is known. */
export function toMetadata(flat: FlatMetadata): EntrySummary['metadata'] {
  const { bounds_x = null, bounds_y = null, bounds_z = null } = flat
  const metadata: Record<string, unknown> = { ...unknownMetadata }
  for (const field of scalarFields) metadata[field] = flat[field] ?? null
  if (bounds_x !== null || bounds_y !== null || bounds_z !== null) metadata.bounds = { x: bounds_x, y: bounds_y, z: bounds_z }
  return metadata as EntrySummary['metadata']
}

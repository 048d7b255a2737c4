/** Writes the outcome of a commit: one statement per table, whatever the size of the manifest. */

import { guidKey } from '../../formats/package-guid.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { isPreviewed, updateWants } from '../media/awaited-media.ts'
import { forgetDeletions } from '../rows/former/deleted-lineages.ts'
import { noteFileNames } from '../rows/former/entry-names.ts'
import type { PackIds } from './groups/packs.ts'
import { distinctNames, metadataOf, pathKey } from './manifest.ts'
import { guidsOf, type LineageState, type NewVersion, type Outcome } from './outcome.ts'

/** What the whole manifest says of its new versions. */
export interface Push {
  packs: PackIds
  note: string | null | undefined
  project: string | null | undefined
  projectId: number
  /** By content hash: what people call parts of levels. */
  labels: ReadonlyMap<string, string>
}

export async function writeOutcome(context: Context, outcome: Outcome, push: Push): Promise<void> {
  const { sql, workspace, now } = context
  const at = now.toISOString()
  await writeLineages(sql, workspace.id, { lineages: outcome.lineages, at })
  await writeObjects(context, [...outcome.versions.values()], push)
  await writeGuids(sql, workspace.id, outcome.versions.values())
  await writePayloadIds(context, [...outcome.versions.values()].map(payloadsOf))
  await writeEntries(context, outcome.lineages)
}

async function writeLineages(
  sql: Sql,
  workspaceId: number,
  { lineages, at }: { lineages: LineageState[]; at: string },
): Promise<void> {
  const rows = lineages
    .filter((lineage) => lineage.versions !== lineage.known?.versions)
    .map(({ id, anchor, faceId, versions }) => ({ id, anchor, face: faceId, versions }))
  if (rows.length === 0) return
  await sql`
    insert into lineages (workspace_id, id, anchor, face_object_id, versions, created_at)
    select ${workspaceId}, r.id, r.anchor, r.face, r.versions, ${at}
      from jsonb_to_recordset(${sql.json(rows)}) as r(id text, anchor text, face bigint, versions int)
    on conflict (workspace_id, id) do update set face_object_id = excluded.face_object_id, versions = excluded.versions,
      face_how = null, face_since = null, face_by = null`
}

async function writeObjects({ sql, workspace, actor, now }: Context, versions: NewVersion[], push: Push): Promise<void> {
  if (versions.length === 0) return
  const rows = versions.map(({ plan: { item, anchor, parentId }, objectId, number, lineage }) => ({
    id: objectId,
    version: number,
    content_hash: item.content_hash,
    blob_size: item.blob_size,
    lineage_id: lineage.id,
    lineage_anchor: anchor,
    parent_object_id: parentId,
    pack_id: push.packs.of(item),
    asset_class: item.asset_class,
    asset_name: item.asset_name ?? null,
    origin_path: item.origin_path ?? null,
    path_key: item.origin_path ? pathKey(item.origin_path) : null,
    engine_version: item.engine_version ?? null,
    source_ext: item.source_ext ?? null,
    package_guid: guidKey(item.package_guid) ?? null,
    metadata: metadataOf(item) as Record<string, string>,
    metadata_doc: (item.metadata_doc ?? null) as Record<string, string> | null,
    source_path: item.source_path ?? null,
    plugins: distinctNames(item.plugins),
    has_missing: (item.missing_dependencies ?? []).length > 0,
    label: push.labels.get(item.content_hash) ?? null,
  }))
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, parent_object_id, pack_id, asset_class, asset_name,
                         origin_path, path_key, engine_version, source_ext, package_guid, published_by, date_ingested, metadata, metadata_doc,
                         version, push_note, pushed_from, project_id, source_path, plugins, has_missing,
                         label)
    select ${workspace.id}, r.id, r.content_hash, r.blob_size, r.lineage_id, r.lineage_anchor, r.parent_object_id, r.pack_id, r.asset_class,
           r.asset_name, r.origin_path, r.path_key, r.engine_version, r.source_ext, r.package_guid, ${actor.id}, ${now.toISOString()},
           r.metadata, r.metadata_doc, r.version, ${push.note ?? null}, ${push.project ?? null}, ${push.projectId}, r.source_path, r.plugins, r.has_missing,
           r.label
      from jsonb_to_recordset(${sql.json(rows)})
           as r(id bigint, content_hash text, blob_size bigint, lineage_id text, lineage_anchor text, parent_object_id bigint, pack_id bigint,
                asset_class text, asset_name text, origin_path text, path_key text, engine_version text, source_ext text, package_guid text,
                metadata jsonb, metadata_doc jsonb, version int, source_path text, plugins jsonb, has_missing boolean, label text)`
}

async function writeGuids(sql: Sql, workspaceId: number, versions: Iterable<NewVersion>): Promise<void> {
  const rows = guidsOf(versions)
  if (rows.length === 0) return
  await sql`
    insert into package_guids (workspace_id, guid, lineage_id)
    select ${workspaceId}, r.guid, r.lineage_id from jsonb_to_recordset(${sql.json(rows)}) as r(guid text, lineage_id text)
    on conflict do nothing`
}

const payloadsOf = ({ objectId, plan }: NewVersion): Payloads => ({ objectId, ids: plan.item.payload_ids ?? [] })

/** What a version's file holds, by payload id. */
export interface Payloads {
  objectId: number
  ids: readonly string[]
}

/** An id that is named twice is kept once. */
export async function writePayloadIds({ sql, workspace }: Context, payloads: readonly Payloads[]): Promise<void> {
  const rows = payloads.flatMap(({ objectId, ids }) => ids.map((id) => [objectId, id] as const))
  if (rows.length === 0) return
  await sql`
    insert into payload_ids (workspace_id, payload_id, object_id)
    select ${workspace.id}, decode(r.payload_id, 'hex'), r.object_id
      from unnest(${rows.map(([objectId]) => objectId)}::bigint[], ${rows.map(([, id]) => id)}::text[]) as r (object_id, payload_id)
    on conflict do nothing`
}

/** New entries are added; of known ones only what pushes may change: category unless locked, a missing variant label. */
async function writeEntries({ sql, workspace, actor, now }: Context, lineages: LineageState[]): Promise<void> {
  const rows = lineages.flatMap(({ id, entry }) =>
    entry?.changed
      ? [
          {
            id: entry.id,
            lineage_id: id,
            name: entry.name,
            entry_type: entry.entryType,
            category: entry.category ?? null,
            keeps_category: entry.category === undefined,
            variant_label: entry.variantLabel,
            known: Boolean(entry.known),
          },
        ]
      : [],
  )
  const at = now.toISOString()
  const [known, fresh] = [rows.filter((row) => row.known), rows.filter((row) => !row.known)]
  if (fresh.length > 0)
    await sql`
    insert into entries (workspace_id, id, lineage_id, name, entry_type, category, variant_label, created_by, date_indexed, date_updated,
                         wants_preview)
    select ${workspace.id}, r.id, r.lineage_id, r.name, r.entry_type, r.category, r.variant_label, ${actor.id}, ${at}, ${at},
           ${isPreviewed(sql, sql`r.entry_type`)}
      from jsonb_to_recordset(${sql.json(fresh)})
           as r(id bigint, lineage_id text, name text, entry_type text, category text, variant_label text)`
  if (known.length > 0)
    await sql`
    update entries e
       set category = case when e.category_locked or r.keeps_category then e.category else r.category end,
           variant_label = coalesce(e.variant_label, r.variant_label), date_updated = ${at}
      from jsonb_to_recordset(${sql.json(known)}) as r(id bigint, category text, keeps_category boolean, variant_label text)
     where e.workspace_id = ${workspace.id} and e.id = r.id`
  await noteFileNames(
    { sql, workspace, now },
    lineages.flatMap(({ entry }) => (entry?.changed ? [entry.id] : [])),
  )
  const back = lineages.flatMap(({ id, known, entry }) => (known && entry && !entry.known ? [id] : []))
  await forgetDeletions(sql, workspace.id, back)
  // Lineages that are new have a version without media.
  await updateWants(
    sql,
    workspace.id,
    lineages.flatMap(({ known, entry }) => (known && entry?.changed ? [entry.id] : [])),
  )
}

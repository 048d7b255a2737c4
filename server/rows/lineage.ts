/** The only list of the columns of a lineage and of the versions in it. */

import { ApiError } from '../../contract/errors.ts'
import { isLevelPart } from '../../contract/level-parts.ts'
import type { CurrentSince, FoundVersion, Lineage, LineageFace, LineageObject } from '../../contract/lineages.ts'
import { amongTexts, lookupTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { joinActiveLock, type LockScope } from './lock.ts'
import { packageName, versionFacts } from './version.ts'

export interface ObjectRow extends Omit<LineageObject, 'published_by'> {
  publisher_id: number | null
  publisher_name: string | null
}

/** A version with its lineage. */
interface Row extends Omit<Lineage, 'id' | 'objects'>, ObjectRow {
  lineage_id: string
}

/** Columns of a version; o = objects, l = lineages, m = who pushed it. */
export const objectColumns = (sql: Sql): Fragment => sql`
  o.id as object_id, o.content_hash, o.blob_size, o.asset_class, o.asset_name, o.origin_path, o.engine_version,
  o.source_ext, o.parent_object_id, m.id as publisher_id, m.name as publisher_name, o.date_ingested, o.review_status,
  o.id = l.face_object_id as is_face, ${versionFacts(sql)}, o.pushed_from, o.source_path, o.label`

/** Lineages with all their versions, newest first: by one statement, so that they name the version that is current alike. */
export async function selectLineages({ sql, workspace, now }: LockScope, ids: string[]): Promise<Lineage[]> {
  const rows = await sql<Row[]>`
    select l.id as lineage_id, l.anchor, o.package_guid, e.id as entry_id, l.face_object_id, l.created_at,
           ${objectColumns(sql)}, held.lock
      from lineages l
      join objects o on o.workspace_id = l.workspace_id and o.lineage_id = l.id
      left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
      left join members m on m.workspace_id = o.workspace_id and m.id = o.published_by
           ${joinActiveLock(sql, now)}
     where l.workspace_id = ${workspace.id} and l.id ${amongTexts(sql, ids)} order by o.id desc`
  return [...Map.groupBy(rows, (row) => row.lineage_id).values()].map(toLineage)
}

function toLineage(rows: Row[]): Lineage {
  const face = rows.find((row) => row.is_face)
  if (!face) throw new Error(`the current version of lineage ${rows[0]?.lineage_id} is not among its versions`)
  const { lineage_id: id, anchor, package_guid, entry_id, face_object_id, created_at, lock } = face
  return { id, anchor, package_guid, entry_id, face_object_id, created_at, lock, objects: rows.map(toObject) }
}

function toObject(row: Row): LineageObject {
  const { lineage_id, anchor, package_guid, entry_id, face_object_id, created_at, lock, ...object } = row
  return withPublisher(object)
}

/** A version as it is shown. */
export function withPublisher<R extends ObjectRow>({ publisher_id, publisher_name, ...object }: R) {
  return { ...object, published_by: publisher_id === null ? null : { id: publisher_id, name: publisher_name ?? '' } }
}

/** The current versions of lineages; those that are not there are left out. */
export async function selectFaces({ sql, workspace, now }: LockScope, ids: Iterable<string>): Promise<LineageFace[]> {
  const rows = await sql<FaceRow[]>`
    select found.* from ${lookupTexts(sql, ids)} cross join lateral (
      select l.id, e.id as entry_id, o.id as face_object_id, o.content_hash as face_content_hash, o.version as face_version,
             o.published_by as face_published_by, o.date_ingested as face_date_ingested, o.pushed_from as face_pushed_from,
             coalesce(l.face_how, 'push') as since_how, coalesce(l.face_since, o.date_ingested) as since_at,
              m.id as since_by, m.name as since_name, o.origin_path, ${packageName(sql)}, o.source_ext, held.lock, o.asset_class, o.label
        from lineages l
        join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
        left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
        left join members m on m.workspace_id = l.workspace_id
             and m.id = case when l.face_how is null then o.published_by else l.face_by end
             ${joinActiveLock(sql, now)}
       where l.workspace_id = ${workspace.id} and l.id = lookup.key offset 0) found`
  return rows.map(({ since_how: how, since_at: at, since_by, since_name, asset_class, label, ...face }) => ({
    ...face,
    ...partOf({ ...face, asset_class, label }),
    current_since: { by: since_by === null ? null : { id: since_by, name: since_name ?? '' }, at, how },
  }))
}

/** What a part of a level is called. */
export const partOf = ({
  origin_path: path,
  asset_class,
  label,
}: {
  origin_path: string | null
  asset_class: string
  label: string | null
}) => (path !== null && isLevelPart(path) ? { part: { path, asset_class, label } } : {})

interface FaceRow extends LineageFace {
  since_how: CurrentSince['how']
  since_at: string
  since_by: number | null
  since_name: string | null
  asset_class: string
  label: string | null
}

/** Of lineages that were named, and are not there. */
export const lineagesNotFound = (missing: readonly string[]): ApiError => {
  const more = missing.length > 1 ? `, nor ${missing.length - 1} others that were named` : ''
  return new ApiError('LINEAGE_NOT_FOUND', `There is no lineage "${missing[0]}" in this workspace${more}.`, { missing })
}

/** The lineages whose current version has one of these paths, which are in lower case. */
export async function selectFaceIds(sql: Sql, workspaceId: number, pathKeys: Iterable<string>): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select found.id from ${lookupTexts(sql, pathKeys)} cross join lateral (
      select l.id from objects o
        join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
       where o.workspace_id = ${workspaceId} and o.path_key = lookup.key offset 0) found`
  return rows.map(({ id }) => id)
}

/** Where bytes are versions, current or not; each once. */
export async function selectVersionsByHash(sql: Sql, workspaceId: number, hashes: Iterable<string>): Promise<FoundVersion[]> {
  return sql<FoundVersion[]>`
    select found.* from ${lookupTexts(sql, new Set(hashes))} cross join lateral (
      select o.content_hash, o.id as object_id, o.lineage_id, o.origin_path, o.source_ext from objects o
       where o.workspace_id = ${workspaceId} and o.content_hash = lookup.key offset 0) found`
}

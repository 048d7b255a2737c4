/** The only place that lists the columns of a lineage and of the versions in it. */
import type { Lineage, LineageObject } from '../../contract/lineages.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/open.ts'

interface ObjectRow extends Omit<LineageObject, 'published_by'> {
  lineage_id: string
  publisher_id: number | null
  publisher_name: string | null
}

/** Lineages with all their versions, newest first. */
export async function selectLineages(sql: Sql, workspaceId: number, ids: string[]): Promise<Lineage[]> {
  const lineages = await sql<Omit<Lineage, 'objects' | 'lock'>[]>`
    select l.id, l.anchor, o.package_guid, e.id as entry_id, l.face_object_id, l.created_at
      from lineages l
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     where l.workspace_id = ${workspaceId} and l.id ${amongTexts(sql, ids)}`
  const objects = await sql<ObjectRow[]>`
    select o.lineage_id, o.id as object_id, o.content_hash, o.blob_size, o.asset_class, o.asset_name, o.origin_path, o.engine_version,
           o.source_ext, o.parent_object_id, m.id as publisher_id, m.name as publisher_name, o.date_ingested, 'draft' as review_status,
           o.id = l.face_object_id as is_face
      from objects o
      join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id
      left join members m on m.workspace_id = o.workspace_id and m.id = o.published_by
     where o.workspace_id = ${workspaceId} and o.lineage_id ${amongTexts(sql, ids)} order by o.id desc`
  const byLineage = Map.groupBy(objects, (object) => object.lineage_id)
  return lineages.map((lineage) => ({ ...lineage, lock: null, objects: (byLineage.get(lineage.id) ?? []).map(toObject) }))
}

const toObject = ({ lineage_id: _lineage, publisher_id, publisher_name, ...row }: ObjectRow): LineageObject => ({
  ...row,
  published_by: publisher_id === null ? null : { id: publisher_id, name: publisher_name ?? '' },
})

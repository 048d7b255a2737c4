/** What people call lineages that are checked out. */
import { isLevelPart } from '../../contract/level-parts.ts'
import type { NamedPart } from '../../contract/level-sets.ts'
import { lookupTexts } from '../database/among.ts'
import type { LockScope } from '../rows/lock.ts'

export interface NamedLineage {
  entry_id: number | null
  /** Its entry's, else its file's. */
  name: string | null
  /** Of an external actor or object of a level. */
  part?: NamedPart
  face_object_id: number
}

interface Row extends Omit<NamedPart, 'path'> {
  lineage_id: string
  entry_id: number | null
  entry_name: string | null
  face_object_id: number
  asset_name: string | null
  path: string | null
}

/** By lineage; unknown ones are left out. */
export async function nameLineages(
  { sql, workspace }: Pick<LockScope, 'sql' | 'workspace'>,
  ids: Iterable<string>,
): Promise<Map<string, NamedLineage>> {
  const rows = await sql<Row[]>`
    select lookup.key as lineage_id, found.*, e.id as entry_id, e.name as entry_name
      from ${lookupTexts(sql, ids)} cross join lateral (
        select l.face_object_id, o.asset_name, o.origin_path as path, o.asset_class, o.label from lineages l
          join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
         where l.workspace_id = ${workspace.id} and l.id = lookup.key offset 0) found
      left join lateral (
        select id, name from entries where workspace_id = ${workspace.id} and lineage_id = lookup.key offset 0) e on true`
  return new Map(rows.map((row) => [row.lineage_id, toNamed(row)]))
}

function toNamed({ entry_id, entry_name, face_object_id, asset_name, path, asset_class, label }: Row): NamedLineage {
  const part = entry_id === null && path !== null && isLevelPart(path) ? { path, asset_class, label } : undefined
  return { entry_id, name: entry_name ?? asset_name ?? path?.split('/').at(-1) ?? null, ...(part && { part }), face_object_id }
}

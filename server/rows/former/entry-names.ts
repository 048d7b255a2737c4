/** The only readers and writers of what else entries are called: by the file of their current version, or before, for a year. */
import { amongIds, lookupIds, lookupTexts } from '../../database/among.ts'
import type { Fragment, Sql } from '../../database/sql.ts'

interface Writing {
  sql: Sql
  workspace: { id: number }
  now: Date
}

/** After entries were made, or another version became current: the name of its file is one of theirs, and the one before was. */
export async function noteFileNames({ sql, workspace, now }: Writing, entryIds: readonly number[]): Promise<void> {
  if (entryIds.length === 0) return
  const named = sql`
    select e.id, e.name, o.asset_name from ${lookupIds(sql, entryIds)}
     cross join lateral (
       select id, name, lineage_id from entries where workspace_id = ${workspace.id} and id = lookup.key offset 0) e
     cross join lateral (select face_object_id from lineages where workspace_id = ${workspace.id} and id = e.lineage_id offset 0) l
     cross join lateral (select asset_name from objects where workspace_id = ${workspace.id} and id = l.face_object_id offset 0) o`
  await sql`
    update entry_names n set until = ${now.toISOString()}
      from (${named}) named
     where n.workspace_id = ${workspace.id} and n.entry_id = named.id and n.until is null
       and n.name_key is distinct from lower(named.asset_name)`
  await sql`
    insert into entry_names (workspace_id, entry_id, name_key, name)
    select ${workspace.id}, id, lower(asset_name), asset_name from (${named}) named where lower(asset_name) <> lower(name)
    on conflict (workspace_id, entry_id, name_key) do update set name = excluded.name, until = null`
}

/** After an entry was renamed: it is still found by the name of before, for a year. */
export async function noteFormerName(
  { sql, workspace, now }: Writing,
  { entryId, before, name }: { entryId: number; before: string; name: string },
): Promise<void> {
  await sql`
    delete from entry_names where workspace_id = ${workspace.id} and entry_id = ${entryId} and name_key = lower(${name})`
  await sql`
    insert into entry_names (workspace_id, entry_id, name_key, name, until)
    select ${workspace.id}, ${entryId}, lower(${before}), ${before}, ${now.toISOString()} where lower(${before}) <> lower(${name})
    on conflict (workspace_id, entry_id, name_key) do update set until = excluded.until`
  await noteFileNames({ sql, workspace, now }, [entryId])
}

/** With the entries. */
export async function forgetNames(sql: Sql, workspaceId: number, entryIds: readonly number[]): Promise<void> {
  await sql`delete from entry_names where workspace_id = ${workspaceId} and entry_id ${amongIds(sql, entryIds)}`
}

/** The other names of an entry; e = entries. Null where it has none, as most have. */
export const otherNamesOf = (sql: Sql): Fragment => sql`(
  select json_agg(n.name order by n.until desc nulls first, n.name) from entry_names n
   where n.workspace_id = e.workspace_id and n.entry_id = e.id)`

/** The entries that are called so now, were within a year, or whose file is: by any of these names. */
export async function findKnownAs(sql: Sql, workspaceId: number, names: readonly string[]): Promise<number[]> {
  const keys = sql`lower(lookup.key) collate "C"`
  const rows = await sql<{ id: number }[]>`
    select found.id from ${lookupTexts(sql, names)} cross join lateral (
      select id from entries where workspace_id = ${workspaceId} and lower(name) collate "C" = ${keys}
       union
      select entry_id from entry_names where workspace_id = ${workspaceId} and name_key = ${keys}) found`
  return rows.map((row) => row.id)
}

/** Which package paths the versions of a library refer to. */
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

/** Those of the paths, which are in lower case, that a version refers to: found by what lay there when it was pushed, or awaited. */
export async function selectReferred(sql: Sql, workspaceId: number, pathKeys: Iterable<string>): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select lookup.key from ${lookupTexts(sql, pathKeys)}
     where exists (
             select 1 from (
               select id from objects where workspace_id = ${workspaceId} and path_key = lookup.key offset 0) o
              cross join lateral (
               select 1 from dependencies d
                where d.workspace_id = ${workspaceId} and d.needs_object_id = o.id and d.path_key = lookup.key limit 1) d)
        or exists (select 1 from awaited_imports a where a.workspace_id = ${workspaceId} and a.path_key = lookup.key)`
  return rows.map(({ key }) => key)
}

/** What statements put into answers as JSON: people, by the only list of their columns, and moments. */
import type { UserStub } from '../../contract/shapes.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** The member that the alias stands for; null where a join found none. */
export function stubOf(sql: Sql, alias: string): Fragment {
  const of = sql(alias)
  return sql`case when ${of}.id is not null
    then json_build_object('id', ${of}.id, 'name', ${of}.name, 'display_name', ${of}.display_name) end`
}

/** As the driver gives timestamps. */
export const momentOf = (sql: Sql, column: Fragment): Fragment =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** By id; unknown ones are left out. */
export async function selectStubs(sql: Sql, workspaceId: number, ids: Iterable<number>): Promise<Map<number, UserStub>> {
  const wanted = new Set(ids)
  if (wanted.size === 0) return new Map()
  const rows = await sql<UserStub[]>`
    select id, name, display_name from members where workspace_id = ${workspaceId} and id ${amongIds(sql, wanted)}`
  return new Map(rows.map((row) => [row.id, row]))
}

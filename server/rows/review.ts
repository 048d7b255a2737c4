/** The only place that lists the columns of the review of a version, and of a person as answers name one. */
import type { ReviewRecord } from '../../contract/reviews.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** The member that the alias stands for; null where a join found none. */
export const stubOf = (sql: Sql, alias: 'm' | 'd' | 'a' | 'closer'): Fragment => {
  const of = sql(alias)
  return sql`case when ${of}.id is not null
    then json_build_object('id', ${of}.id, 'name', ${of}.name, 'display_name', ${of}.display_name) end`
}

/** As the driver gives timestamps, for those within JSON. */
export const momentOf = (sql: Sql, column: Fragment): Fragment =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The record of a version as JSON; null for a draft. A part of the statement that reads the version, so that both are of one moment. */
export const reviewOf = (sql: Sql, workspaceId: number, objectId: Fragment): Fragment => sql`(
  select json_build_object('object_id', v.object_id, 'state', v.state, 'assignee', ${stubOf(sql, 'a')}, 'decided_by', ${stubOf(sql, 'd')},
                           'decided_at', ${momentOf(sql, sql`v.decided_at`)}, 'note', v.note, 'request_id', v.request_id)
    from reviews v
    join members d on d.workspace_id = ${workspaceId} and d.id = v.decided_by
    left join members a on a.workspace_id = ${workspaceId} and a.id = v.assignee_id
   where v.workspace_id = ${workspaceId} and v.object_id = ${objectId})`

/** Null for a draft. */
export async function selectReview(sql: Sql, workspaceId: number, objectId: number): Promise<ReviewRecord | null> {
  const [row] = await sql<{ review: ReviewRecord | null }[]>`select ${reviewOf(sql, workspaceId, sql`${objectId}`)} as review`
  return row?.review ?? null
}

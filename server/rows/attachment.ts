/** The only place that lists the columns of an attachment. */
import type { Fragment, Sql } from '../database/sql.ts'

/** What attachments may belong to. */
export type AttachedKind = 'comment' | 'request' | 'response'

/** a = attachments. */
export const attachmentColumns = (sql: Sql): Fragment =>
  sql`a.id, a.width, a.height, a.size, a.strokes_id is not null as has_strokes`

/** Those of one comment, request or response as a list, in their order. A part of the statement that reads what they belong to. */
export const attachmentList = (
  sql: Sql,
  workspaceId: number,
  { kind, id }: { kind: AttachedKind; id: Fragment },
): Fragment => sql`
  (select coalesce(json_agg(a order by a.place), '[]')
     from (select ${attachmentColumns(sql)}, a.place from attachments a
            where a.workspace_id = ${workspaceId} and a.attached_kind = ${kind} and a.attached_id = ${id}) a)`

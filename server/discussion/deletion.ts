/** What is said and shown about entries goes with them (server/curation/deletion.ts). */
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { deleteAttachmentsOf } from './attachments.ts'

/** The caller holds the entries: nobody says anything about them meanwhile. Gives the files of what was attached, for `countGone`. */
export async function deleteDiscussions(
  sql: Sql,
  workspaceId: number,
  entryIds: readonly number[],
): Promise<{ key: string; size: number }[]> {
  const ofThem = sql`workspace_id = ${workspaceId} and entry_id ${amongIds(sql, entryIds)}`
  await sql`delete from annotations where ${ofThem}`
  await sql`delete from commented_entries where ${ofThem}`
  const gone = await sql<{ id: number }[]>`delete from comments where ${ofThem} returning id`
  const ids = gone.map((comment) => comment.id)
  await sql`delete from comment_reactions where workspace_id = ${workspaceId} and comment_id ${amongIds(sql, ids)}`
  return deleteAttachmentsOf(sql, workspaceId, { kind: 'comment', ids })
}

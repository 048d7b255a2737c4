/** What goes of reviews with an entry and with versions that are deleted for good (spec 4.12). */
import { amongIds } from '../database/among.ts'
import { deleteAttachmentsOf } from '../discussion/attachments.ts'
import type { Context } from '../handler.ts'

interface Gone {
  entryIds: readonly number[]
  objectIds: readonly number[]
}

/**
 * Rounds go with their entry or their version. A version that stays, because something else needs it, keeps what was decided of it. Gives the files of what
 * was attached, for `countGone`. The caller holds the lineages.
 */
export async function deleteReviews(
  { sql, workspace, feed }: Pick<Context, 'sql' | 'workspace' | 'feed'>,
  { entryIds, objectIds }: Gone,
): Promise<{ key: string; size: number }[]> {
  const rounds = await sql<{ id: number }[]>`
    delete from review_requests q
     where q.workspace_id = ${workspace.id}
       and (q.entry_id ${amongIds(sql, entryIds)}
            or q.object_id ${amongIds(sql, objectIds)} and q.entry_id in (
                 select e.id from objects o join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id
                  where o.workspace_id = ${workspace.id} and o.id ${amongIds(sql, objectIds)}))
    returning q.id`
  const ids = rounds.map((round) => round.id)
  const answers = await sql<{ id: number }[]>`
    delete from review_reviewers where workspace_id = ${workspace.id} and request_id ${amongIds(sql, ids)} returning id`
  const reviews = await sql<{ object_id: number; lineage_id: string }[]>`
    delete from reviews v using objects o
     where v.workspace_id = ${workspace.id} and v.object_id ${amongIds(sql, objectIds)}
       and o.workspace_id = v.workspace_id and o.id = v.object_id
    returning v.object_id, o.lineage_id`
  for (const { object_id: entityId, lineage_id: lineageId } of reviews)
    feed.changed({ entity: 'review', entityId, lineageId, op: 'delete' })
  await sql`
    update reviews set request_id = null where workspace_id = ${workspace.id} and request_id ${amongIds(sql, ids)}`
  const answerIds = answers.map((answer) => answer.id)
  return [
    ...(await deleteAttachmentsOf(sql, workspace.id, { kind: 'request', ids })),
    ...(await deleteAttachmentsOf(sql, workspace.id, { kind: 'response', ids: answerIds })),
  ]
}

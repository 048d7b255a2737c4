/** Who has to hear that a prop was deleted: who has it checked out, and everyone in its open rounds. */
import { amongIds } from '../database/among.ts'
import type { Context } from '../handler.ts'
import { type GoneNotice, notifyOfDeletion } from '../notifications/notify.ts'
import { isActive } from '../rows/lock.ts'

/** Before the rows go. Each person hears of a prop once: of the check-out, else of the review. */
export async function tellOfDeletion(
  context: Pick<Context, 'sql' | 'workspace' | 'actor' | 'now'>,
  entryIds: readonly number[],
): Promise<void> {
  const { sql, workspace, now } = context
  const notices = await sql<GoneNotice[]>`
    with concerned as (
      select k.holder_id as member_id, e.lineage_id, e.name, 'checked_out' as because
        from entries e join locks k on k.workspace_id = e.workspace_id and k.lineage_id = e.lineage_id
       where e.workspace_id = ${workspace.id} and e.id ${amongIds(sql, entryIds)} and ${isActive(sql, now)}
       union all
      select person.id, e.lineage_id, e.name, 'under_review'
        from entries e
        join review_requests q on q.workspace_id = e.workspace_id and q.entry_id = e.id and q.status = 'open'
       cross join lateral (
         select q.requested_by as id
          union
         select r.member_id from review_reviewers r where r.workspace_id = q.workspace_id and r.request_id = q.id) person
       where e.workspace_id = ${workspace.id} and e.id ${amongIds(sql, entryIds)})
    select distinct on (member_id, lineage_id) * from concerned order by member_id, lineage_id, because`
  await notifyOfDeletion(context, notices)
}

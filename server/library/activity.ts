/** Activity: what happened, newest first; events of one bulk action shown as one (spec 4.6). */
import type { ActivityEvent, activity as contract } from '../../contract/activity.ts'
import { limits } from '../../contract/limits.ts'
import type { Handlers } from '../handler.ts'

interface EventRow extends Omit<ActivityEvent, 'actor' | 'count'> {
  actor_id: number | null
  actor_name: string | null
  actor_display_name: string | null
}

export const activity: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    const { entry_id, lineage_id, cursor, limit = limits.page.default } = input
    const rows = await sql<EventRow[]>`
      select a.id, a.event_type, m.id as actor_id, m.name as actor_name, m.display_name as actor_display_name, a.entry_id, a.lineage_id,
             a.object_id, a.batch_key, a.payload, a.created_at
        from activity a left join members m on m.workspace_id = a.workspace_id and m.id = a.actor_id
       where a.workspace_id = ${workspace.id}
         ${entry_id === undefined ? sql`` : sql`and a.entry_id = ${entry_id}`}
         ${lineage_id === undefined ? sql`` : sql`and a.lineage_id = ${lineage_id}`}
         ${cursor === undefined ? sql`` : sql`and a.id < ${cursor}`}
       order by a.id desc limit ${limit + 1}`
    const page = rows.slice(0, limit)
    return { events: collapse(page), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
  },
}

/** The newest event of a batch stands for all of its kind on the page. A batch that goes on on the next page is counted there again. */
function collapse(rows: EventRow[]): ActivityEvent[] {
  const events = new Map<string, ActivityEvent>()
  for (const { actor_id, actor_name, actor_display_name, ...row } of rows) {
    const key = row.batch_key === null ? String(row.id) : `${row.batch_key} ${row.event_type}`
    const known = events.get(key)
    if (known) known.count++
    else {
      const actor = actor_id === null ? null : { id: actor_id, name: actor_name ?? '', display_name: actor_display_name ?? '' }
      events.set(key, { ...row, actor, count: 1 })
    }
  }
  return [...events.values()]
}

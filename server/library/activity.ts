/** Activity: what happened, newest first or from an event on; events of one bulk action shown as one (spec 4.6; contract-gaps 9). */
import type { ActivityEvent, activity as contract } from '../../contract/activity.ts'
import { validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { amongTexts } from '../database/among.ts'
import { type EpochRow, epochOf } from '../epoch.ts'
import type { Handlers } from '../handler.ts'

interface EventRow extends Omit<ActivityEvent, 'actor' | 'count'> {
  actor_id: number | null
  actor_name: string | null
  actor_display_name: string | null
}

export const activity: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    const { entry_id, lineage_id, type, cursor, after, collapse = true, limit = limits.page.default } = input
    if (cursor !== undefined && after !== undefined)
      throw validationError([{ path: 'after', message: 'goes with no cursor: the one reads on, the other back' }])
    const rows = await sql<EventRow[]>`
      select a.id, a.event_type, m.id as actor_id, m.name as actor_name, m.display_name as actor_display_name, a.entry_id, a.lineage_id,
             a.object_id, a.batch_key, a.payload, a.created_at
        from activity a left join members m on m.workspace_id = a.workspace_id and m.id = a.actor_id
       where a.workspace_id = ${workspace.id}
         ${entry_id === undefined ? sql`` : sql`and a.entry_id = ${entry_id}`}
         ${lineage_id === undefined ? sql`` : sql`and a.lineage_id = ${lineage_id}`}
         ${type === undefined ? sql`` : sql`and a.event_type ${amongTexts(sql, type)}`}
         ${cursor === undefined ? sql`` : sql`and a.id < ${cursor}`}
         ${after === undefined ? sql`order by a.id desc` : sql`and a.id > ${after} order by a.id`} limit ${limit + 1}`
    // Rows first: what happens in between is not ahead of this head.
    const [head] = await sql<(EpochRow & { activity_id: number })[]>`
      select activity_id, epoch_id, epoch_began_at from feed_heads where workspace_id = ${workspace.id}`
    if (!head) throw new Error(`workspace ${workspace.id} has no feed head`)
    const library_epoch = epochOf(head)
    if (after !== undefined && after > head.activity_id) return { events: [], next_cursor: null, reset: true, library_epoch }
    const page = rows.slice(0, limit)
    const shown = collapse ? collapsed(page) : page.map((row) => eventOf(row))
    return { events: shown, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null, library_epoch }
  },
}

function eventOf({ actor_id, actor_name, actor_display_name, ...row }: EventRow): ActivityEvent {
  const actor = actor_id === null ? null : { id: actor_id, name: actor_name ?? '', display_name: actor_display_name ?? '' }
  return { ...row, actor, count: 1 }
}

/**
 * The newest event of a batch stands for all of its kind on the page, where the first of them stood. A batch that goes on on the next
 * page is counted there again.
 */
function collapsed(rows: readonly EventRow[]): ActivityEvent[] {
  const batches = Map.groupBy(rows, (row) => (row.batch_key === null ? String(row.id) : `${row.batch_key} ${row.event_type}`))
  return [...batches.values()].map((batch) => {
    const newest = batch.reduce((one, other) => (other.id > one.id ? other : one))
    return { ...eventOf(newest), count: batch.length }
  })
}

/** Notifications: a person's own inbox, and what they want to be told (spec 4.11; contract-gaps 6a). */
import { validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  type notifications as contract,
  type Notification,
  notificationReasons,
  type Prefs,
} from '../../contract/notifications.ts'
import type { InputOf } from '../../contract/route.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { stubOf } from '../rows/json.ts'

export const notifications: Handlers<typeof contract> = {
  async list({ sql, workspace, actor, input }) {
    const { unread = false, cursor, limit = limits.page.default } = input
    const rows = await sql<Notification[]>`
      select n.id, n.reason, ${stubOf(sql, 'm')} as actor, n.entry_id, n.lineage_id, n.object_id, n.comment_id, n.request_id, n.payload,
             n.seen_at, n.read_at, n.created_at
        from (select * from notifications
               where workspace_id = ${workspace.id} and member_id = ${actor.id}
                 ${unread ? sql`and read_at is null` : sql``} ${cursor === undefined ? sql`` : sql`and id < ${cursor}`}
               order by id desc limit ${limit + 1}) n
        left join members m on m.workspace_id = ${workspace.id} and m.id = n.actor_id
       order by n.id desc`
    const page = rows.slice(0, limit)
    return { notifications: page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
  },

  async unreadCount(request) {
    return { unread: await countUnread(request) }
  },

  /** Who has read something has seen it. */
  async read(request) {
    const { sql, now } = request
    const at = now.toISOString()
    const which = sql`and read_at is null ${readWhich(request)}`
    const updated = await mark(request, which, sql`read_at = ${at}, seen_at = coalesce(n.seen_at, ${at})`)
    return { updated, unread: await countUnread(request) }
  },

  async seen(request) {
    const { sql, now, input } = request
    const upTo = input.before_id ? sql`and id <= ${input.before_id}` : sql``
    return { updated: await mark(request, sql`and seen_at is null ${upTo}`, sql`seen_at = ${now.toISOString()}`) }
  },

  prefs: (request) => selectPrefs(request),

  /** Of a reason that is named twice the last word counts. */
  async setPrefs(request) {
    const { sql, workspace, actor, input } = request
    const enabled = Object.fromEntries(input.prefs.map((one) => [one.reason, one.enabled]))
    await sql`
      insert into notification_prefs (workspace_id, member_id, enabled) values (${workspace.id}, ${actor.id}, ${sql.json(enabled)})
      on conflict (workspace_id, member_id) do update set enabled = excluded.enabled`
    return selectPrefs(request)
  },
}

/** The rows are taken in one order, so that two who mark the same ones wait for each other and never in a circle. */
async function mark({ sql, workspace, actor }: Context, which: Fragment, marks: Fragment): Promise<number> {
  const marked = await sql`
    update notifications n set ${marks}
      from (select id from notifications
             where workspace_id = ${workspace.id} and member_id = ${actor.id} ${which} order by id for update) held
     where n.workspace_id = ${workspace.id} and n.member_id = ${actor.id} and n.id = held.id`
  return marked.count
}

/** The ids that are named, or all of them; VALIDATION when it is neither or both. */
function readWhich({ sql, input }: Context & { input: InputOf<(typeof contract)['read']> }): Fragment {
  const { ids, all, before_id } = input
  if (Boolean(ids) === Boolean(all))
    throw validationError([{ path: 'ids', message: 'or `all: true` must be given, one of the two' }])
  if (ids && before_id) throw validationError([{ path: 'before_id', message: 'goes with `all: true` only' }])
  if (ids) return sql`and id ${amongIds(sql, ids)}`
  return before_id ? sql`and id <= ${before_id}` : sql``
}

async function countUnread({ sql, workspace, actor }: Context): Promise<number> {
  const [row] = await sql<{ unread: number }[]>`
    select count(*)::int as unread from notifications
     where workspace_id = ${workspace.id} and member_id = ${actor.id} and read_at is null`
  return row?.unread ?? 0
}

/** The overrides in the order of the reasons. */
async function selectPrefs({ sql, workspace, actor }: Context): Promise<Prefs> {
  const [row] = await sql<{ enabled: Record<string, boolean> }[]>`
    select enabled from notification_prefs where workspace_id = ${workspace.id} and member_id = ${actor.id}`
  const prefs = [...notificationReasons, '*'].flatMap((reason) => {
    const enabled = row?.enabled[reason]
    return enabled === undefined ? [] : [{ reason, enabled }]
  })
  return { prefs, reasons: [...notificationReasons] }
}

/** Review requests: rounds in which several people are asked, and the queues of them (spec 4.5; contract-gaps 6a, 9). */
import { limits } from '../../contract/limits.ts'
import type { reviewRequests as contract } from '../../contract/review-requests.ts'
import type { InputOf } from '../../contract/route.ts'
import type { Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import type { Context, Handlers } from '../handler.ts'
import { cancel, respond } from '../reviews/answer.ts'
import { impactOf } from '../reviews/impact.ts'
import { openRound } from '../reviews/open.ts'
import { changeReviewers } from '../reviews/reviewers.ts'
import { requestNotFound, requireRound } from '../reviews/round.ts'
import { amongRequests, type RequestRow, selectRequestRows, selectWaitingIds } from '../reviews/round-rows.ts'
import { showQueue, showRounds } from '../reviews/shown.ts'
import { requireEntryFace } from '../rows/entry.ts'

export const reviewRequests: Handlers<typeof contract> = {
  async create(request) {
    return { request: await openRound(request) }
  },

  async ofEntry({ sql, workspace, input }) {
    const { entry_id, status } = input
    return atOneMoment(sql, async (sql) => {
      const face = await requireEntryFace(sql, workspace.id, { entryId: entry_id, hold: false })
      const which = sql`and entry_id = ${face.entry_id} ${status ? sql`and status = ${status}` : sql``}`
      return { requests: await showRounds(sql, workspace.id, await selectRequestRows(sql, workspace.id, which)) }
    })
  },

  async list(request) {
    const { workspace, input } = request
    const { limit = limits.page.default } = input
    return atOneMoment(request.sql, async (sql) => {
      const rows = await selectPage({ ...request, sql }, limit + 1)
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null
      return { requests: await showQueue(sql, workspace.id, page), next_cursor: next }
    })
  },

  async waitingCount({ sql, workspace, actor }) {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::int as waiting from review_reviewers
       where workspace_id = ${workspace.id} and member_id = ${actor.id} and is_waiting`
    return { waiting: row?.waiting ?? 0 }
  },

  async get({ sql, workspace, input }) {
    const { round, shown } = await atOneMoment(sql, async (sql) => {
      const round = await requireRound(sql, workspace.id, input.request_id)
      const [shown] = await showQueue(sql, workspace.id, [round])
      if (!shown) throw requestNotFound(input.request_id)
      return { round, shown }
    })
    // The walk may take long: nobody waits for it.
    return { request: { ...shown, impact: await impactOf(sql, workspace.id, round.lineage_id) }, entry: shown.entry }
  },

  async respond(request) {
    return { request: await respond(request) }
  },

  async update(request) {
    return { request: await changeReviewers(request) }
  },

  async cancel(request) {
    return { request: await cancel(request) }
  },
}

type Listing = Context & { sql: Sql; input: InputOf<(typeof contract)['list']> }

async function selectPage({ sql, workspace, actor, input }: Listing, limit: number): Promise<RequestRow[]> {
  const { view = 'all', status, cursor } = input
  if (view === 'waiting_on_me') {
    // Closed rounds wait for nobody.
    if (status && status !== 'open') return []
    const ids = await selectWaitingIds(sql, workspace.id, { memberId: actor.id, before: cursor, limit })
    return selectRequestRows(sql, workspace.id, amongRequests(sql, ids))
  }
  return selectRequestRows(
    sql,
    workspace.id,
    sql`${view === 'requested_by_me' ? sql`and requested_by = ${actor.id}` : sql``} ${status ? sql`and status = ${status}` : sql``}
        ${cursor === undefined ? sql`` : sql`and id < ${cursor}`} order by id desc limit ${limit}`,
  )
}

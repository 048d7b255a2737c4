/** Webhooks: endpoints, their deliveries, tests and replays (spec 4.10; contract-gaps 9). What is due is sent by server/work/webhooks.ts. */
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { webhooks as contract } from '../../contract/webhooks.ts'
import { newSecret } from '../accounts/secrets.ts'
import { sentFields } from '../curation/sent-fields.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Context, Handlers } from '../handler.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { holdWebhook, requireWebhook, selectDeliveries, selectWebhooks, webhookNotFound } from '../webhooks/endpoint-rows.ts'
import { RefusedAddress } from '../webhooks/endpoint-url.ts'
import { replaySince } from '../webhooks/replay.ts'
import { sendTest } from '../webhooks/test-call.ts'

export const webhooks: Handlers<typeof contract> = {
  async list({ sql, workspace }) {
    return { webhooks: await selectWebhooks(sql, workspace.id, sql`order by w.id`) }
  },

  async create(request) {
    const { sql, workspace, actor, now, input } = request
    const { url, secret = `whsec_${newSecret()}`, events, format = 'json', active = true } = input
    await requireEndpoint(request, url)
    const made = async (inside: Sql) => {
      await requireFewer(inside, workspace.id)
      const [endpoint] = await inside<{ id: number }[]>`
        insert into webhooks (workspace_id, url, secret, events, format, active, cursor, created_by, created_at)
        select ${workspace.id}, ${url}, ${secret}, ${eventsJson(sql, events)}, ${format}, ${active}, h.activity_id, ${actor.id}, ${now.toISOString()}
          from feed_heads h where h.workspace_id = ${workspace.id}
        returning id`
      if (!endpoint) throw new Error('the webhook was not recorded')
      return requireWebhook(inside, workspace.id, endpoint.id)
    }
    const webhook = await inTransaction(sql, made, workspace.id)
    request.deliveries.lookSoon(request.workspace.id)
    return { ...webhook, secret }
  },

  async update(request) {
    const { sql, workspace, input } = request
    const sent = sentFields(input, ['url', 'secret', 'events', 'format', 'active'])
    if (input.url !== undefined) await requireEndpoint(request, input.url)
    const row = { ...sent, ...(input.events === undefined ? {} : { events: eventsJson(sql, input.events) }) }
    const changed = async (inside: Sql) => {
      await holdWebhook(inside, workspace.id, input.webhook_id)
      await inside`update webhooks set ${inside(row)} where workspace_id = ${workspace.id} and id = ${input.webhook_id}`
      return requireWebhook(inside, workspace.id, input.webhook_id)
    }
    const webhook = await inTransaction(sql, changed, workspace.id)
    request.deliveries.lookSoon(request.workspace.id)
    return input.secret === undefined ? webhook : { ...webhook, secret: input.secret }
  },

  /** Its deliveries, of which there may be many, go by background work; nobody sees them from now on. */
  async remove({ sql, workspace, now, input }) {
    const [gone] = await sql`
      update webhooks set deleted_at = ${now.toISOString()}, active = false, url = '', secret = ''
       where workspace_id = ${workspace.id} and id = ${input.webhook_id} and deleted_at is null returning id`
    if (!gone) throw webhookNotFound(input.webhook_id)
  },

  test: (request) => sendTest(request, request.input.webhook_id),

  async deliveries({ sql, workspace, input }) {
    const { webhook_id: id, limit = limits.page.default } = input
    await requireWebhook(sql, workspace.id, id)
    return { deliveries: await selectDeliveries(sql, workspace.id, { id, limit }) }
  },

  async replay(request) {
    const { sql, workspace, input } = request
    const since = new Date(input.since)
    if (!/^\d{4}-\d\d-\d\d/.test(input.since) || Number.isNaN(since.getTime()))
      throw validationError([{ path: 'since', message: 'must be a moment such as 2026-11-26T08:00:00Z' }])
    const replayed = (inside: Sql) => replaySince(inside, workspace.id, { id: input.webhook_id, since })
    const queued = await inTransaction(sql, replayed, workspace.id)
    request.deliveries.lookSoon(request.workspace.id)
    return { queued }
  },
}

async function requireEndpoint({ deliveries: { sender } }: Context, url: string): Promise<void> {
  try {
    await sender.names.requireEndpoint(url)
  } catch (error) {
    if (error instanceof RefusedAddress) throw validationError([{ path: 'url', message: error.message }])
    throw error
  }
}

/** Counted under the lock, so that no two come at once. */
async function requireFewer(sql: Sql, workspaceId: number): Promise<void> {
  await lockWorkspace(sql, workspaceId)
  const [there] = await sql<{ count: number }[]>`
    select count(*) as count from webhooks where workspace_id = ${workspaceId} and deleted_at is null`
  const most = limits.webhook.perWorkspace
  if ((there?.count ?? 0) >= most)
    throw new ApiError('CONFLICT', `This workspace has ${most} webhooks, as many as it may. Delete one that nobody needs first.`)
}

const eventsJson = (sql: Sql, events: readonly string[] | null | undefined) => (events ? sql.json([...new Set(events)]) : null)

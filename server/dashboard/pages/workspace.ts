/** The workspace itself: its state, the room it takes, its budgets. */

import { addressOf } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { type WorkspaceFacts, WorkspacePage } from '../views/workspace.tsx'
import type { MemberVisit } from '../visit.ts'
import { roomOf } from './storage-use.ts'

export const workspace = {
  async 'GET /workspace'(visit: MemberVisit): Promise<Answer> {
    return show(WorkspacePage, { frame: visit.frame, facts: await factsOf(visit) })
  },
}

async function factsOf(visit: MemberVisit): Promise<WorkspaceFacts> {
  const { sql, membership, services } = visit
  const { id, state } = membership.workspace
  const [row] = await sql<
    { agent_calls_per_month: number | null }[]
  >`select agent_calls_per_month from workspaces where id = ${id}`
  return {
    ...(await roomOf(sql, id)),
    state,
    agentCallsPerMonth: row?.agent_calls_per_month ?? null,
    requestsPerMinute: services.settings.rateLimitRequests,
    pushRequestsPerMinute: services.settings.rateLimitPush,
    address: addressOf(visit),
  }
}

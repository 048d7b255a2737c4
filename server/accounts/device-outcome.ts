/** What became of a device sign-in that is no longer to be decided, as far as it is the business of who entered its code. */
import type { Sql } from '../database/sql.ts'
import { hashUserCode } from './device-sign-in.ts'

export interface Outcome {
  /** `decided`: by someone else. */
  kind: 'approved' | 'collected' | 'denied' | 'expired' | 'decided'
  clientName: string
  /** The workspace that the person let it into. */
  workspaceName: string | undefined
  decidedAt: Date | undefined
}

/** Undefined for a code that is unknown, or that still waits. Who calls it has counted the attempt (`findWaiting`). */
export async function findOutcome(sql: Sql, { userCode, accountId, now }: { userCode: string; accountId: number; now: Date }) {
  const [row] = await sql<OutcomeRow[]>`
    select d.state, d.client_name, d.expires_at, d.decided_at, w.name as workspace_name, m.account_id
      from device_sign_ins d
      left join workspaces w on w.id = d.workspace_id
      left join members m on m.workspace_id = d.workspace_id and m.id = d.member_id
     where d.user_code_hash = ${hashUserCode(userCode)}`
  const kind = row && kindOf(row, accountId, now)
  if (!row || !kind) return undefined
  const isOwn = kind === 'approved' || kind === 'collected'
  const outcome: Outcome = {
    kind,
    clientName: row.client_name,
    workspaceName: isOwn ? (row.workspace_name ?? undefined) : undefined,
    decidedAt: row.decided_at ?? undefined,
  }
  return outcome
}

interface OutcomeRow {
  state: 'pending' | 'approved' | 'denied' | 'collected'
  client_name: string
  expires_at: Date
  decided_at: Date | null
  workspace_name: string | null
  account_id: number | null
}

function kindOf({ state, expires_at, account_id }: OutcomeRow, accountId: number, now: Date): Outcome['kind'] | undefined {
  if (state === 'denied') return 'denied'
  if (state === 'collected') return account_id === accountId ? 'collected' : 'decided'
  if (now >= expires_at) return 'expired'
  if (state === 'approved') return account_id === accountId ? 'approved' : 'decided'
  return undefined
}

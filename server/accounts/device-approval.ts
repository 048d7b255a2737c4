/** Device sign-ins as a person sees them: who asks, from where, for what; then yes or no. A link alone decides nothing (spec 5). */

import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { type DeviceRow, hashUserCode, isUserCode } from './device-sign-in.ts'
import { countFailures } from './throttle.ts'

/** Someone signed in who entered a code. */
export interface CodeEntry {
  userCode: string
  accountId: number
  now: Date
}

export interface WaitingSignIn {
  clientName: string
  /** What the program asks for: the most that the key may do. */
  scope: 'read' | 'write'
  /** IP address of the program, or `unknown`. */
  requestedFrom: string
  /** The workspace whose address the program asked. */
  requestedWorkspaceId: number | null
  requestedAt: Date
  expiresAt: Date
}

/**
 * The sign-in that waits under a code. Throws NOT_FOUND for an unknown code and RATE_LIMITED after ten of those, DEVICE_EXPIRED, and
 * CONFLICT where it was decided already.
 */
export async function findWaiting(sql: Sql, entry: CodeEntry): Promise<WaitingSignIn> {
  const row = await requireWaiting(sql, entry)
  return {
    clientName: row.client_name,
    scope: row.scope,
    requestedFrom: row.asked_from,
    requestedWorkspaceId: row.asked_workspace_id,
    requestedAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

export interface Approval extends CodeEntry {
  /** Where the key will be good for. The account has to belong to it. */
  workspaceId: number
  /** As it was shown: no more than was asked for. */
  scope: 'read' | 'write'
}

/** Throws as `findWaiting` does, and FORBIDDEN for a workspace that is not the person's, or more scope than was asked for. */
export async function approveSignIn(sql: Sql, approval: Approval): Promise<void> {
  const { accountId, workspaceId, scope, now } = approval
  await requireWaiting(sql, approval)
  await inTransaction(sql, async (tx) => {
    const row = await holdWaiting(tx, approval)
    if (row.scope === 'read' && scope === 'write') throw new ApiError('FORBIDDEN', 'This program asked for reading only.')
    const [member] = await tx<{ id: number }[]>`
      select id from members where workspace_id = ${workspaceId} and account_id = ${accountId} and status = 'active'`
    if (!member) throw new ApiError('FORBIDDEN', 'You do not belong to that workspace.')
    await tx`
      update device_sign_ins
         set state = 'approved', granted_scope = ${scope}, workspace_id = ${workspaceId}, member_id = ${member.id}, decided_at = ${now.toISOString()}
       where device_code_hash = ${row.device_code_hash}`
  })
}

/** Throws as `findWaiting` does. */
export async function denySignIn(sql: Sql, entry: CodeEntry): Promise<void> {
  await requireWaiting(sql, entry)
  await inTransaction(sql, async (tx) => {
    const row = await holdWaiting(tx, entry)
    await tx`
      update device_sign_ins set state = 'denied', decided_at = ${entry.now.toISOString()}
       where device_code_hash = ${row.device_code_hash}`
  })
}

/** Codes are short enough to be guessed by the thousand: a person who enters unknown ones has to wait. What is no code is none of them. */
async function requireWaiting(sql: Sql, { userCode, accountId, now }: CodeEntry): Promise<DeviceRow> {
  if (!isUserCode(userCode)) return waiting(undefined, now)
  const subjects = [{ kind: 'user_code' as const, of: String(accountId) }]
  return waiting(await countFailures(sql, { subjects, now }, () => findRow(sql, userCode)), now)
}

/** The same, until the end of the transaction nobody else's to decide. */
const holdWaiting = async (sql: Sql, { userCode, now }: CodeEntry): Promise<DeviceRow> =>
  waiting(await findRow(sql, userCode, 'hold'), now)

async function findRow(sql: Sql, userCode: string, hold?: 'hold'): Promise<DeviceRow | undefined> {
  const [row] = await sql<DeviceRow[]>`
    select * from device_sign_ins where user_code_hash = ${hashUserCode(userCode)} ${hold ? sql`for update` : sql``}`
  return row
}

function waiting(row: DeviceRow | undefined, now: Date): DeviceRow {
  if (!row) throw new ApiError('NOT_FOUND', 'No sign-in waits under this code. Compare it with the one that the program shows.')
  if (now >= row.expires_at) throw new ApiError('DEVICE_EXPIRED', 'This code has expired. Let the program start again.')
  if (row.state !== 'pending')
    throw new ApiError('CONFLICT', `This sign-in was ${row.state === 'denied' ? 'denied' : 'approved'} already.`)
  return row
}

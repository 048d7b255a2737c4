/** Sessions of the dashboard: a new id at every sign-in, kept as its hash, for thirty days at most (contract-gaps 3). */

import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { type Carried, type KnownDevice, knowDevice } from './known-devices.ts'
import { csrfTokenOf, hashSecret, isSecret, newSecret } from './secrets.ts'

export interface Session {
  /** What the cookie holds: a secret. */
  id: string
  accountId: number
  email: string
  csrfToken: string
  expiresAt: Date
}

/** A session that began with this request. */
export interface NewlySignedIn extends Session {
  device: KnownDevice
}

const dayMs = 24 * 3_600_000
/** How old `last_seen_at` may be: a write an hour, not one a request. */
const seenMs = 3_600_000

export interface NewSession {
  accountId: number
  /** The hash that the password was compared with: where that is another one by now, there is no session. */
  passwordHash?: string
  /** What the person came with: the session ends, and the browser is known from now on. */
  browser: Carried
  now: Date
}

/** Undefined when the account, or the password, is not the one any more. */
export async function startSession(
  sql: Sql,
  { accountId, passwordHash, browser, now }: NewSession,
): Promise<NewlySignedIn | undefined> {
  const id = newSecret()
  const at = now.toISOString()
  const expiresAt = new Date(now.getTime() + limits.signIn.sessionDays * dayMs)
  return inTransaction(sql, async (tx) => {
    // Who changes the password, or signs in too, waits for this or this for them: no session outlives its password.
    const unchanged = passwordHash === undefined ? tx`` : tx`and password_hash = ${passwordHash}`
    const [account] = await tx<
      { email: string }[]
    >`select email from accounts where id = ${accountId} ${unchanged} for no key update`
    if (!account) return undefined
    if (browser.sessionId !== undefined) await endSession(tx, browser.sessionId)
    await tx`
      insert into sessions (id_hash, account_id, created_at, last_seen_at, expires_at)
      values (${hashSecret(id)}, ${accountId}, ${at}, ${at}, ${expiresAt.toISOString()})`
    await prune(tx, accountId, now)
    const device = await knowDevice(tx, { accountId, browser, now })
    return { device, id, accountId, email: account.email, csrfToken: csrfTokenOf(id), expiresAt }
  })
}

/** Undefined for a session that is unknown or over, and for someone who belongs to no workspace any more. */
export async function findSession(sql: Sql, id: string | undefined, now: Date): Promise<Session | undefined> {
  if (id === undefined || !isSecret(id)) return undefined
  const idHash = hashSecret(id)
  const [row] = await sql<{ account_id: number; email: string; expires_at: Date; last_seen_at: Date }[]>`
    select s.account_id, a.email, s.expires_at, s.last_seen_at
      from sessions s join accounts a on a.id = s.account_id
     where s.id_hash = ${idHash} and s.expires_at > ${now.toISOString()}
       and exists (select 1 from members m where m.account_id = s.account_id and m.status = 'active')`
  if (!row) return undefined
  if (Math.abs(now.getTime() - row.last_seen_at.getTime()) > seenMs)
    await sql`update sessions set last_seen_at = ${now.toISOString()} where id_hash = ${idHash}`
  return { id, accountId: row.account_id, email: row.email, csrfToken: csrfTokenOf(id), expiresAt: row.expires_at }
}

/** Does nothing when there is none. */
export async function endSession(sql: Sql, id: string): Promise<void> {
  await sql`delete from sessions where id_hash = ${hashSecret(id)}`
}

/** What is over goes, and of one account all but those that were in use last. */
async function prune(sql: Sql, accountId: number, now: Date): Promise<void> {
  await sql`
    delete from sessions where id_hash in (
      select id_hash from sessions where expires_at < ${now.toISOString()} order by expires_at limit 100 for update skip locked)`
  await sql`
    delete from sessions where id_hash in (
      select id_hash from sessions where account_id = ${accountId}
       order by last_seen_at desc, created_at desc offset ${limits.signIn.sessions})`
}

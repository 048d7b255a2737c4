/**
 * Browsers that signed in to an account before. Failures there are counted for that browser alone: attempts from elsewhere do not shut
 * it out, and it uses up nothing of what others have. The cookie opens nothing, and counts for no other account.
 */
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { hashSecret, isSecret, newSecret } from './secrets.ts'
import type { Subject } from './throttle.ts'

/** The cookies that a browser came with, not looked at yet. */
export interface Carried {
  sessionId: string | undefined
  deviceId: string | undefined
}

export interface KnownDevice {
  /** For the cookie: a secret. */
  id: string
  expiresAt: Date
}

const dayMs = 24 * 3_600_000
/** Accounts that one cookie is known to. */
const accountsEach = 20

export interface Comer {
  email: string
  browser: Carried
  now: Date
}

/** Whose failures are counted when this browser tries this account. Undefined: the browser is not known to it. */
export async function ownCount(sql: Sql, { email, browser, now }: Comer): Promise<Subject | undefined> {
  const [sessionHash, deviceHash] = [browser.sessionId, browser.deviceId].map(hashOf)
  if (!sessionHash && !deviceHash) return undefined
  const at = now.toISOString()
  const [found] = await sql<{ device: number | null; is_signed_in: boolean }[]>`
    select (select d.id from known_devices d
             where d.account_id = a.id and d.secret_hash = ${deviceHash ?? ''} and d.expires_at > ${at}) as device,
           exists (select 1 from sessions s
                    where s.account_id = a.id and s.id_hash = ${sessionHash ?? ''} and s.expires_at > ${at}) as is_signed_in
      from accounts a where a.email = ${email}`
  if (found?.device) return { kind: 'login_device', of: String(found.device) }
  return found?.is_signed_in && sessionHash ? { kind: 'login_session', of: sessionHash } : undefined
}

const hashOf = (cookie: string | undefined): string | undefined =>
  cookie !== undefined && isSecret(cookie) ? hashSecret(cookie) : undefined

export interface SignedIn {
  accountId: number
  browser: Carried
  now: Date
}

/**
 * Makes the browser known to an account that is held. The cookie is a new one each time: one that was put into the browser by someone
 * else is worth nothing to them afterwards.
 */
export async function knowDevice(sql: Sql, { accountId, browser, now }: SignedIn): Promise<KnownDevice> {
  const id = newSecret()
  const before = hashOf(browser.deviceId)
  const expiresAt = new Date(now.getTime() + limits.signIn.deviceDays * dayMs)
  const own = {
    account_id: accountId,
    secret_hash: hashSecret(id),
    seen_at: now.toISOString(),
    expires_at: expiresAt.toISOString(),
  }
  const kept = before === undefined ? [] : await renew(sql, before, own)
  if (kept.length === 0) await sql`insert into known_devices ${sql(own)}`
  await prune(sql, accountId, now)
  return { id, expiresAt }
}

/** Gives the row of the account, where there is one. What another sign-in holds at this moment is left to that. */
async function renew(
  sql: Sql,
  before: string,
  own: { account_id: number; secret_hash: string; seen_at: string; expires_at: string },
) {
  await sql`
    update known_devices set secret_hash = ${own.secret_hash} where id in (
      select id from known_devices where secret_hash = ${before} and account_id <> ${own.account_id}
       order by seen_at desc limit ${accountsEach - 1} for update skip locked)`
  return sql`
    update known_devices set secret_hash = ${own.secret_hash}, seen_at = ${own.seen_at}, expires_at = ${own.expires_at}
     where secret_hash = ${before} and account_id = ${own.account_id} returning id`
}

/** After a new password that its person chose: browsers that signed in with the old one are unknown again. */
export async function forgetDevices(sql: Sql, accountId: number): Promise<void> {
  await sql`delete from known_devices where account_id = ${accountId}`
}

/** What is over goes, and of one account all but those that signed in last. */
async function prune(sql: Sql, accountId: number, now: Date): Promise<void> {
  await sql`
    delete from known_devices where id in (
      select id from known_devices where expires_at < ${now.toISOString()} order by expires_at limit 100 for update skip locked)`
  await sql`
    delete from known_devices where id in (
      select id from known_devices where account_id = ${accountId}
       order by seen_at desc, id desc offset ${limits.signIn.devices})`
}

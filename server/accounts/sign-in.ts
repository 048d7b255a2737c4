/** Signing in with e-mail and password, and changing the password (contract-gaps 3). */

import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { type Session, startSession } from './sessions.ts'
import { countFailures, networkOf, type Subject } from './throttle.ts'

export interface Credentials {
  email: string
  password: string
  /** Where the person comes from: an IP address. */
  address: string
  /** The session that the person came with: it ends. */
  replaces: string | undefined
  now: Date
}

/** Those that are tried at one moment count as failures until they are done: fewer than a person may have. */
const passwordQueue = pLimit(4)
const mostWaiting = 100

/** Throws UNAUTHORIZED for an unknown e-mail as for a wrong password, RATE_LIMITED after ten of them. */
export async function signIn(sql: Sql, credentials: Credentials): Promise<Session> {
  const { now, address } = credentials
  const email = credentials.email.trim().toLowerCase()
  const session = await inQueue(() =>
    countFailures(sql, { subjects: subjectsOf(email, address), now }, () => attempt(sql, { ...credentials, email })),
  )
  if (!session) throw new ApiError('UNAUTHORIZED', 'The e-mail address or the password is not right.')
  return session
}

async function attempt(sql: Sql, { email, password, replaces, now }: Credentials): Promise<Session | undefined> {
  const [account] = await sql<{ id: number; password_hash: string | null; belongs: boolean }[]>`
    select id, password_hash, exists (select 1 from members m where m.account_id = a.id and m.status = 'active') as belongs
      from accounts a where email = ${email}`
  const isRight = await isPassword(password, account?.password_hash)
  if (!account?.password_hash || !isRight || !account.belongs) return undefined
  return startSession(sql, { accountId: account.id, passwordHash: account.password_hash, replaces, now })
}

export interface Proof {
  accountId: number
  /** As it was typed. */
  password: string
  /** Where the person comes from: an IP address. */
  address: string
  now: Date
}

/**
 * Gives the hash that the current password was compared with: what follows from it counts only while the account still has that one.
 * Throws UNAUTHORIZED when the password is not right, RATE_LIMITED after ten of them.
 */
export async function provePassword(sql: Sql, { accountId, password, address, now }: Proof): Promise<string> {
  const [account] = await sql<{ email: string; password_hash: string | null }[]>`
    select email, password_hash from accounts where id = ${accountId}`
  const { email = '', password_hash: hash = null } = account ?? {}
  const compare = async () => ((await isPassword(password, hash)) ? hash : null) ?? undefined
  const proven = await inQueue(() => countFailures(sql, { subjects: subjectsOf(email, address), now }, compare))
  if (proven === undefined) throw wrongPassword()
  return proven
}

export const wrongPassword = () => new ApiError('UNAUTHORIZED', 'The current password is not right.')

export interface PasswordChange extends Proof {
  newPassword: string
  /** The session that the person came with: it ends. */
  replaces: string | undefined
}

/** Ends every session of the account, and begins one. Throws what `provePassword` does. */
export async function changePassword(sql: Sql, { newPassword, replaces, ...proof }: PasswordChange): Promise<Session> {
  const { accountId, now } = proof
  const proven = await provePassword(sql, proof)
  const passwordHash = await hashPassword(newPassword)
  return inTransaction(sql, async (tx) => {
    const account = await holdAccount(tx, accountId)
    // Someone else has changed it meanwhile, and who knew the old one is out.
    if (account?.passwordHash !== proven) throw wrongPassword()
    await replacePassword(tx, { accountId, passwordHash, isLinked: account.isPasswordLinked })
    const session = await startSession(tx, { accountId, passwordHash, replaces, now })
    if (!session) throw wrongPassword()
    return session
  })
}

/** For the administrator of the server. Ends every session of the account. */
export async function setPassword(sql: Sql, accountId: number, password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await inTransaction(sql, async (tx) => {
    await holdAccount(tx, accountId)
    await replacePassword(tx, { accountId, passwordHash, isLinked: false })
  })
}

export interface HeldAccount {
  id: number
  passwordHash: string | null
  isPasswordLinked: boolean
}

/** Until the end of the transaction nobody else changes its password, starts a session, or lets it into a workspace. */
export async function holdAccount(sql: Sql, accountId: number): Promise<HeldAccount | undefined> {
  const [row] = await sql<{ id: number; password_hash: string | null; is_password_linked: boolean }[]>`
    select id, password_hash, is_password_linked from accounts where id = ${accountId} for no key update`
  return row && { id: row.id, passwordHash: row.password_hash, isPasswordLinked: row.is_password_linked }
}

export interface ReplacedPassword {
  accountId: number
  /** Null: nothing signs in any more until a new one is set. */
  passwordHash: string | null
  /** Whether someone of a workspace may know it (migration 012). */
  isLinked: boolean
}

/** Of an account that is held. Who knew the old one, or holds a link to choose one, is out. */
export async function replacePassword(sql: Sql, { accountId, passwordHash, isLinked }: ReplacedPassword): Promise<void> {
  await sql`update accounts set password_hash = ${passwordHash}, is_password_linked = ${isLinked} where id = ${accountId}`
  await sql`delete from sessions where account_id = ${accountId}`
  await sql`delete from password_links where account_id = ${accountId}`
}

const subjectsOf = (email: string, address: string): Subject[] => [
  { kind: 'login_email', of: email },
  { kind: 'login_address', of: networkOf(address) },
]

async function inQueue<T>(work: () => Promise<T>): Promise<T> {
  if (passwordQueue.pendingCount >= mostWaiting)
    throw new ApiError('UNAVAILABLE', 'Too many people are signing in at this moment. Try again in a few seconds.', {
      reason: 'busy',
      retry_after_seconds: 5,
    })
  return passwordQueue(work)
}

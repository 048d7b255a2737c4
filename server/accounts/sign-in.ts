/** Signing in with e-mail and password, and changing the password (contract-gaps 3). */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/open.ts'
import { inTransaction } from '../transaction.ts'
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
const turns = pLimit(4)
const mostWaiting = 100

/** Throws UNAUTHORIZED for an unknown e-mail as for a wrong password, RATE_LIMITED after ten of them. */
export async function signIn(sql: Sql, credentials: Credentials): Promise<Session> {
  const { now, address } = credentials
  const email = credentials.email.trim().toLowerCase()
  const session = await inTurn(() =>
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

export interface PasswordChange {
  accountId: number
  current: string
  password: string
  address: string
  now: Date
}

/** Ends every session of the account, the one that asks included. Throws UNAUTHORIZED when `current` is not right, or RATE_LIMITED. */
export async function changePassword(sql: Sql, { accountId, current, password, address, now }: PasswordChange): Promise<void> {
  const [account] = await sql<{ email: string; password_hash: string | null }[]>`
    select email, password_hash from accounts where id = ${accountId}`
  const subjects = subjectsOf(account?.email ?? '', address)
  const isRight = await inTurn(() =>
    countFailures(sql, { subjects, now }, async () => (await isPassword(current, account?.password_hash)) || undefined),
  )
  if (!isRight) throw new ApiError('UNAUTHORIZED', 'The present password is not right.')
  await setPassword(sql, accountId, password)
}

/** For whoever runs the server. Ends every session of the account. */
export async function setPassword(sql: Sql, accountId: number, password: string): Promise<void> {
  const hash = await hashPassword(password)
  await inTransaction(sql, (tx) => replacePassword(tx, accountId, hash))
}

/** Whoever knew the old one, or holds a link to choose one, is out. */
export async function replacePassword(sql: Sql, accountId: number, passwordHash: string): Promise<void> {
  await sql`update accounts set password_hash = ${passwordHash} where id = ${accountId}`
  await sql`delete from sessions where account_id = ${accountId}`
  await sql`delete from invitations where account_id = ${accountId}`
}

const subjectsOf = (email: string, address: string): Subject[] => [
  { kind: 'login_email', of: email },
  { kind: 'login_address', of: networkOf(address) },
]

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (turns.pendingCount >= mostWaiting)
    throw new ApiError('UNAVAILABLE', 'Too many people are signing in at this moment. Try again in a few seconds.', {
      reason: 'busy',
      retry_after_seconds: 5,
    })
  return turns(work)
}

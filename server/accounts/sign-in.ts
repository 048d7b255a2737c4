/** Signing in with e-mail and password, and changing the password (contract-gaps 3). */

import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { type Carried, type Comer, forgetDevices, ownCount } from './known-devices.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { type NewlySignedIn, startSession } from './sessions.ts'
import { countFailures, networkOf, type Subject } from './throttle.ts'

export interface Credentials {
  email: string
  password: string
  /** Where the person comes from: an IP address. */
  address: string
  /** What the person came with: the session ends, and the browser is known from now on. */
  browser: Carried
  now: Date
}

/** Those that are tried at one moment count as failures until they are done: fewer than a person may have. */
const queues = { known: pLimit(4), unknown: pLimit(4) }
const mostWaiting = 100

/** Throws UNAUTHORIZED for an unknown e-mail as for a wrong password, RATE_LIMITED after ten of them. */
export async function signIn(sql: Sql, credentials: Credentials): Promise<NewlySignedIn> {
  const email = credentials.email.trim().toLowerCase()
  const session = await counted(sql, { ...credentials, email }, () => attempt(sql, { ...credentials, email }))
  if (!session) throw new ApiError('UNAUTHORIZED', 'The e-mail address or the password is not right.')
  return session
}

async function attempt(sql: Sql, { email, password, browser, now }: Credentials): Promise<NewlySignedIn | undefined> {
  const [account] = await sql<{ id: number; password_hash: string | null; belongs: boolean }[]>`
    select id, password_hash, exists (select 1 from members m where m.account_id = a.id and m.status = 'active') as belongs
      from accounts a where email = ${email}`
  const isRight = await isPassword(password, account?.password_hash)
  if (!account?.password_hash || !isRight || !account.belongs) return undefined
  return startSession(sql, { accountId: account.id, passwordHash: account.password_hash, browser, now })
}

export interface Proof {
  accountId: number
  /** As it was typed. */
  password: string
  /** Where the person comes from: an IP address. */
  address: string
  browser: Carried
  now: Date
}

/**
 * Gives the hash that the current password was compared with: what follows from it counts only while the account still has that one.
 * Throws UNAUTHORIZED when the password is not right, RATE_LIMITED after ten of them.
 */
export async function provePassword(sql: Sql, { accountId, ...comer }: Proof): Promise<string> {
  const [account] = await sql<{ email: string; password_hash: string | null }[]>`
    select email, password_hash from accounts where id = ${accountId}`
  const { email = '', password_hash: hash = null } = account ?? {}
  const compare = async () => ((await isPassword(comer.password, hash)) ? hash : null) ?? undefined
  const proven = await counted(sql, { ...comer, email }, compare)
  if (proven === undefined) throw wrongPassword()
  return proven
}

export const wrongPassword = () => new ApiError('UNAUTHORIZED', 'The current password is not right.')

export interface PasswordChange extends Proof {
  newPassword: string
}

/** Ends every session of the account, and begins one. Throws what `provePassword` does. */
export async function changePassword(sql: Sql, { newPassword, ...proof }: PasswordChange): Promise<NewlySignedIn> {
  const { accountId, browser, now } = proof
  const proven = await provePassword(sql, proof)
  const passwordHash = await hashPassword(newPassword)
  return inTransaction(sql, async (tx) => {
    const account = await holdAccount(tx, accountId)
    // Someone else has changed it meanwhile, and who knew the old one is out.
    if (account?.passwordHash !== proven) throw wrongPassword()
    await replacePassword(tx, { accountId, passwordHash, isLinked: account.isPasswordLinked })
    const session = await startSession(tx, { accountId, passwordHash, browser, now })
    if (!session) throw wrongPassword()
    return session
  })
}

/**
 * For the administrator of the server. Ends every session of the account. The browsers where its person signed in before stay known: who
 * forgot the password while others try theirs could not get in anywhere else.
 */
export async function setPassword(sql: Sql, accountId: number, password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await inTransaction(sql, async (tx) => {
    await holdAccount(tx, accountId)
    await replacePassword(tx, { accountId, passwordHash, isLinked: false, keepsDevices: true })
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
  /** Whether browsers that signed in before stay known. */
  keepsDevices?: boolean
}

/** Of an account that is held. Who knew the old one, or holds a link to choose one, is out. */
export async function replacePassword(sql: Sql, replaced: ReplacedPassword): Promise<void> {
  const { accountId, passwordHash, isLinked, keepsDevices = false } = replaced
  await sql`update accounts set password_hash = ${passwordHash}, is_password_linked = ${isLinked} where id = ${accountId}`
  await sql`delete from sessions where account_id = ${accountId}`
  await sql`delete from password_links where account_id = ${accountId}`
  if (!keepsDevices) await forgetDevices(sql, accountId)
}

/**
 * A try of a password, given undefined where it is wrong: counted for the browser where the account knows it, else for the e-mail and
 * the address. Known browsers wait in a queue of their own, which others cannot fill.
 */
async function counted<T>(sql: Sql, comer: Trying, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  const { email, address, now } = comer
  if (!couldBeRight(comer)) return undefined
  const own = await ownCount(sql, comer)
  const subjects = own ? [own] : countsOfOthers(email, address)
  return inQueue(own ? 'known' : 'unknown', () => countFailures(sql, { subjects, now }, attempt))
}

interface Trying extends Comer {
  password: string
  address: string
}

/** What is left empty, or is no e-mail address, is no try of a password. */
const couldBeRight = ({ email, password }: Trying): boolean => password !== '' && email.includes('@')

const countsOfOthers = (email: string, address: string): Subject[] => [
  { kind: 'login_email', of: email },
  { kind: 'login_address', of: networkOf(address) },
]

async function inQueue<T>(which: keyof typeof queues, work: () => Promise<T>): Promise<T> {
  const queue = queues[which]
  if (queue.pendingCount >= mostWaiting)
    throw new ApiError('UNAVAILABLE', 'Too many people are signing in at this moment. Try again in a few seconds.', {
      reason: 'busy',
      retry_after_seconds: 5,
    })
  return queue(work)
}

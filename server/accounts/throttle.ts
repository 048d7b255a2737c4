/** Throttles: how often one e-mail, address, known browser or person may try within ten minutes (contract-gaps 3). In the database, so that all processes count together. */

import { randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { hashSecret } from './secrets.ts'

/** What is counted, and the attempts that are let through. */
const most = {
  login_email: limits.signIn.failures,
  login_address: limits.signIn.failures,
  login_device: limits.signIn.failures,
  login_session: limits.signIn.failures,
  user_code: limits.signIn.failures,
  device_code: limits.signIn.codeRequests,
} as const

export interface Subject {
  kind: keyof typeof most
  /** The e-mail, the network, the number of the browser, the hash of the session, or the account id. */
  of: string
}

interface Attempted {
  subjects: readonly Subject[]
  now: Date
}

/** Milliseconds since 1970, and a ticket while nobody knows yet how it ends. */
type Attempt = [at: number, ticket: string | null]

const windowMs = limits.signIn.windowMinutes * 60_000

/** How long who comes while others are still trying is asked to wait. */
const openSeconds = 1

/** Counts an attempt, or refuses it with RATE_LIMITED. */
export async function countAttempt(sql: Sql, attempted: Attempted): Promise<void> {
  await amend(sql, attempted, (attempts, kind) => take(attempts, { kind, ticket: null, now: attempted.now }))
}

/**
 * Runs `work` as an attempt that counts when it gives undefined. It is counted before it runs, so that many at one moment are not
 * let through together; what gives something, or fails for another reason, is not counted in the end. Throws RATE_LIMITED.
 */
export async function countFailures<T>(sql: Sql, attempted: Attempted, work: () => Promise<T>): Promise<T> {
  const ticket = randomUUID()
  await amend(sql, attempted, (attempts, kind) => take(attempts, { kind, ticket, now: attempted.now }))
  const others = (attempts: Attempt[]) => attempts.filter((attempt) => attempt[1] !== ticket)
  const closed = (attempts: Attempt[]) => attempts.map(([at, held]): Attempt => [at, held === ticket ? null : held])
  let end = others
  try {
    const found = await work()
    if (found === undefined) end = closed
    return found
  } finally {
    await amend(sql, attempted, end)
  }
}

/** The attempts of one subject with one more, or RATE_LIMITED. */
function take(
  attempts: Attempt[],
  { kind, ticket, now }: { kind: Subject['kind']; ticket: string | null; now: Date },
): Attempt[] {
  const at = now.getTime()
  // Also those that lie ahead, of a process whose clock is a little further; not those from before a clock was set back for good.
  const recent = attempts.filter(([when]) => Math.abs(at - when) < windowMs).sort(([a], [b]) => a - b)
  if (recent.length < most[kind]) return [...recent, [at, ticket]]
  const settled = recent.filter(([, held]) => held === null)
  const next = settled.at(-most[kind])
  throw tooMany(kind, next ? Math.max(1, Math.ceil((next[0] + windowMs - at) / 1000)) : openSeconds)
}

/** The same words whether there is such an account or not. */
function tooMany(kind: Subject['kind'], seconds: number): ApiError {
  const isUnknown = kind === 'login_email' || kind === 'login_address'
  const elsewhere = isUnknown ? ' A browser in which you signed in before is not affected.' : ''
  return new ApiError('RATE_LIMITED', `Too many attempts. Try again in ${inWords(seconds)}.${elsewhere}`, {
    retry_after_seconds: seconds,
  })
}

const inWords = (seconds: number): string =>
  seconds < 100 ? `${seconds} second${seconds === 1 ? '' : 's'}` : `${Math.ceil(seconds / 60)} minutes`

/** Changes the attempts of all subjects, or of none, under their locks. */
async function amend(
  sql: Sql,
  { subjects, now }: Attempted,
  change: (attempts: Attempt[], kind: Subject['kind']) => Attempt[],
): Promise<void> {
  const at = now.toISOString()
  const rows = subjects
    .map(({ kind, of }) => ({ kind, subject: hashSecret(of), attempts: [], touched_at: at }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
  await inTransaction(sql, async (tx) => {
    // Locks the rows, in one order for everyone, whether they are new or not.
    const held = await tx<{ kind: Subject['kind']; subject: string; attempts: Attempt[] }[]>`
      insert into throttles (kind, subject, attempts, touched_at)
      select kind, subject, attempts, touched_at
        from jsonb_to_recordset(${tx.json(rows)}) as r(kind text, subject text, attempts jsonb, touched_at timestamptz)
      on conflict (kind, subject) do update set touched_at = excluded.touched_at
      returning kind, subject, attempts`
    const changed = held.map(({ kind, subject, attempts }) => ({ kind, subject, attempts: change(attempts, kind) }))
    await tx`
      update throttles t set attempts = r.attempts
        from jsonb_to_recordset(${tx.json(changed)}) as r(kind text, subject text, attempts jsonb)
       where t.kind = r.kind and t.subject = r.subject`
    await prune(tx, now)
  })
}

/** A few rows at a time, so that the table stays as small as ten minutes make it. */
async function prune(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - windowMs).toISOString()
  await sql`
    delete from throttles where (kind, subject) in (
      select kind, subject from throttles where touched_at < ${before} order by touched_at limit 20 for update skip locked)`
}

/** One household or machine: an IPv4 address, or the first 64 bits of an IPv6 address, of which everyone has 2^64. */
export function networkOf(address: string): string {
  const plain = withoutPort(address)
  if (!isIPv6(plain)) return plain
  // One spelling: an IPv4 part at the end becomes two groups, and nothing is left out but zeros.
  const { hostname } = new URL(`http://[${plain.split('%')[0]}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = Array<string>(tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)).fill('0')
  const groups = [...front, ...zeros, ...back]
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? dotted(groups.slice(6)) : groups.slice(0, 4).join(':')
}

/** Some proxies name the port too: it is another one for each connection. */
const withoutPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(address)?.[1] ?? /^(\d+(?:\.\d+){3}):\d{1,5}$/.exec(address)?.[1] ?? address

/** `['c612', '1']` gives `198.18.0.1`. */
const dotted = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))

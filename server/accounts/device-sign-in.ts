/** Device sign-ins as the program sees them: asking for a code, and polling until the key is there (spec 5). */

import { randomInt } from 'node:crypto'
import { isIP } from 'node:net'
import type { DeviceSignIn } from '../../contract/device-sign-ins.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { mintKey } from './keys.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { countAttempt, networkOf } from './throttle.ts'

export interface DeviceRequest {
  clientName: string
  scope: 'read' | 'write'
  /** Where the program asks from: an IP address. */
  address: string
  /** The workspace that the address names, where it names one. */
  slug: string | undefined
  now: Date
}

const { seconds: lifetimeSeconds, intervalSeconds, slowDownSeconds } = limits.deviceCode
/** How long a sign-in that is over can still be told from one that never was. */
const keptMs = 3_600_000

/** Throws RATE_LIMITED after ten of one address in ten minutes, and VALIDATION for a name of which nothing can be shown. */
export async function startDeviceSignIn(sql: Sql, request: DeviceRequest): Promise<DeviceSignIn> {
  const { scope, address, slug, now } = request
  const clientName = printable(request.clientName)
  if (clientName === '')
    throw validationError([{ path: 'client_name', message: 'must hold at least one character that can be shown' }])
  await countAttempt(sql, { subjects: [{ kind: 'device_code', of: networkOf(address) }], now })
  await prune(sql, now)
  const deviceCode = newSecret()
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000)
  for (;;) {
    const userCode = newUserCode()
    const [made] = await sql`
      insert into device_sign_ins (device_code_hash, user_code_hash, client_name, scope, asked_from, asked_workspace_id,
                                   created_at, expires_at, interval_seconds)
      values (${hashSecret(deviceCode)}, ${hashUserCode(userCode)}, ${clientName}, ${scope}, ${isIP(address) ? address : 'unknown'},
              (select id from workspaces where slug = ${slug ?? null}), ${now.toISOString()}, ${expiresAt.toISOString()}, ${intervalSeconds})
      on conflict do nothing returning 1 as made`
    if (made) return toAnswer(deviceCode, userCode)
  }
}

const toAnswer = (deviceCode: string, userCode: string): DeviceSignIn => ({
  device_code: deviceCode,
  user_code: userCode,
  verification_uri: '/device',
  verification_uri_complete: `/device?code=${userCode}`,
  expires_in: lifetimeSeconds,
  interval: intervalSeconds,
})

/** A name as people may be shown it: on one line, in the order in which it is written. */
const printable = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, ' ').trim()

async function prune(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs).toISOString()
  await sql`
    delete from device_sign_ins where device_code_hash in (
      select device_code_hash from device_sign_ins where expires_at < ${before} order by expires_at limit 20 for update skip locked)`
}

/** Without vowels, so that no words come about; without what is easily taken for another (contract-gaps 3). */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'

function newUserCode(): string {
  const group = () => Array.from({ length: 4 }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('')
  return `${group()}-${group()}`
}

/** Whatever case it is typed in, with or without dash or spaces. */
const lettersOf = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, '')

export const hashUserCode = (typed: string): string => hashSecret(lettersOf(typed))

/** Whether a program may have shown it: what is half typed is no guess. */
export const isUserCode = (typed: string): boolean =>
  lettersOf(typed).length === 8 && [...lettersOf(typed)].every((letter) => userCodeLetters.includes(letter))

export interface DeviceRow {
  device_code_hash: string
  client_name: string
  scope: 'read' | 'write'
  asked_from: string
  asked_workspace_id: number | null
  created_at: Date
  expires_at: Date
  interval_seconds: number
  polled_at: Date | null
  state: 'pending' | 'approved' | 'denied' | 'collected'
  granted_scope: 'read' | 'write' | null
  workspace_id: number | null
  member_id: number | null
}

/** The key of an approved sign-in, and where it is good for. */
export interface CollectedKey {
  token: string
  tokenId: number
  scope: 'read' | 'write'
  workspaceSlug: string
}

/**
 * One poll. Throws what spec 5 says: UNAUTHORIZED for a code that is unknown or used up, DEVICE_EXPIRED, DEVICE_DENIED, DEVICE_SLOW_DOWN,
 * DEVICE_PENDING. Of several polls of an approved code exactly one gets the key.
 */
export async function collectKey(sql: Sql, deviceCode: string, now: Date): Promise<CollectedKey> {
  // What a refused poll leaves behind, its moment and the slower pace, is kept: so the refusal is thrown outside.
  const outcome = await inTransaction(sql, async (tx) => {
    const [row] = await tx<DeviceRow[]>`
      select * from device_sign_ins where device_code_hash = ${hashSecret(deviceCode)} for update`
    const { refusal, interval } = judgePoll(row, now)
    if (row)
      await tx`
        update device_sign_ins set polled_at = ${now.toISOString()}, interval_seconds = ${interval}
         where device_code_hash = ${row.device_code_hash}`
    return refusal ?? (await handOver(tx, row, now))
  })
  if (outcome instanceof ApiError) throw outcome
  return outcome
}

/** What a poll of `row` is refused with, if anything, and the pace from then on, in seconds. */
function judgePoll(row: DeviceRow | undefined, now: Date): { refusal?: ApiError; interval: number } {
  if (!row || row.state === 'collected') return { refusal: usedUp(), interval: row?.interval_seconds ?? 0 }
  const { interval_seconds: interval, polled_at: polledAt } = row
  if (row.state === 'denied') return { refusal: new ApiError('DEVICE_DENIED'), interval }
  if (now >= row.expires_at) return { refusal: new ApiError('DEVICE_EXPIRED'), interval }
  // A clock that was set back says nothing about the pace.
  const sinceMs = polledAt ? Math.abs(now.getTime() - polledAt.getTime()) : Number.POSITIVE_INFINITY
  if (sinceMs < interval * 1000) {
    const slower = Math.min(interval + slowDownSeconds, lifetimeSeconds)
    return { refusal: new ApiError('DEVICE_SLOW_DOWN', undefined, { interval: slower }), interval: slower }
  }
  if (row.state === 'pending') return { refusal: new ApiError('DEVICE_PENDING', undefined, { interval }), interval }
  return { interval }
}

const usedUp = () => new ApiError('UNAUTHORIZED', 'This device code is unknown, or its key was collected already. Start again.')

/** Makes the key, now that someone takes it; who approved and has left since gives none. */
async function handOver(sql: Sql, row: DeviceRow | undefined, now: Date): Promise<CollectedKey | ApiError> {
  const [grant] = await sql<{ workspace_id: number; member_id: number; slug: string }[]>`
    select m.workspace_id, m.id as member_id, w.slug
      from members m join workspaces w on w.id = m.workspace_id
     where m.workspace_id = ${row?.workspace_id ?? null} and m.id = ${row?.member_id ?? null} and m.status = 'active'`
  if (!row || !grant) return new ApiError('DEVICE_DENIED', 'The person who approved this sign-in has left the workspace.')
  await sql`update device_sign_ins set state = 'collected' where device_code_hash = ${row.device_code_hash}`
  const scope = row.granted_scope ?? 'read'
  const { workspace_id: workspaceId, member_id: memberId } = grant
  const key = await mintKey(sql, { workspaceId, memberId, name: `${row.client_name} (device)`, scope, now })
  return { token: key.token, tokenId: key.id, scope, workspaceSlug: grant.slug }
}

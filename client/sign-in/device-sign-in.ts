/** Signing in by a code that a person approves in the browser: asking for one, and waiting for its key (spec 4.1 and 5, RFC 8628). */

import { ApiError } from '../../contract/errors.ts'
import { withoutEnd } from '../../system/text/text-end.ts'
import { ClientError } from '../client-error.ts'
import { unlessAborted } from '../http/abort-race.ts'
import { createApi } from '../http/api.ts'
import { wasReached } from '../http/failures/network-error.ts'
import type { Http } from '../http/http.ts'
import type { Pause } from '../http/pause.ts'
import { normalizeAddress } from './address.ts'
import { dropKey } from './revocation.ts'

export interface DeviceCode {
  /** Secret: who has it gets the key. */
  deviceCode: string
  /** What the person compares with the page. */
  userCode: string
  /** The page where it is approved, on the server that was asked; the code is in it. */
  page: string
  expiresAtMs: number
  intervalMs: number
}

export interface IssuedKey {
  key: string
  scope: 'read' | 'write'
  /** The workspace that it is for. */
  url: string
}

/** What waiting for an approval takes from outside. */
export interface DeviceWait {
  nowMs(): number
  pause: Pause
  signal: AbortSignal
  /** Told why the server cannot be asked, and with undefined that it can be again. */
  onTrouble(reason: string | undefined): void
}

/** What a server may ask for; beyond that it is held to these. Milliseconds. */
const longestLifeMs = 3_600_000
const shortestIntervalMs = 1000
const usualIntervalMs = 5000
const longestIntervalMs = 60_000
/** Timers and wires are not exact, and a poll that comes too early slows down all that follow. */
const marginMs = 100
/** An answer takes no longer than this, however slowly it drips. */
const longestAnswerMs = 30_000
/** A key that arrives after Ctrl-C is revoked; so long is waited for it. */
const farewellMs = 2000

const visible = /^[\x21-\x7e]+$/
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && visible.test(value)
const isPositive = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0

const strange = (http: Http, what: string): ClientError =>
  new ClientError('NOT_A_LIBRARY', `${http.url} answered the sign-in with ${what}.`)

/** Asks for a code. Throws ClientError `NOT_A_LIBRARY` for an answer that cannot be used, and what Http throws. */
export async function startDeviceSignIn(
  http: Http,
  program: { clientName: string; scope: 'read' | 'write'; nowMs: number },
): Promise<DeviceCode> {
  const request = { client_name: program.clientName, scopes: program.scope }
  const answer: Record<string, unknown> = { ...(await createApi(http).deviceSignIns.start(request)) }
  const { device_code, user_code, verification_uri_complete, expires_in, interval } = answer
  const page = pageOf(http.url, verification_uri_complete)
  if (!isText(device_code, 4096) || !isText(user_code, 20) || !/^[\w-]+$/.test(user_code)) throw strange(http, 'no code')
  if (page === undefined) throw strange(http, 'a page that is not its own')
  if (!isPositive(expires_in)) throw strange(http, 'a code that is never valid')
  const lifeMs = Math.min(expires_in * 1000, longestLifeMs)
  return {
    deviceCode: device_code,
    userCode: user_code,
    page,
    expiresAtMs: program.nowMs + lifeMs,
    intervalMs: intervalOf(interval),
  }
}

/** Addresses are relative to that of the service (spec 4.1). Nobody is sent to another place, or to something that is no page. */
function pageOf(serviceUrl: string, given: unknown): string | undefined {
  if (!isText(given, 2000)) return undefined
  const page = given.startsWith('/') ? URL.parse(serviceUrl + given) : URL.parse(given, `${serviceUrl}/`)
  const isOwn = page?.origin === new URL(serviceUrl).origin && page.username === '' && page.password === ''
  return isOwn ? page.href : undefined
}

const intervalOf = (seconds: unknown, fallbackMs = usualIntervalMs): number =>
  isPositive(seconds) ? Math.min(Math.max(seconds * 1000, shortestIntervalMs), longestIntervalMs) : fallbackMs

/**
 * Asks for the key until the person has decided. A server that cannot be reached meanwhile is asked on. Throws ApiError
 * `DEVICE_DENIED`, `DEVICE_EXPIRED`; ClientError `SIGN_IN_LOST`, `NOT_A_LIBRARY`; the reason of the aborted signal. `http` must
 * not repeat requests by itself.
 */
export async function collectKey(http: Http, code: DeviceCode, wait: DeviceWait): Promise<IssuedKey> {
  let { intervalMs } = code
  let isTroubled = false
  /** An answer may have been lost on its way. */
  let isUnsure = false
  for (;;) {
    await wait.pause(intervalMs + marginMs, wait.signal)
    try {
      return await keyOf(http, await poll(http, code, wait.signal))
    } catch (error) {
      wait.signal.throwIfAborted()
      const pending = intervalAfter(error, intervalMs)
      if (pending === undefined && !isPassing(error)) throw explained(error, isUnsure)
      if (wait.nowMs() > code.expiresAtMs) throw new ApiError('DEVICE_EXPIRED')
      if (pending === undefined) isUnsure ||= mayHaveActed(error)
      else intervalMs = pending
      const wasTroubled = isTroubled
      isTroubled = pending === undefined
      if (isTroubled || wasTroubled) wait.onTrouble(isTroubled ? reasonFor(error) : undefined)
    }
  }
}

/** Ctrl-C may come while the key is on its way: then it is revoked, as nobody will ever have it. */
async function poll(http: Http, { deviceCode }: DeviceCode, signal: AbortSignal): Promise<unknown> {
  const options = { signal: AbortSignal.timeout(longestAnswerMs) }
  const answer: Promise<unknown> = createApi(http).deviceSignIns.collect({ device_code: deviceCode }, options)
  try {
    return await unlessAborted(answer, signal)
  } catch (error) {
    if (signal.aborted)
      await within(
        farewellMs,
        answer.then((late) => dropIssued(http, late)),
      )
    throw error
  }
}

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  unlessAborted(work, AbortSignal.timeout(ms)).catch(() => undefined)

/** Nobody is left with a key that cannot be used. */
async function keyOf(http: Http, answer: unknown): Promise<IssuedKey> {
  try {
    return readKey(http, answer)
  } catch (error) {
    await dropIssued(http, answer)
    throw error
  }
}

async function dropIssued(http: Http, answer: unknown): Promise<void> {
  const { token, gateway_url } = (answer ?? {}) as Record<string, unknown>
  if (!isText(token, 512)) return
  const named = isText(gateway_url, 2000) ? URL.parse(gateway_url, `${http.url}/`) : undefined
  await dropKey({ url: issuerOf(http.url, named ? named.origin + withoutEnd(named.pathname, '/') : http.url), key: token })
}

/** Where a key may be sent to be revoked: to the workspace it is for, but never to another server than the one that issued it. */
export const issuerOf = (askedUrl: string, keyUrl: string): string =>
  new URL(askedUrl).origin === URL.parse(keyUrl)?.origin ? keyUrl : askedUrl

/** The interval to go on with when the code is not decided yet; undefined for every other outcome. */
function intervalAfter(error: unknown, intervalMs: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { code, details } = error
  if (code === 'DEVICE_PENDING') return intervalOf(details.interval, intervalMs)
  if (code === 'DEVICE_SLOW_DOWN') return intervalOf(details.interval, Math.min(intervalMs + usualIntervalMs, longestIntervalMs))
  return undefined
}

/** What may be over by the next time: no network, a server that starts, a proxy without one, too many askers. */
const isPassing = (error: unknown): boolean =>
  isTooLate(error) ||
  (error instanceof ClientError && error.code === 'UNREACHABLE') ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429))

const isTooLate = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError'

const mayHaveActed = (error: unknown): boolean =>
  error instanceof ClientError ? wasReached(error.cause) : !(error instanceof ApiError) || error.status >= 500

const reasonFor = (error: unknown): string => (isTooLate(error) ? 'No answer came in time.' : (error as Error).message)

function explained(error: unknown, isUnsure: boolean): unknown {
  if (!(error instanceof ApiError && error.code === 'UNAUTHORIZED')) return error
  if (!isUnsure) return new ClientError('SIGN_IN_LOST', 'The server does not know this sign-in any more.')
  return new ClientError('SIGN_IN_LOST', 'The key of this sign-in was lost on its way: the connection was cut at that moment.', {
    next: 'Sign in again with `ph login`, and revoke the lost key on the keys page of the workspace.',
  })
}

function readKey(http: Http, answer: unknown): IssuedKey {
  const { token, scope, gateway_url } = (answer ?? {}) as Record<string, unknown>
  if (!isText(token, 512) || token.length < 16) throw strange(http, 'a text that is not a key')
  if (scope !== 'read' && scope !== 'write') throw strange(http, 'a key without a scope')
  return { key: token, scope, url: addressOf(http, gateway_url) }
}

/** Where the key is for; relative addresses are those of the service. */
function addressOf(http: Http, given: unknown): string {
  if (given === undefined || given === null || given === '') return http.url
  const address = isText(given, 2000) ? URL.parse(given, `${http.url}/`) : undefined
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:') throw strange(http, 'a text that is not an address')
  return normalizeAddress(address.origin + address.pathname)
}

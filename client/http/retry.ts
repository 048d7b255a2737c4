/** Whether and when a failed request is sent again (spec 7, retry guidance). Pure: clock and chance come in. */

/**
 * What went wrong. `reached`: whether a connection had been made, so that the request may have been acted on. `reason`: what an
 * answer says in `details.reason`, or the code of an error that is its own reason.
 */
export type Failure =
  | { kind: 'status'; status: number; retryAfterMs?: number; reason?: string }
  | { kind: 'network'; reached: boolean }

export interface RetryState {
  /** How many times this request failed, the present failure included. */
  failures: number
  /** How long this request has waited between attempts so far. */
  waitedMs: number
  /** Repeating the request does no harm. */
  idempotent: boolean
  /** Something answered at this address since the program started. */
  seenAlive: boolean
  /** The longest that one request may wait in all. */
  limitMs: number
  /** 0 to 1. */
  random: () => number
}

/** The longest that one request waits in all for a server that is busy or away, and for a request budget that is used up. */
export const patienceMs = { server: 120_000, budget: 300_000 } as const

/** Longest wait of one backoff step. */
const longestStepMs = 30_000
/** A window of requests is a minute long: more jitter than this only loses time. */
const longestJitterMs = 5000
const backoff = (firstMs: number, failures: number) => Math.min(firstMs * 2 ** (failures - 1), longestStepMs)

/**
 * These wait for a person, not for time: a disk does not get empty by itself, a bucket that refuses goes on refusing, a backup may take hours, and whether pictures are compared is decided where the server
 * runs. Nothing else needs to wait for them either.
 */
const lastingReasons = new Set(['disk_full', 'disk_failed', 'EMBEDDINGS_UNAVAILABLE', 'storage_refused', 'backup_under_way'])

/** A server that never answered is given up after this many attempts: most likely the address is wrong. */
const attemptsBeforeFirstContact = 3

/** Milliseconds to wait before the next attempt, or undefined to give up. Jitter only lengthens a wait. */
export function retryDelayMs(failure: Failure, state: RetryState): number | undefined {
  const wait = failure.kind === 'network' ? networkWait(failure.reached, state) : statusWait(failure, state)
  if (wait === undefined) return undefined
  const jitter = Math.round(state.random() * Math.min(wait / 4, longestJitterMs))
  return state.waitedMs + wait > state.limitMs ? undefined : wait + jitter
}

function networkWait(reached: boolean, state: RetryState): number | undefined {
  if (reached && !state.idempotent) return undefined
  if (!state.seenAlive && state.failures >= attemptsBeforeFirstContact) return undefined
  return backoff(250, state.failures)
}

function statusWait(failure: Extract<Failure, { kind: 'status' }>, state: RetryState): number | undefined {
  const { status, retryAfterMs, reason } = failure
  if (reason !== undefined && lastingReasons.has(reason)) return undefined
  if (status === 429) return asTold(retryAfterMs, state) ?? backoff(1000, state.failures)
  if (status === 503) return asTold(retryAfterMs, state) ?? backoff(2000, state.failures)
  // A gateway lost the server on the way: nobody knows whether it acted.
  if (status === 502 || status === 504) return state.idempotent ? backoff(2000, state.failures) : undefined
  if (status === 500) return state.failures === 1 ? 500 : undefined
  return undefined
}

/** As long as the server says; but one that says zero for ever is not asked without end. */
const asTold = (retryAfterMs: number | undefined, { failures }: RetryState): number | undefined =>
  retryAfterMs === undefined || Number.isNaN(retryAfterMs) ? undefined : Math.max(retryAfterMs, backoff(250, failures))

/** The server is there and asks for patience: other requests of the same kind would hear the same. */
export const asksForPatience = (failure: Failure): boolean =>
  failure.kind === 'status' && (failure.status === 429 || failure.status === 503)

/** `Retry-After` in milliseconds: whole seconds or an HTTP date (RFC 9110 10.2.3), at most one hour. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (!value) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 3_600_000)
}

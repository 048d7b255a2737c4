/** Whether and when a failed request is sent again (spec 7, retry guidance). Pure: clock and chance come in. */

/**
 * What went wrong. `reached`: whether a connection had been made, so that the request may have been acted on. `reason`: what an
 * answer says in `details.reason`.
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

/** Longest wait of one backoff step. */
const longestStepMs = 30_000
const backoff = (firstMs: number, failures: number) => Math.min(firstMs * 2 ** (failures - 1), longestStepMs)

/** These wait for a person, not for time: a disk does not get empty by itself. */
const lastingReasons = new Set(['disk_full', 'disk_failed'])

/** A server that never answered is given up after this many attempts: most likely the address is wrong. */
const attemptsBeforeFirstContact = 3

/** Milliseconds to wait before the next attempt, or undefined to give up. Jitter only lengthens a wait. */
export function retryDelayMs(failure: Failure, state: RetryState): number | undefined {
  const wait = failure.kind === 'network' ? networkWait(failure.reached, state) : statusWait(failure, state)
  if (wait === undefined) return undefined
  const withJitter = Math.round(wait * (1 + state.random() / 4))
  return state.waitedMs + wait > state.limitMs ? undefined : withJitter
}

function networkWait(reached: boolean, state: RetryState): number | undefined {
  if (reached && !state.idempotent) return undefined
  if (!state.seenAlive && state.failures >= attemptsBeforeFirstContact) return undefined
  return backoff(250, state.failures)
}

function statusWait(failure: Extract<Failure, { kind: 'status' }>, state: RetryState): number | undefined {
  const { status, retryAfterMs, reason } = failure
  if (reason !== undefined && lastingReasons.has(reason)) return undefined
  if (status === 429) return retryAfterMs ?? backoff(1000, state.failures)
  if (status === 503) return retryAfterMs ?? backoff(2000, state.failures)
  // A gateway lost the server on the way: nobody knows whether it acted.
  if (status === 502 || status === 504) return state.idempotent ? backoff(2000, state.failures) : undefined
  if (status === 500) return state.failures === 1 ? 500 : undefined
  return undefined
}

/** `Retry-After` in milliseconds: whole seconds or an HTTP date (RFC 9110 10.2.3), at most one hour. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (!value) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 3_600_000)
}

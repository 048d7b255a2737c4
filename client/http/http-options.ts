/** What a connection is opened with, and what it tells while it waits. */
import type { Folders } from '../folders.ts'
import type { WaitCause } from './failures/http-error.ts'
import type { Pause } from './pause.ts'

/** Told before every wait, so that a person sees why nothing moves. `reason` is a short sentence, of the server's where it gave one. */
export interface WaitEvent {
  reason: string
  for: WaitCause
  delayMs: number
  failures: number
  method: string
  url: string
}

export interface HttpOptions {
  /** Address of the workspace, without `/api/v1`; see `normalizeAddress`. */
  url: string
  key?: string
  /** Sent as `X-PH-Client`: `<name>/<version>`. */
  clientName?: string
  /** Where the requests of a key are counted for all programs of this machine; without it they are not. */
  folders?: Pick<Folders, 'state'>
  /** Nobody waits for what this program does: a quarter of what the key may make is left to people and to the desktop agent. */
  leavesRoom?: boolean | undefined
  onWait?: (event: WaitEvent) => void
  /** The longest that one request waits between its attempts in all; the default is `patienceMs`. */
  retryForMs?: number
  pause?: Pause
  /** Connections per origin. */
  connections?: number
  /** So long an answer that goes on may say nothing, not even that it is alive; the default is a minute. */
  silenceMs?: number
  signal?: AbortSignal
}

/** Waiting, as something that tests can replace by a clock that they move. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so many milliseconds; throws the reason of an aborted `signal`. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>

export const pause: Pause = async (ms, signal) => {
  await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}

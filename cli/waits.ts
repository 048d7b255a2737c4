/** What is said while a request waits for the library, its server or the network. */
import type { WaitEvent } from '../client/http.ts'
import type { WaitCause } from '../client/http-error.ts'
import { duration } from './amounts.ts'
import type { Context } from './context.ts'
import { printable } from './printable.ts'

/** A wait as it was told. Without `for` it is for something on this machine; then nobody knows how long. */
export interface Wait {
  reason: string
  delayMs: number
  for?: WaitCause
}

/** Who is waited for, why, and how long still. */
export function waitWords({ reason, delayMs, for: cause }: Wait, leftMs = delayMs): string {
  if (cause === undefined) return `Waiting: ${reason}`
  const left = leftMs > 0 ? `in ${duration(leftMs)}` : 'now'
  if (cause === 'budget') return `The library takes no more requests of this key for the moment; going on ${left}.`
  if (cause === 'server') return `The library asks for patience; trying again ${left}: ${printable(reason)}`
  return `Trying again ${left}: ${printable(reason)}`
}

/** Only waits that a person would notice are worth a line. */
const noticeableMs = 1500

/** Tells waits on stderr, line by line; nothing with `--json`. */
export const tellWaits =
  ({ out }: Context) =>
  (event: WaitEvent): void => {
    if (event.delayMs >= noticeableMs) out.note(waitWords(event))
  }

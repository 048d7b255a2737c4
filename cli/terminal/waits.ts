/** What is said while a request waits for the library, its server or the network. */

import type { WaitCause } from '../../client/http/failures/http-error.ts'
import type { WaitEvent } from '../../client/http/http.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { duration } from './amounts.ts'

/** A wait as it was told. Without `for` it is for something on this machine; then nobody knows how long. */
export interface Wait {
  reason: string
  delayMs: number
  for?: WaitCause
}

/** How long still, who is waited for, and why: in this order, as a narrow terminal cuts the end off. */
export function waitWords({ reason, delayMs, for: cause }: Wait, leftMs = delayMs): string {
  if (cause === undefined) return `Waiting: ${reason}`
  const begin = leftMs > 0 ? `Waiting ${duration(leftMs)}` : 'Asking again'
  if (cause === 'budget') return `${begin}: this key has used up its requests of the minute.`
  if (cause === 'machine') return `${begin}: ${reason}`
  if (cause === 'server') return `${begin} for the library: ${printable(reason)}`
  return `${leftMs > 0 ? `Trying again in ${duration(leftMs)}` : begin}: ${printable(reason)}`
}

/** Only waits that a person would notice are worth a line. */
const noticeableMs = 1500

/** Tells waits on stderr, line by line; nothing with `--json`. */
export const tellWaits =
  ({ out }: Context) =>
  (event: WaitEvent): void => {
    if (event.delayMs >= noticeableMs) out.note(waitWords(event))
  }

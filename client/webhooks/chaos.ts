/** What networks and busy servers do to webhooks, on purpose: so that a receiver is tested before it meets them. */

export const chaosKinds = ['dup', 'reorder', 'delay', 'drop'] as const
export type ChaosKind = (typeof chaosKinds)[number]

export interface Sending {
  attempt: number
  /** Before it is sent. */
  waitMs: number
  /** What comes after it does not wait for it, and so overtakes it. */
  aside: boolean
}

/** One event in so many is met by each kind; fewer are lost, because nothing shows that they were. */
const oneIn = { dup: 4, reorder: 4, delay: 4, drop: 10 }
const longestWaitMs = 3_000

/** How an event is sent: once, mostly. Nothing at all where it is lost. `random`: from 0 to below 1. */
export function sendingsOf(kinds: ReadonlySet<ChaosKind>, random: () => number): Sending[] {
  const meets = (kind: ChaosKind) => kinds.has(kind) && random() < 1 / oneIn[kind]
  if (meets('drop')) return []
  const aside = meets('reorder')
  const waitMs = aside || meets('delay') ? Math.ceil(random() * longestWaitMs) : 0
  const first = { attempt: 1, waitMs, aside }
  return meets('dup') ? [first, { attempt: 2, waitMs: Math.ceil(random() * longestWaitMs), aside: true }] : [first]
}

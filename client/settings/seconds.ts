/** How long a person waits, as a variable of the environment or a setting says it in seconds. */
export const mostWaitSeconds = 600

/** Milliseconds; `usualMs` where nothing is said, or nothing that can be meant. */
export function waitMsOf(given: string | undefined, usualMs: number): number {
  const seconds = Number(given || Number.NaN)
  return seconds >= 0 && seconds <= mostWaitSeconds ? Math.ceil(seconds * 1000) : usualMs
}

/** Times and spans in words. A clock that was set back makes no nonsense of them: nothing is said to lie in the future. */

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `3 hours ago`; `just now` for less than a minute. */
export function agoWords(date: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - date.getTime()) / 1000)
  const unit = units.find(([, size]) => seconds >= size)
  return unit ? `${counted(Math.floor(seconds / unit[1]), unit[0])} ago` : 'just now'
}

/** How long someone has to wait, rounded up: `40 seconds`, `9 minutes`. */
export function waitWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  if (whole < 60) return counted(whole, 'second')
  return whole <= 5_400 ? counted(Math.ceil(whole / 60), 'minute') : counted(Math.ceil(whole / 3_600), 'hour')
}

/** `2026-11-21 18:02 UTC` */
export const exactWords = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

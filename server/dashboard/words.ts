/** Amounts, times and spans in words. A clock that was set back makes no nonsense of them: nothing is said to lie in the future. */

const steps = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `512 bytes`, `7.0 MiB`, `1.5 TiB`. */
export function bytesWords(bytes: number): string {
  const step = Math.min(steps.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** step
  return step === 0 ? `${bytes} bytes` : `${value < 99.95 ? value.toFixed(1) : Math.round(value)} ${steps[step]}`
}

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

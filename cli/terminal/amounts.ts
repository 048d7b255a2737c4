/** Numbers as people read them: sizes, counts, durations, ages. Always the same form, whatever the system's language. */

import { printable } from '../../system/printable.ts'

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1536` gives `1.5 KiB`; three digits at most before the unit changes. */
export function size(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1024
    unit++
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1
  return `${amount.toFixed(digits)} ${units[unit]}`
}

/** `2000` gives `2,000`, `1234.5` gives `1,234.5`. */
export const number = (amount: number): string => String(amount).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',')

/** `count(1, 'file')` gives `1 file`, `count(2000, 'file')` gives `2,000 files`; the plural may be given. */
export const count = (amount: number, one: string, many = `${one}s`): string => `${number(amount)} ${amount === 1 ? one : many}`

/** Milliseconds as `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

const steps = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
] as const

/** How long ago a timestamp was: `just now`, `3 minutes ago`, `2 years ago`. */
export function age(timestamp: string, now: Date): string {
  let amount = Math.max(0, (now.getTime() - Date.parse(timestamp)) / 1000)
  if (Number.isNaN(amount)) return printable(timestamp)
  if (amount < 10) return 'just now'
  for (const [length, unit] of steps) {
    if (amount < length) return `${count(Math.floor(amount), unit)} ago`
    amount /= length
  }
  return `${count(Math.floor(amount), 'year')} ago`
}

/** How long until a timestamp: `15 s`, `5 min`, `23 h 10 min`, `2 d 4 h`, `12 d`. */
export function timeLeft(timestamp: string, now: Date): string {
  const seconds = Math.max(1, Math.ceil((Date.parse(timestamp) - now.getTime()) / 1000))
  if (Number.isNaN(seconds)) return printable(timestamp)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  const parts =
    hours < 24 ? ([hours, 'h', minutes % 60, 'min'] as const) : ([Math.floor(hours / 24), 'd', hours % 24, 'h'] as const)
  const [whole, unit, rest, smaller] = parts
  return rest === 0 || (unit === 'd' && whole >= 7) ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
}

/** A timestamp by the clock of this machine: `2026-11-26 14:05`. */
export function moment(timestamp: string): string {
  const at = new Date(timestamp)
  if (Number.isNaN(at.getTime())) return printable(timestamp)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** How far something is: counts, rates, time left, and the rows that show them. Pure; the time comes in. */
import { count, duration, number, size } from './amounts.ts'
import { type Wait, waitWords } from './waits.ts'

export interface Track {
  done: number
  total: number
  doneBytes: number
  totalBytes: number
  /** When bytes moved, for the rate: milliseconds and bytes done by then, oldest first. */
  samples: { atMs: number; bytes: number }[]
}

export const track = (): Track => ({ done: 0, total: 0, doneBytes: 0, totalBytes: 0, samples: [] })

/** Rates are those of the last seconds: long enough to be calm, short enough to follow. */
const windowMs = 4000
const sampleEveryMs = 200

/** Counts of files and bytes, as they are told. */
export interface Moved {
  files: number
  bytes: number
  totalFiles: number
  totalBytes: number
}

export function moveBytes({ samples }: Track, { files, bytes, totalFiles, totalBytes }: Moved, nowMs: number): Track {
  const recent = samples.filter(({ atMs }) => nowMs - atMs <= windowMs)
  const last = recent.at(-1)
  const next = !last || nowMs - last.atMs >= sampleEveryMs ? [...recent, { atMs: nowMs, bytes }] : recent
  return { done: files, total: totalFiles, doneBytes: bytes, totalBytes, samples: next }
}

/** Bytes a second over the last seconds; undefined before there is enough to tell. */
export function rateOf({ samples, doneBytes }: Track, nowMs: number): number | undefined {
  const [first] = samples
  if (!first || nowMs - first.atMs < 2 * sampleEveryMs) return undefined
  return ((doneBytes - first.bytes) * 1000) / (nowMs - first.atMs)
}

/** A line of the display: what is done, how far it is from 0 to 1, and what is said beside the bar. */
export interface ProgressRow {
  label: string
  fraction: number
  amount: string
  /** Rate and time left, where they are known. */
  pace: string
}

const share = (done: number, total: number): number => (total > 0 ? Math.min(done / total, 1) : 0)

export function byteRow(label: string, track: Track, nowMs: number): ProgressRow {
  const { doneBytes, totalBytes } = track
  const fraction = totalBytes > 0 ? share(doneBytes, totalBytes) : share(track.done, track.total)
  const amount = fraction === 1 ? size(totalBytes) : `${size(doneBytes)} of ${size(totalBytes)}`
  const rate = rateOf(track, nowMs)
  if (fraction === 1 || !rate) return { label, fraction, amount, pace: '' }
  return { label, fraction, amount, pace: `${size(rate)}/s, ${duration(((totalBytes - doneBytes) * 1000) / rate)} left` }
}

export const itemRow = (label: string, { done, total }: Track): ProgressRow => ({
  label,
  fraction: share(done, total),
  amount: done === total ? number(total) : `${number(done)} of ${number(total)}`,
  pace: '',
})

/** What a display shows: rows, why nothing moves, and what is looked at while there are no rows. */
export interface ProgressLook {
  rows: ProgressRow[]
  /** What is waited for, and how long still. */
  waiting: string | undefined
  /** What is going on before there is anything to measure. */
  idle: string
}

/** What is going on, in one line, for output without a display. */
export function progressLine({ rows, waiting, idle }: ProgressLook): string {
  if (waiting) return waiting
  const row = rows.findLast(({ fraction }) => fraction < 1)
  return row ? `${row.label}: ${row.amount}${row.pace ? ` (${row.pace})` : ''}` : idle
}

/** Something that is waited for. */
export interface Waiting {
  wait: Wait
  sinceMs: number
  /** What other requests wait for at the same time. */
  others: readonly Waiting[]
}

const endOf = ({ wait, sinceMs }: Waiting): number => sinceMs + wait.delayMs

/**
 * It is told until its time is over, whatever else moves meanwhile: counts are told again and again, also when nothing does. Then the
 * next one of the others is.
 */
export function stillWaiting(waiting: Waiting | undefined, nowMs: number): Waiting | undefined {
  if (!waiting || nowMs < endOf(waiting)) return waiting
  const [next, ...others] = waiting.others.filter((other) => nowMs < endOf(other)).sort((a, b) => endOf(a) - endOf(b))
  return next && { ...next, others }
}

/** Many requests wait beside each other, each with seconds of its own: one countdown is shown to its end, or the seconds would jump. */
export function startWaiting(waiting: Waiting | undefined, wait: Wait, nowMs: number): Waiting {
  const one = { wait, sinceMs: nowMs, others: [] }
  const shown = stillWaiting(waiting, nowMs)
  return shown ? { ...shown, others: [...shown.others.filter((other) => nowMs < endOf(other)), one] } : one
}

/** What is said of it now; the time left is counted down. */
export function waitingWords(waiting: Waiting | undefined, nowMs: number): string | undefined {
  const shown = stillWaiting(waiting, nowMs) ?? waiting
  return shown && waitWords(shown.wait, endOf(shown) - nowMs)
}

/** `Looking at 5 files` and the like. */
export const looking = (files: number, bytes?: number): string =>
  `Looking at ${count(files, 'file')}${bytes === undefined ? '' : `, ${size(bytes)}`}`

/** Where a push is, made out of what it tells: counts, rates, time left. Pure; the time comes in. */
import type { PushEvent, PushPhase } from '../client/push-events.ts'
import { count, duration, number, size } from './amounts.ts'

export interface Track {
  done: number
  total: number
  doneBytes: number
  totalBytes: number
  /** When bytes moved, for the rate: milliseconds and bytes done by then, oldest first. */
  samples: { atMs: number; bytes: number }[]
}

export interface PushProgress {
  phase: PushPhase
  found: { files: number; bytes: number }
  read: Track
  upload: Track
  commit: Track
  thumbnails: Track
  /** Why nothing moves, until something does. */
  waiting: string | undefined
}

const track = (): Track => ({ done: 0, total: 0, doneBytes: 0, totalBytes: 0, samples: [] })

export const startOfPush = (): PushProgress => ({
  phase: 'scan',
  found: { files: 0, bytes: 0 },
  read: track(),
  upload: track(),
  commit: track(),
  thumbnails: track(),
  waiting: undefined,
})

/** Rates are those of the last seconds: long enough to be calm, short enough to follow. */
const windowMs = 4000
const sampleEveryMs = 200

/** Takes in one event. */
export function advance(progress: PushProgress, event: PushEvent, nowMs: number): PushProgress {
  const moved = { ...progress, waiting: undefined }
  switch (event.kind) {
    case 'phase':
      return { ...moved, phase: event.phase }
    case 'found':
      return { ...moved, found: { files: event.files, bytes: event.bytes } }
    case 'read':
      return { ...moved, read: moveBytes(progress.read, event, nowMs) }
    case 'upload':
      return { ...moved, upload: moveBytes(progress.upload, event, nowMs) }
    case 'commit':
      return { ...moved, commit: { ...progress.commit, done: event.items, total: event.totalItems } }
    case 'thumbnails':
      return { ...moved, thumbnails: { ...progress.thumbnails, done: event.done, total: event.total } }
    case 'wait':
      return { ...progress, waiting: `Trying again in ${duration(event.delayMs)}: ${event.reason}` }
  }
}

type Moved = Extract<PushEvent, { kind: 'read' | 'upload' }>

function moveBytes({ samples }: Track, { files, bytes, totalFiles, totalBytes }: Moved, nowMs: number): Track {
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

/** The rows worth showing now: what has begun, or will. */
export function progressRows(progress: PushProgress, nowMs: number): ProgressRow[] {
  const { read, upload, commit, thumbnails } = progress
  return [
    ...(read.total > 0 ? [byteRow('Reading', read, nowMs)] : []),
    ...(upload.total > 0 ? [byteRow('Uploading', upload, nowMs)] : []),
    ...(commit.total > 0 ? [itemRow('Registering', commit)] : []),
    ...(thumbnails.total > 0 ? [itemRow('Pictures', thumbnails)] : []),
  ]
}

const share = (done: number, total: number): number => (total > 0 ? Math.min(done / total, 1) : 0)

function byteRow(label: string, track: Track, nowMs: number): ProgressRow {
  const { doneBytes, totalBytes } = track
  const fraction = totalBytes > 0 ? share(doneBytes, totalBytes) : share(track.done, track.total)
  const amount = fraction === 1 ? size(totalBytes) : `${size(doneBytes)} of ${size(totalBytes)}`
  const rate = rateOf(track, nowMs)
  if (fraction === 1 || !rate) return { label, fraction, amount, pace: '' }
  return { label, fraction, amount, pace: `${size(rate)}/s, ${duration(((totalBytes - doneBytes) * 1000) / rate)} left` }
}

const itemRow = (label: string, { done, total }: Track): ProgressRow => ({
  label,
  fraction: share(done, total),
  amount: done === total ? number(total) : `${number(done)} of ${number(total)}`,
  pace: '',
})

/** What is going on, in one line, for output without a display. */
export function progressLine(progress: PushProgress, nowMs: number): string {
  if (progress.waiting) return progress.waiting
  const row = progressRows(progress, nowMs).findLast(({ fraction }) => fraction < 1)
  if (!row) return `Looking at ${count(progress.found.files, 'file')}, ${size(progress.found.bytes)}`
  return `${row.label}: ${row.amount}${row.pace ? ` (${row.pace})` : ''}`
}

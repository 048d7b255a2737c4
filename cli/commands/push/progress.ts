/** Where a push is, made out of what it tells. Pure; the time comes in. */
import type { PushEvent, PushPhase } from '../../../client/progress.ts'
import {
  byteRow,
  itemRow,
  looking,
  moveBytes,
  type ProgressLook,
  startWaiting,
  stillWaiting,
  type Track,
  track,
  type Waiting,
  waitingWords,
} from '../../terminal/progress.ts'

export interface PushProgress {
  phase: PushPhase
  found: { files: number; bytes: number }
  read: Track
  upload: Track
  commit: Track
  thumbnails: Track
  /** What is waited for, until its time is over. */
  waiting: Waiting | undefined
}

export const startOfPush = (): PushProgress => ({
  phase: 'scan',
  found: { files: 0, bytes: 0 },
  read: track(),
  upload: track(),
  commit: track(),
  thumbnails: track(),
  waiting: undefined,
})

/** Takes in one event. */
export function advance(progress: PushProgress, event: PushEvent, nowMs: number): PushProgress {
  const moved = { ...progress, waiting: stillWaiting(progress.waiting, nowMs) }
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
      return { ...progress, waiting: startWaiting(progress.waiting, event, nowMs) }
  }
}

/** What is worth showing now: what has begun, or will. */
export function pushLook(progress: PushProgress, nowMs: number): ProgressLook {
  const { read, upload, commit, thumbnails, found, waiting } = progress
  const rows = [
    ...(read.total > 0 ? [byteRow('Reading', read, nowMs)] : []),
    ...(upload.total > 0 ? [byteRow('Uploading', upload, nowMs)] : []),
    ...(commit.total > 0 ? [itemRow('Registering', commit)] : []),
    ...(thumbnails.total > 0 ? [itemRow('Pictures', thumbnails)] : []),
  ]
  return { rows, waiting: waitingWords(waiting, nowMs), idle: looking(found.files, found.bytes) }
}

/** A push for the display. */
export const pushModel = { start: startOfPush, advance, look: pushLook }

/** Where a pull is, made out of what it tells. Pure; the time comes in. */
import type { PullEvent, PullPhase } from '../../../client/progress.ts'
import {
  byteRow,
  itemRow,
  moveBytes,
  type ProgressLook,
  startWaiting,
  stillWaiting,
  type Track,
  track,
  type Waiting,
  waitingWords,
} from '../../terminal/progress.ts'

export interface PullProgress {
  phase: PullPhase
  download: Track
  stage: Track
  place: Track
  /** What is waited for, until its time is over. */
  waiting: Waiting | undefined
}

const startOfPull = (): PullProgress => ({
  phase: 'order',
  download: track(),
  stage: track(),
  place: track(),
  waiting: undefined,
})

/** Takes in one event. Every job begins anew. */
export function advance(progress: PullProgress, event: PullEvent, nowMs: number): PullProgress {
  const moved = { ...progress, waiting: stillWaiting(progress.waiting, nowMs) }
  const counted = (track: Track, { files, totalFiles }: { files: number; totalFiles: number }): Track => ({
    ...track,
    done: files,
    total: totalFiles,
  })
  switch (event.kind) {
    case 'phase':
      return { ...moved, phase: event.phase }
    case 'job':
      return startOfPull()
    case 'download':
      return { ...moved, download: moveBytes(progress.download, event, nowMs) }
    case 'stage':
      return { ...moved, stage: counted(progress.stage, event) }
    case 'place':
      return { ...moved, place: counted(progress.place, event) }
    case 'wait':
      return { ...progress, waiting: startWaiting(progress.waiting, event, nowMs) }
  }
}

const phaseWords: Record<PullPhase, string> = {
  order: 'Asking the library',
  compare: 'Looking at what is here',
  fetch: 'Fetching',
  place: 'Putting files into place',
  report: 'Reporting to the library',
}

/** What is worth showing now: what has begun, or will. */
export function pullLook({ phase, download, stage, place, waiting }: PullProgress, nowMs: number): ProgressLook {
  const rows = [
    ...(download.total > 0 ? [byteRow('Downloading', download, nowMs)] : []),
    ...(stage.total > 0 ? [itemRow('Preparing', stage)] : []),
    ...(place.total > 0 ? [itemRow('Placing', place)] : []),
  ]
  return { rows, waiting: waitingWords(waiting, nowMs), idle: phaseWords[phase] }
}

/** A pull for the display. */
export const pullModel = { start: startOfPull, advance, look: pullLook }

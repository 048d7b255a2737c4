/** What a push and a pull tell while they run, for the one who shows it. Counts only grow; totals may grow until their phase ends. */
import type { WaitEvent } from './http/http.ts'

export type PushPhase = 'scan' | 'read' | 'send' | 'thumbnails'

export type PushEvent =
  | { kind: 'phase'; phase: PushPhase }
  /** What the walk found. Bytes. */
  | { kind: 'found'; files: number; bytes: number }
  /** Reading and hashing of what is new or changed. */
  | { kind: 'read'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  /** Bytes on their way to the library; the totals are of what it was found to miss so far. */
  | { kind: 'upload'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  /** Items that were registered, of those to be sent. */
  | { kind: 'commit'; items: number; totalItems: number }
  | { kind: 'thumbnails'; done: number; total: number }
  /** The library or the network asks for patience. */
  | ({ kind: 'wait' } & WaitEvent)

/** What is told while previews are made; the total shrinks where others made some. */
export type MediaEvent =
  | { kind: 'previews'; done: number; total: number }
  | { kind: 'wait'; reason: string; delayMs: number; for: WaitEvent['for'] }

export type TellMedia = (event: MediaEvent) => void

export type TellPush = (event: PushEvent) => void

export type PullPhase = 'order' | 'compare' | 'fetch' | 'place' | 'report'

export type PullEvent =
  | { kind: 'phase'; phase: PullPhase }
  /** A job was taken on. Bytes. */
  | { kind: 'job'; jobId: number; files: number; bytes: number }
  /** Bytes on their way from the library. */
  | { kind: 'download'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  /** Files put beside their places, of those that will be. */
  | { kind: 'stage'; files: number; totalFiles: number }
  | { kind: 'place'; files: number; totalFiles: number }
  /** The library, the network or another pull into this project asks for patience. */
  | ({ kind: 'wait' } & Pick<WaitEvent, 'reason' | 'delayMs'> & Partial<Pick<WaitEvent, 'for'>>)

export type TellPull = (event: PullEvent) => void

/** What a pull tells while it runs, for the one who shows it. Counts only grow. */
import type { WaitEvent } from '../http/http.ts'

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

export type Tell = (event: PullEvent) => void

/** What a push tells while it runs, for the one who shows it. Counts only grow; totals may grow until their phase ends. */
import type { WaitEvent } from '../http/http.ts'

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

export type Tell = (event: PushEvent) => void

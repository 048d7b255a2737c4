/** What loading and keeping a mirror take, and what they tell meanwhile. */
import type { Pause } from '../../http/pause.ts'

/** What is told while it goes on. */
export type MirrorNews =
  | { kind: 'loading'; entries: number; total: number | undefined }
  | { kind: 'cut'; entries: number }
  | { kind: 'pages' }
  | { kind: 'loaded'; entries: number }
  /** It is loaded anew. `isSetBack`: the library was set back to an earlier state; else the feed does not reach back so far. */
  | { kind: 'reset'; isSetBack: boolean }
  | { kind: 'damaged' }
  | { kind: 'offline'; reason: string }
  | { kind: 'failed'; reason: string }

export interface LoadOptions {
  signal?: AbortSignal
  tell?: (news: MirrorNews) => void
  pause?: Pause
  now?: () => number
}

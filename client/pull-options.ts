/** What a pull is asked to do, and what its parts share while it runs. */
import type { PullOrder } from '../contract/pull-jobs.ts'
import type { Fingerprints } from './fingerprints.ts'
import type { Http } from './http.ts'
import type { PullCalls } from './pull-calls.ts'
import type { Tell } from './pull-events.ts'
import type { PullTarget } from './pull-target.ts'
import type { Wire } from './wire.ts'

/** An entry, and the version of it when that is not to be the current one. */
export interface OrderedEntry {
  entry_id: number
  object_id?: number
}

/** A file of the project that would be replaced and may be nowhere else. */
export interface Conflict {
  /** Below the project's root, with `/`. */
  file: string
  path: string
  /** Bytes and time of the local file. */
  size: number
  modifiedAt: Date
  /** The version of this prop that it was edited from, when that is known. */
  baseObjectId: number | null
  /** The version that is pulled. */
  objectId: number
}

export type ConflictAnswer = 'keep' | 'overwrite' | 'skip'
/** Answers by file; conflicts without an answer are kept. */
export type ConflictAnswers = (conflicts: readonly Conflict[]) => Promise<ReadonlyMap<string, ConflictAnswer>>

export interface PullOptions extends Wire {
  target: PullTarget
  /** What to order; without it the queued jobs of the project are done. The calls are those of this pull. */
  order?: (calls: Pick<PullCalls, 'entries'>) => Promise<OrderedEntry[]>
  /** Where in the project files land; the default is `/Game`, which leaves references as they are. */
  targetRoot?: string
  /** Let the newest of several versions of one prop stand for all of them. */
  preferNewest?: boolean
  /** What to do with local files that differ; the default is to keep them. */
  onConflict?: ConflictAnswer | ConflictAnswers
  /** Place hard links to the content cache, read-only, where the disk allows that. */
  link?: boolean
  /** Bytes that the content cache may keep. */
  cacheBytes?: number
  tell?: Tell
}

export interface PullParts {
  options: PullOptions
  target: PullTarget
  http: Http
  calls: PullCalls
  fingerprints: Fingerprints
  tell: Tell
  signal: AbortSignal
}

export const defaultTargetRoot = '/Game'

/** The order that a pull makes of what was asked for. */
export const orderOf = (
  { target, targetRoot = defaultTargetRoot, preferNewest }: PullOptions,
  entries: OrderedEntry[],
): PullOrder => ({
  target_project: target.project,
  target_root: targetRoot,
  entries,
  ...(preferNewest ? { prefer: 'newest' } : {}),
})

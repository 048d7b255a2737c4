/** What a push comes to: what became of every file, what is worth naming, and the sums. */

import type { PartsOutcome } from '../../contract/level-sets.ts'
import type { Deletion } from '../../contract/lineages.ts'
import type { Lock } from '../../contract/locks.ts'
import type { CommitResult } from '../../contract/push.ts'
import type { CurrentVersion } from '../entries/current-version.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { Problem } from '../project/problem.ts'

/**
 * `new`, `dedup`, `held`, `denied`, `locked` as the library says them (spec 4.9). `outdated`: someone made another version
 * current meanwhile. `failed`: it could not go, and a problem says why. With `dryRun`, `new` is what would be registered.
 */
export type PushStatus = CommitResult['status'] | 'outdated' | 'failed'

export interface PushedItem {
  /** Below the project's root, with `/`; further files with the same bytes in `copies`. */
  file: string
  copies: string[]
  status: PushStatus
  content_hash: string
  blob_size: number
  name: string
  asset_class: string
  origin_path: string | null
  object_id: number | null
  lineage_id: string | null
  parent_object_id: number | null
  entry_id: number | null
  entry_created: boolean
  /**
   * Why it is held, denied or locked, in the library's words, for example `probable_lost_stamp`, `depends_on_held`. `base_unknown` is
   * this side's own: the library would take it, but nothing here says that it was made from the current version. So is `deleted`: the
   * library would take it, but someone deleted its prop; and `other_projects`: its next version would be that of other projects too.
   */
  reason?: string
  /** Of an item that is held for that: who deleted its prop, and when. */
  deleted?: Deletion
  /** Of a held item: the lineage it looks like a version of. */
  candidate_lineage_id?: string | null
  /** Of a held item: what is current in that lineage. Left out where many are held. */
  current_version?: CurrentVersion
  /** Of a held item: the other projects that have this prop. */
  other_projects?: string[]
  /** Of an item that someone else has checked out: who, and until when. */
  lock?: Lock
  /** Of an item that waits for such ones: the content hashes of those. */
  locked_dependencies?: string[]
  enriched?: string[]
  /** Of a level: what became of its external actors and objects. */
  parts?: PartsOutcome
  /** The entry was still called as the file was before it was renamed here: its name from then. */
  renamed_from?: string
}

/** Files that went as this project had answered before, for all that it shares with these projects. */
export interface AnsweredBefore {
  /** As `--held` takes it. */
  answer: 'attach' | 'new'
  other_projects: string[]
  files: string[]
}

export interface PushSummary {
  new: number
  /** Files that the library had already, those left alone because nothing changed among them. */
  dedup: number
  held: number
  denied: number
  locked: number
  outdated: number
  failed: number
  left_out: number
  entries_created: number
  thumbnails: number
}

export interface PushReport {
  /** Folder of the project. */
  root: string
  /** Address of the workspace. */
  url: string
  dry_run: boolean
  /** Files that were found, of whatever kind. */
  found: number
  /** Files of which nothing had to be asked or sent. */
  unchanged: number
  items: PushedItem[]
  problems: Problem[]
  summary: PushSummary
  /** `to_upload`: with `dry_run`, what the library misses. */
  bytes: { read: number; uploaded: number; to_upload?: number }
  /** Absent where nothing went by an answer of an earlier time. */
  answered_before?: AnsweredBefore[]
  /** Nothing new was registered, so the note that was given is kept nowhere. */
  note_dropped?: true
  /** The library may still want previews of these files (previews/project-previews.ts); absent with `dry_run`. */
  previews_due?: boolean
  /** Milliseconds. */
  took_ms: number
}

/** Everything needs another look by someone, or by the next push. */
export const isPartly = ({ summary }: PushReport): boolean =>
  summary.held + summary.denied + summary.locked + summary.outdated + summary.failed > 0

/** The sums, in files: copies of what is in the library now are there already. */
export function summarize(
  items: readonly PushedItem[],
  { problems, unchanged, thumbnails }: { problems: readonly Problem[]; unchanged: number; thumbnails: number },
): PushSummary {
  const summary = { new: 0, dedup: unchanged, held: 0, denied: 0, locked: 0, outdated: 0, failed: 0, left_out: 0 }
  for (const { status, copies } of items) {
    summary[status]++
    summary[status === 'new' ? 'dedup' : status] += copies.length
  }
  const reported = new Set(items.filter(({ status }) => status === 'failed').flatMap(({ file, copies }) => [file, ...copies]))
  for (const { weight, files } of problems) {
    if (weight === 'failed') summary.failed += files.filter((file) => !reported.has(file)).length
    if (weight === 'left-out') summary.left_out += files.length
  }
  const entries_created = items.filter((item) => item.entry_created).length
  return { ...summary, entries_created, thumbnails }
}

/** What the last push found worth naming in the files themselves. */
export const recalledProblems = (memory: ProjectMemory): Problem[] => (memory.recall('problems') as Problem[] | undefined) ?? []

/** What a pull comes to: what became of every file, what stood in the way, and the sums. */
import { limits } from '../../contract/limits.ts'
import type { Deletion } from '../../contract/lineages.ts'
import type { PullJobEntry, PullWarning } from '../../contract/pull-jobs.ts'
import type { PullReport as SentReport } from '../../contract/pull-reports.ts'
import type { OtherProp } from './compare.ts'
import type { MissingInProject } from './missing-in-project.ts'
import type { Obstacle } from './obstacle.ts'
import type { WaitingJob } from './orders/waiting-jobs.ts'
import type { LeftFile, TakenAway } from './removing/take-away.ts'

/**
 * `added`, `updated` (a version that the library has was replaced) and `overwritten` (a conflict, whose file is kept in `backup`)
 * lie in the project now; `identical` did before. `newer`: what is there became current after the order was made, and stays. `kept` and `skipped` are conflicts whose local file stays. `left_out`: a file of a kind
 * or at a place that no project gets. `failed`: not placed.
 */
export type Outcome = (typeof outcomes)[number]

/** A file of the library and where it goes, or went. */
export interface ReportedFile {
  /** Below the project's root, with `/`. */
  file: string
  asset_name: string
  /** The package path that it has there. */
  destination: string
  content_hash: string
  lineage_id: string
  object_id: number
  /** Bytes. */
  size: number
}

export interface PulledFile extends ReportedFile {
  outcome: Outcome
  /** Of `overwritten`, and of `updated` where another prop was there: where that is kept, below the project's root. */
  backup?: string
  /** Of a conflict: the prop that lies there, where it is another one than the pulled. */
  other?: OtherProp
  /** Of a conflict with an edit of the same prop: who deleted that prop in the library. The pull brings it because something needs it. */
  deleted?: Deletion
  /** Of `updated`: the version that was there before. */
  replaced_object_id?: number
  /** Of `updated`, where a later version was there before: who made this one current again; null where that account is gone. */
  restored_by?: string | null
  /** Of `failed`, and of `left_out`, where it ends a sentence about the file. */
  error?: string
}

/** What was ordered at once: one job, or several where it was more than one may hold; all the rest is about them together. */
export interface JobReport extends MissingInProject {
  /** The first of `job_ids`. */
  job_id: number
  job_ids: number[]
  /** `refused`: it was not claimed, and waits on. `lost`: someone else has the claim now, or its time was over. */
  status: 'done' | 'failed' | 'refused' | 'lost'
  /** Why it did not end well, as a sentence. */
  reason: string | null
  /** An earlier run began it, and this one went on. */
  resumed: boolean
  /** Who sent what waited, as people call them, and why; null for what this pull ordered itself, and where it is not known. */
  sent_by: string | null
  note: string | null
  target_root: string
  entries: PullJobEntry[]
  files: PulledFile[]
  /** Files that had no place in the project any more, and are kept in a backup. */
  taken_away: TakenAway[]
  /** Those of them that stay, and why. */
  not_taken_away: LeftFile[]
  /** What kept files from being placed; nothing was placed then, unless it came up at the last moment. */
  obstacles: Obstacle[]
  warnings: PullWarning[]
  summary: Sums<Outcome>
  /** `placed`: of files that lie in the project now and did not before. */
  bytes: { downloaded: number; from_cache: number; placed: number; total: number }
}

export interface PullReport {
  project: string
  /** Folder of the project. */
  root: string
  /** Address of the workspace. */
  url: string
  engine_version: string | null
  jobs: JobReport[]
  /** Jobs that wait for the project still, and are none of these. */
  waiting: WaitingJob[]
  /** Remarks about the run as a whole, as sentences. */
  notes: string[]
  /** Milliseconds. */
  took_ms: number
}

export const outcomes = [
  'added',
  'updated',
  'identical',
  'newer',
  'overwritten',
  'kept',
  'skipped',
  'left_out',
  'failed',
] as const

/** How many files of each kind; `newer` is absent where there are none. */
export type Sums<K extends string> = Record<Exclude<K, 'newer'>, number> & { newer?: number }

export function sumsOf(files: readonly PulledFile[]): Sums<Outcome> {
  const always = outcomes.filter((outcome) => outcome !== 'newer')
  const sums = Object.fromEntries(always.map((outcome) => [outcome, 0])) as Sums<Outcome>
  for (const { outcome } of files) sums[outcome] = (sums[outcome] ?? 0) + 1
  return sums
}

/** Characters that texts of a report may have. */
interface Lengths {
  error: number
  name: number
  destination: number
}

/** The first of these with which a report fits is taken: the library knows files by hash and lineage, the texts are for people. */
const lengthsTried: readonly Lengths[] = [
  { error: 1000, name: 1000, destination: 2000 },
  { error: 100, name: 1000, destination: 2000 },
  { error: 20, name: 1000, destination: 2000 },
  { error: 20, name: 60, destination: 100 },
]
/** With these every report fits: some 340 bytes a file at most, escapes included. */
const leastLengths: Lengths = { error: 10, name: 10, destination: 10 }

/** The report as the library takes it (spec 2 and 4.3): every file once, with texts cut as far as its 2 MiB ask for. */
export function sentReport(files: readonly PulledFile[]): SentReport {
  const reports = lengthsTried.values().map((most) => reportOf(files, most))
  const fitting = reports.find((report) => Buffer.byteLength(JSON.stringify(report)) <= limits.pullJob.reportBytes)
  return fitting ?? reportOf(files, leastLengths)
}

/** The end of a name or path tells more than its beginning. */
const endOf = (text: string, most: number): string => (text.length <= most ? text : `…${text.slice(1 - most)}`.toWellFormed())

function reportOf(files: readonly PulledFile[], most: Lengths): SentReport {
  const report: SentReport = { added: [], skipped_identical: [], conflicts: [], failed: [] }
  for (const { outcome, error = '', content_hash, lineage_id, ...file } of files) {
    const [asset_name, destination] = [endOf(file.asset_name, most.name), endOf(file.destination, most.destination)]
    const item = { asset_name, destination, content_hash, lineage_id }
    if (outcome === 'added') report.added.push({ ...item, action: 'add' })
    else if (outcome === 'updated') report.added.push({ ...item, action: 'safe_overwrite' })
    else if (outcome === 'identical') report.skipped_identical.push(item)
    else if (outcome === 'failed') report.failed.push({ ...item, error: error.slice(0, most.error).toWellFormed() })
    else report.conflicts.push({ ...item, resolution: resolutions[outcome] })
  }
  return report
}

/** The contract knows no word for what is left out: it is skipped. */
const resolutions = { kept: 'keep_local', overwritten: 'overwrite', skipped: 'skip', left_out: 'skip', newer: 'skip' } as const

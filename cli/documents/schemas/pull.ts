/** Documents of commands that bring files: pull, download, and what waits. */
import { Deletion } from '../../../contract/lineages.ts'
import { PullJob, PullJobEntry, PullWarning } from '../../../contract/pull-jobs.ts'
import { either, type Shapes, shape } from './shape.ts'

export const Missing = shape(
  `{
    missing_dependencies: { name: string, entries: string[] }[],
    plugins: { name: string, present: boolean | null, entries: string[] }[]
  }`,
)

export const WaitingJob = shape('PullJob & { requested_by_name: string | null }', { PullJob })

const file =
  'file: string, asset_name: string, destination: string, content_hash: string, lineage_id: string, object_id: integer, size: integer'
const Obstacle = shape('{ kind: string, file: string, message: string, next: string }')

const JobReport = shape(
  `{
    job_id: integer, job_ids: integer[], status: "done" | "failed" | "refused" | "lost", reason: string | null, resumed: boolean,
    sent_by: string | null, note: string | null, target_root: string, entries: PullJobEntry[],
    files: {
      ${file}, outcome: "added" | "updated" | "identical" | "newer" | "overwritten" | "kept" | "skipped" | "left_out" | "failed",
      backup?: string, other?: {
        lineage_id: string, entry_id: integer | null, pushed_from?: string | null,
        pulled: { entry_id: integer | null, pushed_from?: string | null }
      }, deleted?: Deletion, replaced_object_id?: integer,
      restored_by?: string | null, error?: string
    }[],
    taken_away: { file: string, lineage_id: string, why: "moved" | "removed", to?: string, backup: string }[],
    not_taken_away: {
      file: string, lineage_id: string, why: "moved" | "removed", to?: string,
      reason: "referred" | "modified" | "open" | "not_ours" | "no_file" | "not_allowed",
      referred_by?: string
    }[],
    obstacles: Obstacle[], warnings: PullWarning[],
    summary: {
      added: integer, updated: integer, identical: integer, newer?: integer, overwritten: integer, kept: integer, skipped: integer,
      left_out: integer, failed: integer
    },
    bytes: { downloaded: integer, from_cache: integer, placed: integer, total: integer }
  } & Missing`,
  { PullJobEntry, Obstacle, PullWarning, Missing, Deletion },
)

const JobPlan = shape(
  `{
    job_id: integer | null, sent_by: string | null, note: string | null, target_root: string, entries: PullJobEntry[],
    files: {
      ${file}, action: "add" | "identical" | "newer" | "safe_overwrite" | "conflict",
      restored_by?: string | null, version?: integer, newer_object_id?: integer, newer_version?: integer
    }[],
    leaving: { file: string, lineage_id: string, why: "moved" | "removed", to?: string, referred_by?: string, part?: { level: string, label: string } }[],
    obstacles: Obstacle[], warnings: PullWarning[],
    summary: { add: integer, identical: integer, newer?: integer, safe_overwrite: integer, conflict: integer },
    bytes: { total: integer, to_download: integer, in_cache: integer }, engine_needed: string | null, engine_too_old: boolean
  } & Missing`,
  { PullJobEntry, Obstacle, PullWarning, Missing },
)

const Latest = shape(
  `{
    outdated: string[], modified: string[], diverged: string[], deleted: string[],
    deletions: { file: string, name: string | null, at: string, by: { id: integer, name: string } | null }[],
    missing: string[], not_pulled: string[],
    added: { entry_id: integer, path: string }[] | null, entry_ids: integer[], from_library: integer | null
  }`,
)

export const PullReport = shape(
  `{
    project: string, root: string, url: string, engine_version: string | null, jobs: JobReport[], waiting: WaitingJob[],
    notes: string[], took_ms: integer, latest?: Latest
  }`,
  { JobReport, WaitingJob, Latest },
)

const PullPlan = shape(
  `{
    project: string, root: string, url: string, engine_version: string | null,
    on_conflict: "keep" | "overwrite" | "skip" | "ask", plans: JobPlan[], latest?: Latest
  }`,
  { JobPlan, Latest },
)

const DownloadedFile = shape(
  `{
    path: string, file: string, outcome: "downloaded" | "replaced" | "present", content_hash: string, size: integer,
    object_id: integer, version: integer | null
  }`,
)

export const pullShapes: Shapes = {
  pull: either(
    PullReport,
    PullPlan,
    shape('{ root: string, kept: { file: string, entry_id: integer | null, object_id: integer }[] }'),
  ),
  download: either(
    shape(
      `{
        entry_id: integer, object_id: integer, version: integer | null, content_hash: string, size: integer, path: string,
        outcome: string
      }`,
    ),
    shape(
      `{
        to: string, entries: { entry_id: integer, name: string }[], with_deps: boolean, files: DownloadedFile[],
        apart: { entry_id: integer, name: string, folder: string, path: string }[],
        unresolved: { file: string, address: string }[], guessed: { file: string, address: string, taken: string }[],
        left_out: { what: string, why: string }[], warnings: PullWarning[]
      } & Missing`,
      { DownloadedFile, Missing, PullWarning },
    ),
  ),
}

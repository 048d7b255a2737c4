/** Documents of commands about the files of a project: push, status, check-outs, previews. */
import { fileStates } from '../../../contract/file-states.ts'
import { Deletion } from '../../../contract/lineages.ts'
import { Lock, RadarLineage } from '../../../contract/locks.ts'
import { media } from '../../../contract/media.ts'
import { PullReport, WaitingJob } from './pull.ts'
import { type Shapes, shape } from './shape.ts'

const oneOf = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' | ')

const Problem = shape('{ kind: string, weight: string, files: string[], message: string, next: string, subject?: string }')

const Remark = 'entry_id: integer, name: string, message: string'
const media_report = `
  made: integer, thumbnails: integer, unavailable: { ${Remark}, reason: string }[],
  failed: { ${Remark}, reason: string, given_up: boolean }[], left: integer, reduced: { ${Remark} }[]
`

const CurrentVersion = shape(
  `{
    entry_id: integer | null, object_id: integer, version: integer, pushed_by: string | null, pushed_at: string,
    origin_path: string | null, pushed_from?: string | null
  }`,
)

const LevelParts = shape(
  `{
    set: integer | null, number: integer | null, base: integer | null, before: integer | null, added: integer, changed: integer,
    removed: integer, parts: integer, stale: integer, kept: { path: string, content_hash: string | null, reason: string }[]
  }`,
)

const PushedItem = shape(
  `{
    file: string, copies: string[], status: "new" | "dedup" | "held" | "denied" | "locked" | "outdated" | "failed",
    content_hash: string, blob_size: integer, name: string, asset_class: string, origin_path: string | null,
    object_id: integer | null, lineage_id: string | null, parent_object_id: integer | null, entry_id: integer | null,
    entry_created: boolean, reason?: string, candidate_lineage_id?: string | null, current_version?: CurrentVersion,
    lock?: Lock, locked_dependencies?: string[], enriched?: string[], deleted?: Deletion,
    renamed_from?: string, parts?: LevelParts, other_projects?: string[]
  }`,
  { CurrentVersion, Lock, Deletion, LevelParts },
)

const PushReport = shape(
  `{
    root: string, url: string, dry_run: boolean, found: integer, unchanged: integer, items: PushedItem[], problems: Problem[],
    summary: {
      new: integer, dedup: integer, held: integer, denied: integer, locked: integer, outdated: integer, failed: integer,
      left_out: integer, entries_created: integer, thumbnails: integer
    },
    bytes: { read: integer, uploaded: integer, to_upload?: integer }, note_dropped?: true, previews_due?: boolean,
    answered_before?: { answer: "attach" | "new", other_projects: string[], files: string[] }[],
    previews?: { ${media_report}, stopped?: { code: string, message: string } }, took_ms: integer
  }`,
  { PushedItem, Problem },
)

const OtherVersion = shape('{ object_id: integer, version: integer, name: string, restore: string }')

const StatusFile = shape(
  `{
    file: string, state: ${oneOf(fileStates)}, content_hash: string,
    known_by: "memory" | "content" | "guid" | "redirector" | "path" | null, lineage_id: string | null, entry_id: integer | null,
    object_id: integer | null, face_object_id: integer | null, face_content_hash: string | null,
    pushed_from?: string | null, face_origin_path?: string | null, reverted_to?: OtherVersion, undone?: OtherVersion, deleted?: Deletion,
    redirects_to?: string | null, part?: { level: string, label: string, left_level?: true }
  }`,
  { OtherVersion, Deletion },
)

const HeldProp = shape('{ lineage_id: string, entry_id: integer | null, name: string, files: string[], lock: Lock }', { Lock })

const CheckedOut = shape(
  `{
    lineage_id: string, entry_id: integer | null, name: string, files: string[], is_needed: boolean,
    standing: "current" | "modified" | "outdated" | "diverged" | "untracked" | "missing", extended: boolean, lock: Lock | null
  }`,
  { Lock },
)

const StillHeld = shape(
  'HeldProp & { because: "kept" | "modified" | "deleted" | "held" | "denied" | "locked" | "outdated" | "failed" }',
  {
    HeldProp,
  },
)

export const pushShapes: Shapes = {
  push: PushReport,
  status: shape(
    `{
      root: string, url: string, files: StatusFile[],
      levels: {
        file: string, entry_id: integer | null, lineage_id: string, set: integer | null,
        newest: { id: integer, project: string | null, number: integer, author: string | null, created_at: string },
        changes: { added: integer, changed: integer, removed: integer } | null
      }[],
      problems: Problem[],
      locks: { file: string, lock: Lock, mine: boolean }[], project: string | null, waiting: WaitingJob[],
      summary: {
        ${fileStates.map((state) => `${state}: integer`).join(', ')}, left_out: integer, failed: integer
      },
      read: { files: integer, bytes: integer }, took_ms: integer
    }`,
    { StatusFile, Problem, Lock, WaitingJob },
  ),
  checkout: shape(
    `{
      root: string | null, project: string | null, radar: RadarLineage[], props: CheckedOut[], brought: PullReport | null,
      dry_run: boolean
    }`,
    { RadarLineage, CheckedOut, PullReport },
  ),
  checkin: shape(
    `{
      push: PushReport, released: HeldProp[], still_checked_out: StillHeld[], not_checked_out: string[], others: integer
    }`,
    { PushReport, HeldProp, StillHeld },
  ),
  release: shape(
    `{
      dry_run: boolean, released: integer, props: HeldProp[], not_checked_out: { lineage_id: string, name: string }[],
      modified: string[]
    }`,
    { HeldProp },
  ),
  locks: shape(
    '{ locks: { lock: Lock, entry_id: integer | null, name: string, base: "current" | "outdated" | null, mine: boolean }[] }',
    { Lock },
  ),
  'previews work': shape(`{ ${media_report} }`),
  'previews status': shape('Stats & { thumbnails_wanted: integer }', { Stats: media.previewStats.output }),
}

/** What `ph status` finds: every file's state against the library, and the sums. */
import { type FileState, fileStates } from '../../contract/file-states.ts'
import type { Deletion } from '../../contract/lineages.ts'
import type { Lock } from '../../contract/locks.ts'
import type { PartName } from '../entries/part-names.ts'
import { type KnownDetail, relation } from '../memory/current-versions.ts'
import type { Problem } from '../project/problem.ts'
import type { WaitingJob } from '../pull/orders/waiting-jobs.ts'
import type { LevelNews } from './level-news.ts'

/** How it is known which prop a file is: pushed or pulled here, or found by its bytes, its path, or moved here: by its GUID, or a redirector that leads to it. */
export type KnownBy = 'memory' | 'content' | 'guid' | 'redirector' | 'path'

export interface StatusFile {
  /** Below the project's root, with `/`. */
  file: string
  state: FileState
  /** Of the file; of a missing one, what it held. */
  content_hash: string
  /** Null when the library knows nothing of it. By `path` it is the prop in its place, which is another. */
  known_by: KnownBy | null
  lineage_id: string | null
  /** Of what is outdated or missing: of the prop that has taken its place in the project, where one has. */
  entry_id: number | null
  /** The version that the file is or was edited from. */
  object_id: number | null
  /** The current version. */
  face_object_id: number | null
  face_content_hash: string | null
  /** Of what is known by its bytes or its place: the project that the current version was pushed from. */
  pushed_from?: string | null
  /** Who deleted it from the library, and when. */
  deleted?: Deletion
  /** Of an external actor or object of a level: which level, and what people call it. */
  part?: PartName
  /** Of a redirector: the package that it leads to, where it says so. */
  redirects_to?: string | null
  /** Of what is outdated or missing: the path of the current version, under /Game or of content of a plugin. Null: it has none, so it is downloaded, not pulled. */
  face_origin_path?: string | null
  /** Its bytes are an earlier version of its prop: a push has nothing to send. `restore` makes that version current again. */
  reverted_to?: OtherVersion
  /** Its bytes are a later version of its prop, and the one before is current again: a push has nothing to send. */
  undone?: OtherVersion
}

/** `name` is `v2` where the server counts versions. */
export interface OtherVersion {
  object_id: number
  version: number
  name: string
  restore: string
}

/** A file whose prop is checked out. `mine`: by who asks. */
export interface FileLock {
  /** Below the project's root, with `/`. */
  file: string
  lock: Lock
  mine: boolean
}

export type StatusSummary = Record<FileState, number> & {
  /** No props: what a push leaves out but for redirectors, which are counted by themselves. */
  left_out: number
  /** Could not be read; problems say why. */
  failed: number
}

export interface StatusReport {
  /** Folder of the project. */
  root: string
  /** Address of the workspace. */
  url: string
  /** Those that differ; with `all` every one. */
  files: StatusFile[]
  /** Levels whose actors are others in the library. */
  levels: LevelNews[]
  problems: Problem[]
  /** Of all files that were looked at, also those that are as the library has them. */
  locks: FileLock[]
  /** Name of the project that pulls are for; null where the folder is none. */
  project: string | null
  /** Pull jobs that wait for it. */
  waiting: WaitingJob[]
  summary: StatusSummary
  /** Files and bytes that had to be read. */
  read: { files: number; bytes: number }
  /** Milliseconds. */
  took_ms: number
}

/** Whether anything is not as the library has it. */
export const isDifferent = ({ summary, levels }: StatusReport): boolean =>
  levels.length > 0 || fileStates.some((state) => !isSettled(state) && summary[state] > 0)

/** Nothing is to be done about such a file. */
export const isSettled = (state: FileState): boolean => state === 'current' || state === 'redirector'

/** The state of a file whose lineage the library has or had, by the bits of `relation`. Pure. */
export function judge(bits: number): FileState {
  if (bits & relation.redirector) return 'redirector'
  if (bits & relation.deleted) return 'deleted'
  if (bits & relation.hashIsFace) return 'current'
  const isBase = (bits & relation.hashIsBase) !== 0
  if (bits & relation.baseIsFace) return isBase ? 'current' : 'modified'
  return isBase ? 'outdated' : 'diverged'
}

/** A file of which only memory tells. */
export function toStatusFile(known: KnownDetail, state: FileState): StatusFile {
  if (state === 'redirector') return { ...unknownFile(known), state, redirects_to: known.redirectsTo }
  return {
    file: known.file,
    state,
    content_hash: known.hash,
    known_by: known.relation & (relation.there | relation.deleted) ? 'memory' : null,
    lineage_id: known.lineageId,
    entry_id: known.entryId,
    object_id: known.objectId,
    face_object_id: known.faceId,
    face_content_hash: known.faceHash,
    ...(state === 'deleted' && known.deleted !== null ? { deleted: JSON.parse(known.deleted) as Deletion } : {}),
  }
}

/** A file of no lineage. */
export const unknownFile = ({ file, hash }: KnownDetail): StatusFile => ({
  file,
  state: 'untracked',
  content_hash: hash,
  known_by: null,
  lineage_id: null,
  entry_id: null,
  object_id: null,
  face_object_id: null,
  face_content_hash: null,
})

const noFiles = Object.fromEntries(fileStates.map((state) => [state, 0])) as Record<FileState, number>

export function summaryOf(states: Iterable<FileState>, others: Pick<StatusSummary, 'left_out' | 'failed'>): StatusSummary {
  const summary: StatusSummary = { ...noFiles, ...others }
  for (const state of states) summary[state]++
  return summary
}

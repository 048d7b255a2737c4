/** What the report of a pull is put together from: files, and what several jobs of one order say together. */
import { olderEngineWarnings } from '../../contract/engine-warnings.ts'
import { limits } from '../../contract/limits.ts'
import type { PullJob, PullJobDetail, PullJobEntry, PullJobObject, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { isNewerEngine } from '../../formats/engine-version.ts'
import type { Decision } from './compare.ts'
import type { LeftOutFile, PullFile } from './destinations.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import { type JobReport, type PulledFile, sumsOf } from './report.ts'

export function itemOf(
  { pullFile, file, other, deleted }: Pick<Decision, 'pullFile' | 'file' | 'other' | 'deleted'>,
  outcome: PulledFile['outcome'],
): PulledFile {
  const { object, name: asset_name, destination } = pullFile
  const { content_hash, lineage_id, object_id, blob_size: size } = object
  const item = { file, outcome, asset_name, destination, content_hash, lineage_id, object_id, size }
  return { ...item, ...(other ? { other } : {}), ...(deleted ? { deleted } : {}) }
}

/** `content`: the folder that nothing of it comes to. */
export function leftOutItem(pullFile: LeftOutFile, { file: folder }: { file: string }): PulledFile {
  const file =
    pullFile.object.mount === undefined ? `${folder}/${pullFile.path}` : `${pullFile.object.mount}/${pullFile.path}`.slice(1)
  return { ...itemOf({ pullFile, file }, 'left_out'), error: pullFile.why }
}

/** A replaced file. A file of another prop gets a backup. */
export function updatedItem(decision: Decision, backups: string): PulledFile {
  const item = itemOf(decision, 'updated')
  const { takesPlace, replacedObjectId: replaced_object_id, restoredBy: restored_by } = decision
  if (takesPlace) return { ...item, backup: `${backups}/${decision.file}` }
  return { ...item, replaced_object_id, ...(restored_by === undefined ? {} : { restored_by }) }
}

/** Told to the library alone: people hear of an older version that yields by a warning. */
export const yieldingItem = (pullFile: PullFile): PulledFile => itemOf({ pullFile, file: pullFile.path }, 'skipped')

/** As it is for a job that brings a file after another one has. */
export const asThereAlready = (item: PulledFile): PulledFile =>
  item.outcome === 'added' || item.outcome === 'updated' || item.outcome === 'overwritten'
    ? { ...item, outcome: 'identical' }
    : item

/** How jobs end with these obstacles, and why. */
export function ending([first, ...others]: readonly Obstacle[]): { status: 'done' | 'failed'; reason: string | null } {
  if (!first) return { status: 'done', reason: null }
  const more = others.length > 0 ? ` And ${others.length} more.` : ''
  return { status: 'failed', reason: `${first.message}${more}` }
}

/** The list of files of a job, as a library answers it. */
export interface JobFiles {
  job_id?: number
  objects: PullJobObject[]
}

/** Lists that are those of other jobs, or longer than a list can be. */
export const wrongLists = (jobs: readonly { job: Pick<PullJobDetail, 'id'> }[], lists: readonly JobFiles[]): Obstacle[] =>
  lists.flatMap(({ job_id, objects }, at) => {
    const id = jobs[at]?.job.id
    const what = `The list of files for job ${id}`
    if (job_id !== undefined && job_id !== id) return obstacle('not-allowed', `job ${id}`, `${what} is that of job ${job_id}.`)
    const most = limits.pullJob.files
    return objects.length > most ? obstacle('not-allowed', `job ${id}`, `${what} has more than ${most} files.`) : []
  })

/** In the order of the jobs; what several of them bring is listed once. */
export const uniteEntries = (jobs: readonly Pick<PullJobDetail, 'entries'>[]): PullJobEntry[] => [
  ...new Map(
    jobs.flatMap(({ entries = [] }) => entries.map((entry) => [`${entry.entry_id} ${entry.object_id}`, entry] as const)),
  ).values(),
]

/** What several jobs warn of, once; files of older engines are counted together. */
export function uniteWarnings(
  warnings: readonly PullWarning[],
  { objects, engineVersion }: { objects: readonly PullJobObject[]; engineVersion: string | null },
): PullWarning[] {
  const each = [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()]
  const others = each.filter(({ type }) => type !== 'older_engine')
  if (each.length - others.length < 2) return each
  return [...others, ...olderEngineWarnings(objects.filter((one) => isNewerEngine(engineVersion, one.engine_version)).length)]
}

/** Files that the library leaves out by itself: of slices each job names all of them. */
export const uniteMisnamed = (jobs: readonly Pick<PullJobDetail, 'misnamed'>[]): NonNullable<PullJobDetail['misnamed']> => [
  ...new Map(jobs.flatMap(({ misnamed = [] }) => misnamed.map((file) => [file.object_id, file] as const))).values(),
]

/** Jobs that were not claimed, and why. */
export const refusedReport = (
  jobs: readonly [PullJobDetail, ...PullJobDetail[]],
  reason: string,
  sentBy: string | null = null,
): JobReport => ({
  job_id: jobs[0].id,
  job_ids: jobs.map(({ id }) => id),
  status: 'refused',
  taken_away: [],
  not_taken_away: [],
  reason,
  resumed: false,
  sent_by: sentBy,
  note: jobs[0].note ?? null,
  target_root: jobs[0].target_root,
  entries: uniteEntries(jobs),
  files: [],
  obstacles: [],
  warnings: [],
  missing_dependencies: [],
  plugins: [],
  summary: sumsOf([]),
  bytes: { downloaded: 0, from_cache: 0, placed: 0, total: jobs.reduce((sum, { total_bytes }) => sum + total_bytes, 0) },
})

/** When the versions of a job were the current ones. Undefined for an own order of exactly what was pushed, which sets files back. */
export const orderedAt = ({ jobs, order }: { jobs: readonly { job: PullJob }[]; order: PullOrder | null }): string | undefined =>
  order && order.dependencies !== 'current' ? undefined : jobs[0]?.job.created_at

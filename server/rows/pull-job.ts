/** The only list of the columns of a pull job, of its entries and of its files. */

import { ApiError } from '../../contract/errors.ts'
import { mountOf } from '../../contract/plugin-content.ts'
import type { PullJob, PullJobDetail, PullJobEntry, PullJobObject } from '../../contract/pull-jobs.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { packageName, type VersionFacts, versionFacts } from './version.ts'

/** A claim whose lease is over is none any more, whether or not someone has written that down (spec 3). */
export const isLapsed = (sql: Sql, now: Date): Fragment =>
  sql`(j.status in ('claimed', 'running') and j.lease_expires_at <= ${now.toISOString()})`

/** Whether a job is in this state at this moment. */
export const isInState = (sql: Sql, now: Date, status: PullJob['status']): Fragment =>
  status === 'queued'
    ? sql`(j.status = 'queued' or ${isLapsed(sql, now)})`
    : sql`(j.status = ${status} and not ${isLapsed(sql, now)})`

/** The state of a job at this moment. */
export const stateOf = (sql: Sql, now: Date): Fragment => sql`case when ${isLapsed(sql, now)} then 'queued' else j.status end`

const columns = (sql: Sql, now: Date) => sql`
  j.id, j.target_project, j.target_root, j.requested_by, j.delivery, j.failure_reason, j.entry_count, j.object_count, j.total_bytes, j.note, j.slice,
  ${stateOf(sql, now)} as status,
  case when ${isLapsed(sql, now)} then null else j.claimed_by end as claimed_by,
  case when ${isLapsed(sql, now)} then null else j.engine_version end as engine_version,
  j.created_at, case when ${isLapsed(sql, now)} then j.lease_expires_at else j.updated_at end as updated_at`

/** Where jobs are looked for, and at what moment. */
export interface JobScope {
  sql: Sql
  workspace: { id: number }
  now: Date
}

/** Jobs as a list shows them. `tail` may use the alias j and begins with `and` or `order by`. */
export const selectPullJobs = ({ sql, workspace, now }: JobScope, tail: Fragment): PromiseLike<PullJob[]> =>
  sql<PullJob[]>`select ${columns(sql, now)} from pull_jobs j where j.workspace_id = ${workspace.id} ${tail}`

/** A job as someone who may claim or finish it needs it. */
export interface HeldJob extends PullJob {
  claim_hash: string | null
}

/** Holds a job until the transaction ends, so that of several claims one comes first. JOB_NOT_FOUND otherwise. */
export async function holdPullJob({ sql, workspace, now }: JobScope, jobId: number): Promise<HeldJob> {
  const [job] = await sql<HeldJob[]>`
    select ${columns(sql, now)}, case when ${isLapsed(sql, now)} then null else j.claim_hash end as claim_hash
      from pull_jobs j where j.workspace_id = ${workspace.id} and j.id = ${jobId} for update`
  if (!job) throw jobNotFound(jobId)
  return job
}

/** A job with its entries and its report. */
export async function requirePullJob({ sql, workspace, now }: JobScope, jobId: number): Promise<PullJobDetail> {
  const [job] = await sql<(PullJob & Pick<PullJobDetail, 'report_json' | 'misnamed'>)[]>`
    select ${columns(sql, now)}, j.report as report_json, j.misnamed from pull_jobs j where j.workspace_id = ${workspace.id} and j.id = ${jobId}`
  if (!job) throw jobNotFound(jobId)
  const entries = await sql<(PullJobEntry & VersionFacts)[]>`
    select p.entry_id, p.object_id, e.name, e.entry_type, e.status, ${versionFacts(sql)}
      from pull_job_entries p
      join entries e on e.workspace_id = p.workspace_id and e.id = p.entry_id
      join objects o on o.workspace_id = p.workspace_id and o.id = p.object_id
     where p.workspace_id = ${workspace.id} and p.job_id = ${jobId} order by p.position`
  return { ...job, entries }
}

export const jobNotFound = (id: number) => new ApiError('JOB_NOT_FOUND', `There is no pull job ${id} in this workspace.`)

/** A file of a job, with what decides where it lands. */
export type PullFile = Omit<PullJobObject, 'url' | keyof VersionFacts> & VersionFacts

const fileColumns = (sql: Sql) => sql`
  o.id as object_id, o.content_hash, o.lineage_id, o.asset_class, o.asset_name, o.origin_path, o.blob_size, o.engine_version, o.source_ext,
  ${packageName(sql)}, ${versionFacts(sql)},
  case when o.origin_path is null then (select e.id from entries e where e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id) end as entry_id`

type FileRow = Omit<PullFile, 'package_name' | 'entry_id' | 'mount'> & { package_name: string | null; entry_id: number | null }

/** What has its place under /Game has no other name. */
const toFile = ({ package_name, entry_id, ...file }: FileRow): PullFile =>
  file.origin_path === null && package_name !== null ? { ...file, mount: mountOf(package_name), package_name, entry_id } : file

/** The files of a job, in the order in which they were found. */
export async function selectJobFiles({ sql, workspace }: JobScope, jobId: number): Promise<PullFile[]> {
  const rows = await sql<FileRow[]>`
    select ${fileColumns(sql)}, p.set_id as set from pull_job_objects p join objects o on o.workspace_id = p.workspace_id and o.id = p.object_id
     where p.workspace_id = ${workspace.id} and p.job_id = ${jobId} order by p.position`
  return rows.map(toFile)
}

/** Versions by id, in whatever order. */
export async function selectPullFiles({ sql, workspace }: Omit<JobScope, 'now'>, ids: readonly number[]): Promise<PullFile[]> {
  const rows = await sql<FileRow[]>`
    select ${fileColumns(sql)} from objects o where o.workspace_id = ${workspace.id} and o.id ${amongIds(sql, ids)}`
  return rows.map(toFile)
}

/** Pull jobs: orders to bring entries with everything they need into a project (spec 3 and 4.3; contract-gaps 4 and 9). */

import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { pullJobs as contract, PullJob } from '../../contract/pull-jobs.ts'
import type { InputOf, OutputOf } from '../../contract/route.ts'
import { knownEngine } from '../../formats/engine-version.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { atOneMoment, transact } from '../database/transaction.ts'
import type { Context, Handlers } from '../handler.ts'
import { checkEngine, hashOfClaim, isOwnClaim, leaseUntil, newClaimToken, requireClaim, wrongState } from '../pulls/claim.ts'
import { placeWarnings } from '../pulls/destinations.ts'
import { holdOrdered, type LookAhead, lookAhead, type Resolved, resolveOrder, selectOrdered } from '../pulls/order.ts'
import { defaultRoot, findDefaultRoot, noteProject } from '../pulls/projects.ts'
import { requireBounded, requireComplete } from '../pulls/report.ts'
import { keyOf, requireKey, sliceNamed, sliceOf } from '../pulls/slice.ts'
import { notePull } from '../rows/first-steps.ts'
import { withLocks } from '../rows/lock.ts'
import {
  type HeldJob,
  holdPullJob,
  isInState,
  jobNotFound,
  requirePullJob,
  selectJobFiles,
  selectPullJobs,
} from '../rows/pull-job.ts'
import { withAddresses } from '../storage/file-addresses.ts'

type RequestOf<V extends keyof typeof contract> = Context & { input: InputOf<(typeof contract)[V]> }

export const pullJobs: Handlers<typeof contract> = {
  async create(request) {
    requireKey(request.input)
    const ahead = await lookAhead(request)
    return transact(request, (inside) => create(inside, ahead))
  },

  async plan({ sql, workspace, actor, now, input }) {
    const ahead = await lookAhead({ sql, workspace, input })
    const { order, list, fields, objects } = await atOneMoment(sql, async (sql) => {
      const request = { sql, workspace, input }
      const whole = await resolveOrder(request, { entryIds: await selectOrdered(request), ahead })
      const order = { ...whole, files: sliceOf(whole.files, input), slice: sliceNamed(whole.files, input) }
      const fields = await orderFields({ ...request, order })
      const list = { key: keyOf(whole.files), planned_files: whole.files.length }
      return { order, list, fields, objects: await withLocks({ sql, workspace, now }, order.files) }
    })
    const { entries, warnings } = order
    return {
      id: null,
      ...fields,
      requested_by: actor.id,
      claimed_by: null,
      status: 'queued',
      failure_reason: null,
      engine_version: null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      entries: entries.map(({ lineage_id: _lineage, ...entry }) => entry),
      report_json: null,
      misnamed: order.misnamed,
      warnings: [...warnings, ...placeWarnings(order.files, fields.target_root)],
      ...(input.dependencies && { dependencies: input.dependencies }),
      closure: closureOf(objects),
      ...list,
    }
  },

  async list(request) {
    const { sql, now, workspace, input } = request
    const { target_project, status, requested_by, limit = limits.page.default, cursor } = input
    const bound = ['pull-jobs', workspace.id, target_project, status, requested_by]
    const tests: Fragment[] = []
    if (target_project !== undefined) tests.push(sql`j.target_project = ${target_project}`)
    if (requested_by !== undefined) tests.push(sql`j.requested_by = ${requested_by}`)
    if (status !== undefined) tests.push(isInState(sql, now, status))
    if (cursor !== undefined) tests.push(sql`j.id < ${fromCursor(bound, cursor, ['id'])[0]}`)
    const where = tests.reduce((all, test) => sql`${all} and ${test}`, sql``)
    const found = await selectPullJobs(request, sql`${where} order by j.id desc limit ${limit + 1}`)
    const jobs = found.slice(0, limit)
    const last = found.length > limit ? jobs.at(-1) : undefined
    return { jobs, next_cursor: last ? toCursor(bound, [last.id]) : null }
  },

  get(request) {
    return requirePullJob(request, request.input.job_id)
  },

  async update(request) {
    const job = await holdPullJob(request, request.input.job_id)
    const { status } = request.input
    if (status === 'cancelled') await cancel(request, job)
    else await progress(request, { job, status })
    request.feed.jobChanged(job.id)
    return requirePullJob(request, job.id)
  },

  async claim(request) {
    const { sql, workspace, actor, now, feed, input } = request
    const job = await holdPullJob(request, input.job_id)
    if (input.project_key !== job.target_project)
      throw new ApiError('CONFLICT', `Pull job ${job.id} is for the project ${job.target_project}, not ${input.project_key}.`)
    const token = input.claim_token ?? newClaimToken()
    const isRepeated = (job.status === 'claimed' || job.status === 'running') && isOwnClaim(job, { token, userId: actor.id })
    if (job.status !== 'queued' && !isRepeated) throw wrongState(job, 'only one that waits can be claimed')
    const engine = knownEngine(input.engine_version)
    const files = await selectJobFiles(request, job.id)
    const warnings = [...checkEngine(files, engine), ...placeWarnings(files, job.target_root)]
    if (isRepeated) return { ...(await requirePullJob(request, job.id)), claim_token: token, warnings }
    await sql`
      update pull_jobs set status = 'claimed', claimed_by = ${actor.id}, claim_hash = ${hashOfClaim(token)}, engine_version = ${engine},
             lease_expires_at = ${leaseUntil(now).toISOString()}, updated_at = ${now.toISOString()}
       where workspace_id = ${workspace.id} and id = ${job.id}`
    feed.jobChanged(job.id)
    return { ...(await requirePullJob(request, job.id)), claim_token: token, warnings }
  },

  async heartbeat(request) {
    const { sql, workspace, actor, now, input } = request
    const job = await holdPullJob(request, input.job_id)
    requireClaim(job, { token: input.claim_token, userId: actor.id, states: ['claimed', 'running'] })
    const until = leaseUntil(now).toISOString()
    await sql`update pull_jobs set lease_expires_at = ${until} where workspace_id = ${workspace.id} and id = ${job.id}`
    return { job_id: job.id, status: job.status, lease_expires_at: until }
  },

  async closure(request) {
    const { sql, workspace, input } = request
    const [job] = await sql`select 1 from pull_jobs where workspace_id = ${workspace.id} and id = ${input.job_id}`
    if (!job) throw jobNotFound(input.job_id)
    const files = await selectJobFiles(request, input.job_id)
    const objects = await withLocks(request, input.urls ? await withAddresses(request, files) : files)
    return { job_id: input.job_id, ...closureOf(objects) }
  },
}

/** Everything that is ordered is held before it is looked at. */
async function create(request: RequestOf<'create'>, ahead: LookAhead): Promise<OutputOf<(typeof contract)['create']>> {
  const { sql, workspace, actor, now, feed, input } = request
  const whole = await resolveOrder(request, { entryIds: await holdOrdered(request), ahead })
  const order = { ...whole, files: sliceOf(whole.files, input), slice: sliceNamed(whole.files, input) }
  const project = { name: input.target_project, root: input.target_root ?? defaultRoot }
  await noteProject(sql, { workspaceId: workspace.id, actorId: actor.id, now }, project)
  const id = await insertJob(request, order)
  await sql`
    update entries e set ever_pulled = true from pull_job_entries p
     where p.workspace_id = ${workspace.id} and p.job_id = ${id} and e.workspace_id = p.workspace_id and e.id = p.entry_id and not e.ever_pulled`
  // Of an order in slices the entries are brought once.
  for (const { entry_id, object_id, lineage_id } of input.slice?.from ? [] : order.entries)
    feed.happened({
      type: 'download.pull',
      entryId: entry_id,
      lineageId: lineage_id,
      objectId: object_id,
      batchKey: `pull-job:${id}`,
      payload: { job_id: id, target_project: input.target_project },
    })
  feed.jobChanged(id)
  const job = await requirePullJob(request, id)
  const { dependencies } = request.input
  const warnings = [...order.warnings, ...placeWarnings(order.files, job.target_root)]
  return { ...job, warnings, ...(dependencies && { dependencies }) }
}

const closureOf = <F extends { blob_size: number }>(objects: F[]) => ({
  objects,
  total_objects: objects.length,
  total_bytes: objects.reduce((sum, { blob_size }) => sum + blob_size, 0),
})

type SlicedOrder = Resolved & { slice: NonNullable<PullJob['slice']> | null }

/** What an order makes of a job, whether it is recorded or only planned. */
async function orderFields({
  sql,
  workspace,
  input,
  order,
}: {
  sql: Sql
  workspace: { id: number }
  input: RequestOf<'create'>['input']
  order: SlicedOrder
}) {
  return {
    target_project: input.target_project,
    target_root: input.target_root ?? (await findDefaultRoot(sql, workspace.id, input.target_project)),
    delivery: input.delivery ?? ('manual' as const),
    note: input.note?.trim() || null,
    slice: order.slice,
    entry_count: new Set(order.entries.map(({ entry_id }) => entry_id)).size,
    object_count: order.files.length,
    total_bytes: closureOf(order.files).total_bytes,
  }
}

async function insertJob({ sql, workspace, actor, now, input }: RequestOf<'create'>, order: SlicedOrder): Promise<number> {
  const { slice, ...fields } = await orderFields({ sql, workspace, input, order })
  const at = now.toISOString()
  const [job] = await sql<{ id: number }[]>`
    insert into pull_jobs ${sql({
      ...{ workspace_id: workspace.id, requested_by: actor.id, ...fields },
      ...{ misnamed: sql.json(order.misnamed), slice: slice && sql.json(slice), created_at: at, updated_at: at },
    })} returning id`
  if (!job) throw new Error('the pull job was not recorded')
  await sql`
    insert into pull_job_entries (workspace_id, job_id, position, entry_id, object_id)
    select ${workspace.id}, ${job.id}, r.ordinality, r.entry_id, r.object_id
      from unnest(${order.entries.map((entry) => entry.entry_id)}::bigint[], ${order.entries.map((entry) => entry.object_id)}::bigint[])
           with ordinality as r (entry_id, object_id)`
  const fileIds = order.files.map((file) => file.object_id)
  const setIds = order.files.map((file) => file.set ?? 0)
  // Held in the order of their ids: who takes back the push of one waits, or was faster.
  const written = await sql`
    with held as materialized (
      select held.id from ${lookupIds(
        sql,
        fileIds.toSorted((a, b) => a - b),
      )}
       cross join lateral (select id from objects where workspace_id = ${workspace.id} and id = lookup.key offset 0 for key share) held)
    insert into pull_job_objects (workspace_id, job_id, position, object_id, set_id)
    select ${workspace.id}, ${job.id}, r.ordinality, r.object_id, nullif(r.set_id, 0)
      from unnest(${fileIds}::bigint[], ${setIds}::bigint[]) with ordinality as r (object_id, set_id)
      join held on held.id = r.object_id returning 1`
  if (written.length < fileIds.length)
    throw new ApiError('CONFLICT', 'Someone took back a push of some of these files in this moment. Order them again.')
  return job.id
}

async function cancel({ sql, workspace, actor, now }: RequestOf<'update'>, job: HeldJob): Promise<void> {
  if (actor.id !== job.requested_by && actor.role !== 'admin')
    throw new ApiError('FORBIDDEN', `Only the person who ordered pull job ${job.id}, or an admin, may cancel it.`)
  if (job.status !== 'queued') throw wrongState(job, 'only one that waits can be cancelled')
  await sql`
    update pull_jobs set status = 'cancelled', claimed_by = null, claim_hash = null, engine_version = null, updated_at = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id = ${job.id}`
}

/** From which state a claimant may go where. */
const before = { running: 'claimed', done: 'running', failed: 'running' } as const satisfies Partial<
  Record<PullJob['status'], PullJob['status']>
>

async function progress(
  request: RequestOf<'update'>,
  { job, status }: { job: HeldJob; status: keyof typeof before },
): Promise<void> {
  const { sql, workspace, actor, now, input } = request
  const { claim_token: token, failure_reason: reason, report_json: report } = input
  if (!token) throw validationError([{ path: 'claim_token', message: 'must be the token of the claim' }])
  requireClaim(job, { token, userId: actor.id, states: [before[status]] })
  if (status === 'failed' && !reason?.trim())
    throw validationError([{ path: 'failure_reason', message: 'must say why the job failed' }])
  if (status === 'done' && !report)
    throw validationError([{ path: 'report_json', message: 'must say what became of every file' }])
  if (report) requireBounded(report)
  if (report && status === 'done') requireComplete(report, await selectJobFiles(request, job.id))
  const isOver = status !== 'running'
  await sql`
    update pull_jobs set status = ${status}, updated_at = ${now.toISOString()},
           failure_reason = ${status === 'failed' ? (reason ?? null) : null}, report = ${isOver && report ? sql.json(report) : null}
     where workspace_id = ${workspace.id} and id = ${job.id}`
  if (status === 'done') await notePull(request)
}

/**
 * The calls that a pull makes, typed by the contract but without loading its schemas: that takes longer than a pull that finds
 * everything in place. A test holds each against the contract.
 */
import type { EntryDetail, entries as entriesContract } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { Member } from '../../contract/members.ts'
import type { Project } from '../../contract/projects.ts'
import type { PullJob, PullJobDetail, PullJobObject, PullOrder, PullReport, PullWarning } from '../../contract/pull-jobs.ts'
import type { OutputOf } from '../../contract/route.ts'
import type { ApiRequest, Http } from './http.ts'

type Warned = { warnings: PullWarning[] }
type Closure = { job_id?: number; objects: PullJobObject[]; total_objects: number; total_bytes: number }

export type CreatedJob = PullJobDetail & Warned
export type ClaimedJob = CreatedJob & { claim_token: string }
export type PlannedJob = Omit<CreatedJob, 'id'> & { closure: Closure }
type EntryPage = OutputOf<(typeof entriesContract)['list']>
/** How far a job is, as its claimant says. */
export type Progress =
  | { status: 'running' }
  | { status: 'done'; report_json: PullReport }
  | { status: 'failed'; failure_reason: string; report_json?: PullReport }

export interface PullCalls {
  entries(query?: Record<string, unknown>): Promise<EntryPage>
  entry(id: number): Promise<EntryDetail>
  lineage(id: string): Promise<Lineage>
  entryClosure(id: number): Promise<OutputOf<(typeof entriesContract)['closure']>>
  projects(): Promise<{ projects: Project[] }>
  plan(order: PullOrder): Promise<PlannedJob>
  create(order: PullOrder): Promise<CreatedJob>
  queued(project: string, cursor?: string): Promise<{ jobs: PullJob[]; next_cursor: string | null }>
  members(): Promise<{ members: Member[] }>
  job(id: number): Promise<PullJobDetail>
  claim(id: number, project: string, engineVersion: string | null): Promise<ClaimedJob>
  heartbeat(id: number, token: string): Promise<{ status: PullJob['status'] }>
  /** `urls`: with presigned addresses, where the server knows them. */
  closure(id: number, urls: boolean): Promise<Closure>
  progress(id: number, token: string, progress: Progress): Promise<PullJobDetail>
  cancel(id: number): Promise<unknown>
  blobAddress(hash: string): Promise<string>
}

/** The calls over one connection. */
export function pullCalls(http: Http, signal?: AbortSignal): PullCalls {
  const answer = <T>(request: ApiRequest) => http.json({ signal, ...request }) as Promise<T>
  const get = <T>(path: string, query: Record<string, unknown> = {}) => answer<T>({ method: 'GET', path, query: asQuery(query) })
  const post = <T>(path: string, json: unknown, idempotent = false) => answer<T>({ method: 'POST', path, json, idempotent })
  const patch = <T>(path: string, json: unknown) => answer<T>({ method: 'PATCH', path, json })
  return {
    entries: (query) => get('/entries', query),
    entry: (id) => get(`/entries/${id}`),
    lineage: (id) => get(`/lineages/${encodeURIComponent(id)}`),
    entryClosure: (id) => get(`/entries/${id}/closure`),
    projects: () => get('/projects'),
    plan: (order) => post('/pull-jobs/plan', order, true),
    create: (order) => post('/pull-jobs', order),
    queued: (project, cursor) => get('/pull-jobs', { target_project: project, status: 'queued', limit: 200, cursor }),
    members: () => get('/members'),
    job: (id) => get(`/pull-jobs/${id}`),
    claim: (id, project, engineVersion) =>
      post(`/pull-jobs/${id}/claim`, {
        project_key: project,
        ...(engineVersion === null ? {} : { engine_version: engineVersion }),
      }),
    heartbeat: (id, claim_token) => post(`/pull-jobs/${id}/heartbeat`, { claim_token }, true),
    closure: (id, urls) => get(`/pull-jobs/${id}/closure`, urls ? { urls: true } : {}),
    progress: (id, claim_token, progress) => patch(`/pull-jobs/${id}`, { claim_token, ...progress }),
    cancel: (id) => patch(`/pull-jobs/${id}`, { status: 'cancelled' }),
    blobAddress: async (hash) => (await http.redirect({ method: 'GET', path: `/blobs/${hash}`, signal })).location,
  }
}

function asQuery(fields: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(fields))
    for (const one of [value].flat()) if (one !== undefined) query.append(key, String(one))
  return query
}

/** The claim, or the job, is not what it was: someone else has it, or its time was over. */
export const isClaimGone = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'JOB_STATE' || error.code === 'JOB_NOT_FOUND')

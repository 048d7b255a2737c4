/** Jobs that wait for a project: put there by someone, to be brought by `ph pull` or by the desktop agent. */

import { limits } from '../../../contract/limits.ts'
import type { PullJob } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { pagesOf } from '../../http/paging.ts'

/** A job with the name of who ordered it; null where the library does not know them any more. */
export interface WaitingJob extends PullJob {
  requested_by_name: string | null
}

/** Every queued job of exactly this project, oldest first, with who ordered it. */
export async function waitingJobs(api: Api, project: string): Promise<WaitingJob[]> {
  const jobs = await jobsIn('queued', api, project)
  if (jobs.length === 0) return []
  const { members } = await api.members.list()
  const names = new Map(members.map(({ id, display_name, name }) => [id, display_name || name]))
  return jobs.map((job) => ({ ...job, requested_by_name: names.get(job.requested_by) ?? null }))
}

async function jobsIn(status: PullJob['status'], api: Api, project: string): Promise<PullJob[]> {
  const found = new Map<number, PullJob>()
  const ask = (cursor: string | undefined) =>
    api.pullJobs.list({ target_project: project, status, limit: limits.page.max, ...(cursor ? { cursor } : {}) })
  for await (const { jobs } of pagesOf(ask))
    for (const job of jobs) if (job.target_project === project && job.status === status) found.set(job.id, job)
  return [...found.values()].sort((a, b) => a.id - b.id)
}

/** What someone ordered at once: one job, or several that bring a slice each. */
export interface WaitingOrder {
  jobs: WaitingJob[]
  /** All of its slices wait. Others may not be ordered yet, be cancelled, or be someone else's by now. */
  isWhole: boolean
}

/**
 * What `ph pull` brings, oldest first: what is there to be pulled, and what other people sent to agents of this project. What this person
 * sent to an agent is for their own one.
 */
export async function queuedOrders(api: Api, project: string): Promise<WaitingOrder[]> {
  const jobs = await waitingJobs(api, project)
  const me = jobs.some(({ delivery }) => delivery === 'agent') ? (await api.members.me()).id : undefined
  return ordersOf(jobs.filter(({ delivery, requested_by }) => delivery === 'manual' || requested_by !== me))
}

/** The orders that these jobs belong to, each with all of its jobs that wait. */
export async function ordersWith(api: Api, project: string, ids: readonly number[]): Promise<WaitingOrder[]> {
  const wanted = new Set(ids)
  return ordersOf(await waitingJobs(api, project)).filter(({ jobs }) => jobs.some(({ id }) => wanted.has(id)))
}

/** The jobs that were ordered with a slice: those that wait or are being brought, and itself. */
export async function orderOfSlice(api: Api, slice: PullJob): Promise<PullJob[]> {
  const states = ['queued', 'claimed', 'running'] as const
  const lists = await Promise.all(states.map((status) => jobsIn(status, api, slice.target_project)))
  // One may go on to the next state between two lists.
  const jobs = new Map([slice, ...lists.flat()].map((job) => [job.id, job]))
  const [order] = ordersOf([...jobs.values()].sort((a, b) => a.id - b.id)).filter((one) =>
    one.jobs.some(({ id }) => id === slice.id),
  )
  return order?.jobs ?? [slice]
}

type Sliced = Pick<PullJob, 'id' | 'requested_by' | 'delivery' | 'slice'>

/** `jobs`: oldest first. Slices are ordered one after the other: one that does not go on where the last one ended belongs to another order. */
export function ordersOf<J extends Sliced>(jobs: readonly J[]): { jobs: J[]; isWhole: boolean }[] {
  const orders: J[][] = []
  const last = new Map<string, J[]>()
  for (const job of jobs) {
    const { slice } = job
    const list = slice ? `${job.requested_by} ${job.delivery} ${slice.key}` : ''
    const before = slice && slice.from > 0 ? last.get(list) : undefined
    const end = before?.at(-1)?.slice
    if (before && slice && end && slice.from > end.from) before.push(job)
    else {
      orders.push([job])
      if (slice) last.set(list, orders.at(-1) ?? [])
    }
  }
  return orders.map((one) => ({ jobs: one, isWhole: isWhole(one) }))
}

function isWhole(jobs: readonly Sliced[]): boolean {
  let next = 0
  for (const { slice } of jobs) {
    if (!slice) return true
    if (slice.from !== next) return false
    next += slice.count
  }
  return next === jobs[0]?.slice?.total
}

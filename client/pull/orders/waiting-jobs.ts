/** Jobs that wait for a project: put there by someone, to be brought by `ph pull` or by the desktop agent. */

import { limits } from '../../../contract/limits.ts'
import type { PullJob } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { pagesOf } from '../../http/paging.ts'

/** A job with the name of who ordered it; null where the library does not know them any more. */
export interface WaitingJob extends PullJob {
  requested_by_name: string | null
}

/** Queued manual jobs of exactly this project, oldest first: those that `ph pull` does. */
export const queuedJobs = async (api: Api, project: string): Promise<PullJob[]> =>
  (await allQueued(api, project)).filter(({ delivery }) => delivery === 'manual')

/** Every queued job of exactly this project, oldest first, with who ordered it. */
export async function waitingJobs(api: Api, project: string): Promise<WaitingJob[]> {
  const jobs = await allQueued(api, project)
  if (jobs.length === 0) return []
  const { members } = await api.members.list()
  const names = new Map(members.map(({ id, display_name, name }) => [id, display_name || name]))
  return jobs.map((job) => ({ ...job, requested_by_name: names.get(job.requested_by) ?? null }))
}

async function allQueued(api: Api, project: string): Promise<PullJob[]> {
  const found = new Map<number, PullJob>()
  const ask = (cursor: string | undefined) =>
    api.pullJobs.list({ target_project: project, status: 'queued', limit: limits.page.max, ...(cursor ? { cursor } : {}) })
  for await (const { jobs } of pagesOf(ask))
    for (const job of jobs) if (job.target_project === project && job.status === 'queued') found.set(job.id, job)
  return [...found.values()].sort((a, b) => a.id - b.id)
}

/** Jobs that wait for a project: put there by someone, to be brought by `ph pull` or by the desktop agent. */
import type { PullJob } from '../../contract/pull-jobs.ts'
import type { PullCalls } from '../http/pull-calls.ts'

/** A job with the name of who ordered it; null where the library does not know them any more. */
export interface WaitingJob extends PullJob {
  requested_by_name: string | null
}

/** Queued manual jobs of exactly this project, oldest first: those that `ph pull` does. */
export const queuedJobs = async (calls: Pick<PullCalls, 'queued'>, project: string): Promise<PullJob[]> =>
  (await allQueued(calls, project)).filter(({ delivery }) => delivery === 'manual')

/** Every queued job of exactly this project, oldest first, with who ordered it. */
export async function waitingJobs(calls: Pick<PullCalls, 'queued' | 'members'>, project: string): Promise<WaitingJob[]> {
  const jobs = await allQueued(calls, project)
  if (jobs.length === 0) return []
  const { members } = await calls.members()
  const names = new Map(members.map(({ id, display_name, name }) => [id, display_name || name]))
  return jobs.map((job) => ({ ...job, requested_by_name: names.get(job.requested_by) ?? null }))
}

async function allQueued(calls: Pick<PullCalls, 'queued'>, project: string): Promise<PullJob[]> {
  const found = new Map<number, PullJob>()
  for (let cursor: string | undefined; ; ) {
    const { jobs, next_cursor } = await calls.queued(project, cursor)
    for (const job of jobs) if (job.target_project === project && job.status === 'queued') found.set(job.id, job)
    if (next_cursor === null || next_cursor === cursor) return [...found.values()].sort((a, b) => a.id - b.id)
    cursor = next_cursor
  }
}

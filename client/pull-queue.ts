/** Jobs that wait for a project: put there by somebody, to be brought by hand. */
import type { PullJob } from '../contract/pull-jobs.ts'
import type { PullCalls } from './pull-calls.ts'

/** Queued manual jobs of exactly this project, oldest first. */
export async function queuedJobs(calls: PullCalls, project: string): Promise<PullJob[]> {
  const found = new Map<number, PullJob>()
  for (let cursor: string | undefined; ; ) {
    const { jobs, next_cursor } = await calls.queued(project, cursor)
    for (const job of jobs)
      if (job.delivery === 'manual' && job.target_project === project && job.status === 'queued') found.set(job.id, job)
    if (next_cursor === null || next_cursor === cursor) return [...found.values()].sort((a, b) => a.id - b.id)
    cursor = next_cursor
  }
}

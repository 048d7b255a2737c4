/** Refusing what someone sent: the jobs are claimed, and end as failed with who refused them and why. Their sender reads that. */
import { ApiError } from '../../../contract/errors.ts'
import type { PullJob } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { newClaimToken } from '../claim.ts'
import { orderOfSlice } from './waiting-jobs.ts'

/**
 * All that was ordered with the job, also what an interrupted refusal left of it. Gives the ids of the jobs that have ended; throws JOB_STATE
 * where it does not wait any more, or some of it is being brought: then nothing is refused.
 */
export async function refuseJob(
  api: Api,
  job: PullJob,
  { person, reason }: { person: string; reason: string | null | undefined },
): Promise<number[]> {
  const { target_project } = job
  const ids = job.slice ? await waitingWith(api, job) : [job.id]
  const why = reason?.trim() ? `: ${reason.trim()}` : '.'
  for (const job_id of ids) {
    const { claim_token } = await api.pullJobs.claim({ job_id, project_key: target_project, claim_token: newClaimToken() })
    await api.pullJobs.update({ job_id, claim_token, status: 'running' })
    const failure_reason = `Refused by ${person}${why}`.slice(0, 4000)
    await api.pullJobs.update({ job_id, claim_token, status: 'failed', failure_reason })
  }
  return ids
}

/** The job alone where nothing of its order waits: the library says what became of it. */
async function waitingWith(api: Api, job: PullJob): Promise<number[]> {
  const order = await orderOfSlice(api, job)
  const busy = order.find(({ status }) => status === 'claimed' || status === 'running')
  if (busy) {
    const which = busy.id === job.id ? '' : ', which was ordered with it,'
    throw new ApiError('JOB_STATE', `Pull job ${busy.id}${which} is being brought. Nothing was refused.`, { status: busy.status })
  }
  const ids = order.filter(({ status }) => status === 'queued').map(({ id }) => id)
  return ids.length > 0 ? ids : [job.id]
}

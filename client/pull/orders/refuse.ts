/** Refusing what someone sent: the jobs are claimed, and end as failed with who refused them and why. Their sender reads that. */
import type { PullJob } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { newClaimToken } from '../claim.ts'
import { ordersWith } from './waiting-jobs.ts'

/** All that was ordered with the job. Gives the ids of the jobs that have ended; throws JOB_STATE where it does not wait any more. */
export async function refuseJob(
  api: Api,
  { id, target_project, slice }: Pick<PullJob, 'id' | 'target_project' | 'slice'>,
  { person, reason }: { person: string; reason: string | null | undefined },
): Promise<number[]> {
  const [order] = slice ? await ordersWith(api, target_project, [id]) : []
  const ids = order?.jobs.map((job) => job.id) ?? [id]
  const why = reason?.trim() ? `: ${reason.trim()}` : '.'
  for (const job_id of ids) {
    const { claim_token } = await api.pullJobs.claim({ job_id, project_key: target_project, claim_token: newClaimToken() })
    await api.pullJobs.update({ job_id, claim_token, status: 'running' })
    const failure_reason = `Refused by ${person}${why}`.slice(0, 4000)
    await api.pullJobs.update({ job_id, claim_token, status: 'failed', failure_reason })
  }
  return ids
}

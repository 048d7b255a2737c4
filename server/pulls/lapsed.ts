/** Claims whose lease is over: found by the clock and written down, so that who ordered the job hears that it waits again (spec 3). */
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { Feed } from '../feed.ts'

/** Of one transaction: it holds them against who claims or reports. */
const stepJobs = 200

/** The workspaces in which one is due: one look at an index. */
export async function selectWhereLapsed({ sql }: Database, clock: Clock): Promise<number[]> {
  const workspaces = await sql<{ id: number }[]>`
    select distinct workspace_id as id from pull_jobs
     where status in ('claimed', 'running') and lease_expires_at <= ${clock.now().toISOString()}`
  return workspaces.map(({ id }) => id)
}

interface Due {
  clock: Clock
  workspaceId: number
}

export async function recordLapses({ sql }: Database, { clock, workspaceId }: Due): Promise<void> {
  for (let recorded = stepJobs; recorded === stepJobs; ) {
    const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now: clock.now() }
    recorded = await transact(writing, recordDue)
  }
}

/** Says how many. One that someone holds at this moment is left to the next look: it may be extended, finished or claimed anew. */
async function recordDue({ sql, feed, workspace, now }: Writing): Promise<number> {
  const jobs = await sql<{ id: number }[]>`
    update pull_jobs j set status = 'queued', claimed_by = null, claim_hash = null, engine_version = null,
           updated_at = j.lease_expires_at, lease_expires_at = null
     where j.workspace_id = ${workspace.id} and j.id in (
       select due.id from pull_jobs due
        where due.workspace_id = ${workspace.id} and due.status in ('claimed', 'running') and due.lease_expires_at <= ${now.toISOString()}
        order by due.lease_expires_at limit ${stepJobs} for update skip locked)
    returning j.id`
  for (const { id } of jobs) feed.jobChanged(id)
  return jobs.length
}

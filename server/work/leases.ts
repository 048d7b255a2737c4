/** The rows of background work: servers on one database share it by leases, which run out where a server was killed. */
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

/** A step takes far less, however slow the database is: it is several times the longest wait for a lock. */
export const leaseMs = 180_000

export interface LeaseRequest {
  jobs: readonly { name: string; everyMs: number }[]
  /** The server that asks. */
  by: string
  now: Date
}

export interface Leased {
  workspaceId: number
  name: string
  failures: number
}

/** A row for each job in each workspace that has none yet, due at once. In one order: several servers do this at the same moment. */
export async function prepare(sql: Sql, { jobs, now }: LeaseRequest): Promise<void> {
  await sql`
    insert into background_jobs (workspace_id, name, due_at)
    select w.id, job.name, ${now.toISOString()} from workspaces w cross join unnest(${jobs.map((job) => job.name)}::text[]) as job (name)
     where not exists (select 1 from background_jobs known where known.workspace_id = w.id and known.name = job.name)
     order by w.id, job.name
    on conflict do nothing`
}

interface FoundDue {
  name: string
  workspaceIds: readonly number[]
  now: Date
}

/** A job for which something was found. After failures it waits for its pause all the same. */
export async function makeDue(sql: Sql, { name, workspaceIds, now }: FoundDue): Promise<void> {
  await sql`
    update background_jobs set due_at = ${now.toISOString()}
     where name = ${name} and workspace_id ${amongIds(sql, workspaceIds)} and due_at > ${now.toISOString()} and failures = 0`
}

/**
 * The job that has been due the longest, if any: it is this server's until the lease runs out. Times that lie further ahead than they
 * were ever set come from a clock that was wrong, and count as passed (timing.ts).
 */
export async function lease(sql: Sql, { jobs, by, now }: LeaseRequest): Promise<Leased | undefined> {
  const at = now.toISOString()
  const latestDue = jobs.map(({ name, everyMs }) => ({ name, latest: new Date(now.getTime() + 2 * everyMs).toISOString() }))
  const [until, latest] = [1, 2].map((times) => new Date(now.getTime() + times * leaseMs).toISOString())
  const [row] = await sql<{ workspace_id: number; name: string; failures: number }[]>`
    with due as (
      select b.workspace_id, b.name
        from background_jobs b join jsonb_to_recordset(${sql.json(latestDue)}) as job (name text, latest timestamptz) on job.name = b.name
       where (b.due_at <= ${at} or b.due_at > job.latest)
         and (b.leased_until is null or b.leased_until <= ${at} or b.leased_until > ${latest ?? at})
       order by b.due_at limit 1
         for update of b skip locked)
    update background_jobs b set leased_by = ${by}, leased_until = ${until ?? at}
      from due where b.workspace_id = due.workspace_id and b.name = due.name
    returning b.workspace_id, b.name, b.failures`
  return row && { workspaceId: row.workspace_id, name: row.name, failures: row.failures }
}

/** Where one server alone has the database, those that held leases when it starts are gone: the work need not wait for them. */
export async function endLeases(sql: Sql): Promise<void> {
  await sql`update background_jobs set leased_by = null, leased_until = null where leased_by is not null`
}

interface Finished extends Leased {
  by: string
  /** When the next step is. */
  dueAt: Date
}

/** Where the lease has run out and another server has taken the job over, that one says when it is due. */
export async function finish(sql: Sql, { workspaceId, name, by, dueAt, failures }: Finished): Promise<void> {
  await sql`
    update background_jobs set due_at = ${dueAt.toISOString()}, leased_by = null, leased_until = null, failures = ${failures}
     where workspace_id = ${workspaceId} and name = ${name} and leased_by = ${by}`
}

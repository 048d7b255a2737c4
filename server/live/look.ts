/** What all streams of a process hear by one look at the database: who may still listen, how far the feeds are, which jobs moved. */
import type { PullJobStatus } from '../../contract/pull-jobs.ts'
import type { Sql } from '../database/sql.ts'
import type { EpochRow } from '../epoch.ts'
import { isValid } from '../front-door/keys.ts'
import type { WorkspaceState } from '../principal.ts'
import { stateOf } from '../rows/pull-job.ts'

/** The newest numbers of a workspace's feeds. */
export interface Heads extends EpochRow {
  change_seq: number
  job_seq: number
}

/** A key, and what its holder may hear. */
export interface HeardRow extends Heads {
  key_id: number
  workspace_id: number
  state: WorkspaceState
}

export interface KeyName {
  workspaceId: number
  keyId: number
}

/** No row for a key that is nobody's any more. Each is looked up through the index, however many there are. */
export const selectHeard = (sql: Sql, keys: readonly KeyName[]) => sql<HeardRow[]>`
  select found.* from ${namesOf(sql, keys)} as asked (workspace_id, key_id) cross join lateral (
    select k.id as key_id, k.workspace_id, w.state, h.change_seq, h.job_seq, h.epoch_id, h.epoch_began_at
      from api_keys k
      join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
      join workspaces w on w.id = k.workspace_id
      join feed_heads h on h.workspace_id = k.workspace_id
     where k.workspace_id = asked.workspace_id and k.id = asked.key_id and ${isValid(sql)} offset 0) as found`

const namesOf = (sql: Sql, keys: readonly KeyName[]) =>
  sql`unnest(${keys.map((key) => key.workspaceId)}::bigint[], ${keys.map((key) => key.keyId)}::bigint[])`

/** Someone whose jobs moved after a number. */
export interface Requester {
  workspaceId: number
  memberId: number
  after: number
}

export interface MovedJob {
  workspace_id: number
  requested_by: number
  job_id: number
  job_seq: number
  status: PullJobStatus
}

/** Of one look; what is beyond comes with the next. */
export const mostMoved = 1000

/** In the order in which they moved. */
export const selectMoved = (sql: Sql, requesters: readonly Requester[], now: Date) => sql<MovedJob[]>`
  select j.workspace_id, j.requested_by, j.id as job_id, j.job_seq, ${stateOf(sql, now)} as status
    from unnest(${requesters.map((one) => one.workspaceId)}::bigint[], ${requesters.map((one) => one.memberId)}::bigint[],
                ${requesters.map((one) => one.after)}::bigint[]) as asked (workspace_id, member_id, after)
    join pull_jobs j on j.workspace_id = asked.workspace_id and j.requested_by = asked.member_id and j.job_seq > asked.after
   order by j.job_seq limit ${mostMoved}`

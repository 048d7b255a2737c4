/** Counting in the database, where several processes see it: the rule of windows.ts as one statement for all requests of a moment. */
import type { Fragment, Sql } from '../database/sql.ts'
import { type HolderRow, selectHolder } from './keys.ts'
import { type Budget, keysOfMember, type Limits } from './rate-limit.ts'
import { grainMs, windowMs } from './windows.ts'

/** Requests of one key against one budget. */
export interface Batch {
  keyHash: string
  budget: Budget
  requests: number
}

export interface CountedRow extends HolderRow {
  key_hash: string
  budget: number
  /** How many of the requests. */
  let_in: number
  /** In how many ms the key has room again; null while it has. */
  wait_ms: number | null
  /** The same of all keys of its member together. */
  member_wait_ms: number | null
  /** The workspace that the bare address means. */
  first_slug: string
}

/** As request_windows keeps them. */
const budgets: readonly Budget[] = ['requests', 'push']
export const budgetOfRow = ({ budget }: CountedRow): Budget => budgets[budget] ?? 'requests'

/**
 * The time of request windows, in ms: the one exception to the server's own clock. Processes that count together must agree on the time,
 * or one that is a minute ahead drops what the others counted; the database is the only clock that all of them see. It is read row by
 * row, under the row's lock, so that it goes on as the counts do.
 */
const databaseTime = (sql: Sql) => sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Of the two budgets: how many requests a window takes, and how it keeps them. */
interface Sizes {
  most: readonly number[]
  grains: readonly number[]
}

const sizesOf = (limits: Limits, times: number): Sizes => {
  const most = budgets.map((budget) => limits[budget] * times)
  return { most, grains: most.map(grainMs) }
}

/** What becomes of a window that is there, as `(runs, let_in, is_full, seen_at)`: its requests of the last minute, and those that fit beside them. */
const slid = (sql: Sql, { most, grains }: Sizes): Fragment => sql`(
  -- The condition ties the moment to the row: without it the first row's would be used for all of them.
  with moment as materialized (select ${databaseTime(sql)} as now where kept.budget is not null),
  recent as (
    select least(run >> 21, now) as at, run & 2097151 as requests
      from moment cross join unnest(kept.runs) as run where run >> 21 > now - ${windowMs}::bigint),
  room as (select (${most}::bigint[])[kept.budget + 1] - coalesce(sum(requests)::bigint, 0) as allowed from recent),
  taken as (select greatest(0, least(excluded.let_in, allowed)) as fit, allowed from room)
  select array(
    select (max(at) << 21) | least(sum(requests), 2097151)::bigint
      from (select at, requests from recent union all select now, fit from taken cross join moment where fit > 0) as all_of_them
     group by at / (${grains}::bigint[])[kept.budget + 1] order by 1), fit, fit >= allowed, now from taken cross join moment)`

/** Of a new window: columns as above, from `requests`. */
const begun = (sql: Sql): Fragment => sql`case when fit > 0 then array[(now << 21) | fit] else '{}' end, fit, fit = allowed, now`

const fitting = (sql: Sql, { most }: Sizes): Fragment => sql`
  cross join lateral (select (${most}::bigint[])[budget + 1] as allowed) as room
  cross join lateral (select least(requests, allowed) as fit) as taken
  cross join (select ${databaseTime(sql)} as now) as moment`

/** In how many ms a window has room again; null while it has. */
const waiting = (sql: Sql, { most }: Sizes): Fragment => sql`case when is_full then (
  select min(run >> 21) + ${windowMs}::bigint - kept.seen_at
    from (select run, sum(run & 2097151) over (order by run desc) - (run & 2097151) as newer from unnest(kept.runs) as run) as runs
   where newer < (${most}::bigint[])[kept.budget + 1]) end`

/**
 * Finds the holders and counts their requests; nobody's keys give no row. Each upsert waits for other statements on the same window and
 * goes on from what they left, so exactly as many get through as may; refused ones leave the runs as they are. Rows are taken in one
 * order, those of keys before those of members, because statements that took the same ones in different orders would wait for each other.
 * Where the database's clock went back, runs in its future count as of now, as in windows.ts: nobody waits longer than a minute, and
 * nothing is forgotten.
 *
 * What a member's window has no room for is not counted in those of the keys either, as far as it can be known before they are held:
 * two statements that use up the last of it at the same moment count what the second one is refused, in the key's own window.
 */
export function countRequests(sql: Sql, { batches, limits }: { batches: readonly Batch[]; limits: Limits }) {
  const rows = batches.map(({ keyHash, budget, requests }) => ({ key_hash: keyHash, budget: budgets.indexOf(budget), requests }))
  const ofKey = sizesOf(limits, 1)
  const ofMember = sizesOf(limits, keysOfMember)
  const earlierKeys = sql`over (partition by workspace_id, member_id, budget order by key_id rows between unbounded preceding and 1 preceding)`
  return sql<CountedRow[]>`
    with asked as materialized (
      select * from jsonb_to_recordset(${sql.json(rows)}) as r(key_hash text, budget smallint, requests integer)),
    holder as materialized (
      select asked.*, found.*
        from asked cross join lateral (${selectHolder(sql, sql`asked.key_hash`)} offset 0) as found),
    left_over as materialized (
      select members.*, (${ofMember.most}::bigint[])[budget + 1] - coalesce((
               select sum(run & 2097151) from member_windows w cross join unnest(w.runs) as run
                where w.workspace_id = members.workspace_id and w.member_id = members.member_id and w.budget = members.budget
                  and run >> 21 > now - ${windowMs}::bigint)::bigint, 0) as room
        from (select distinct workspace_id, member_id, budget from holder) as members
       cross join (select ${databaseTime(sql)} as now) as moment),
    granted as (
      select workspace_id, key_id, budget, greatest(0, least(requests, room - earlier)) as requests
        from (select *, coalesce(sum(requests) ${earlierKeys}, 0) as earlier from holder) as holders
        join left_over using (workspace_id, member_id, budget)),
    counted as (
      insert into request_windows as kept (workspace_id, key_id, budget, runs, let_in, is_full, seen_at)
      select workspace_id, key_id, budget, ${begun(sql)} from granted ${fitting(sql, ofKey)}
       order by workspace_id, key_id, budget
      on conflict (workspace_id, key_id, budget) do update set (runs, let_in, is_full, seen_at) = ${slid(sql, ofKey)}
      returning workspace_id, key_id, budget, let_in, ${waiting(sql, ofKey)} as wait_ms),
    together as (
      insert into member_windows as kept (workspace_id, member_id, budget, runs, let_in, is_full, seen_at)
      select workspace_id, member_id, budget, ${begun(sql)}
        from (select workspace_id, member_id, budget, sum(let_in)::bigint as requests
                from counted join holder using (workspace_id, key_id, budget) group by workspace_id, member_id, budget) as sums
             ${fitting(sql, ofMember)}
       order by workspace_id, member_id, budget
      on conflict (workspace_id, member_id, budget) do update set (runs, let_in, is_full, seen_at) = ${slid(sql, ofMember)}
      returning workspace_id, member_id, budget, let_in as all_in, ${waiting(sql, ofMember)} as member_wait_ms)
    select holder.*, all_of_them.let_in, wait_ms, member_wait_ms, (select slug from workspaces order by id limit 1) as first_slug
      from (select workspace_id, key_id, budget, wait_ms, member_wait_ms,
                   greatest(0, least(let_in, all_in - coalesce(sum(let_in) ${earlierKeys}, 0)))::integer as let_in
              from counted join (select workspace_id, member_id, key_id, budget from holder) as whose using (workspace_id, key_id, budget)
              join together using (workspace_id, member_id, budget)) as all_of_them
      join holder using (workspace_id, key_id, budget)`
}

/** Removes windows that nobody used for two minutes; those that someone uses at this moment stay, so that nobody waits for another. */
export async function forgetUnused(sql: Sql): Promise<void> {
  const unused = sql`seen_at < ${databaseTime(sql)} - ${2 * windowMs}::bigint for update skip locked`
  await sql`
    with unused as (select workspace_id, key_id, budget from request_windows where ${unused})
    delete from request_windows using unused
     where request_windows.workspace_id = unused.workspace_id and request_windows.key_id = unused.key_id
       and request_windows.budget = unused.budget`
  await sql`
    with unused as (select workspace_id, member_id, budget from member_windows where ${unused})
    delete from member_windows using unused
     where member_windows.workspace_id = unused.workspace_id and member_windows.member_id = unused.member_id
       and member_windows.budget = unused.budget`
}

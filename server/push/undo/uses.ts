/** What others did with versions that are to be taken back: each keeps them (contract-gaps 9). Own uses are none. */
import { limits } from '../../../contract/limits.ts'
import type { PushUse } from '../../../contract/push-undo.ts'
import { amongIds, amongTexts } from '../../database/among.ts'
import type { Fragment, Sql } from '../../database/sql.ts'
import type { Context } from '../../handler.ts'
import { momentOf, stubOf } from '../../rows/json.ts'
import { isActive } from '../../rows/lock.ts'
import type { Taken } from './taken.ts'

interface Asking {
  sql: Sql
  workspaceId: number
  /** Who takes them back. */
  me: number
  now: Date
  pushIds: readonly number[]
}

/** One more than an answer names, where there are more. */
export async function selectUses({ sql, workspace, actor, now }: Context, taken: Taken): Promise<PushUse[]> {
  const asking = { sql, workspaceId: workspace.id, me: actor.id, now, pushIds: taken.pushes.map(({ id }) => id) }
  return sql<PushUse[]>`
    with gone as materialized (
      select id, lineage_id from objects where workspace_id = ${workspace.id} and id ${amongIds(
        sql,
        taken.versions.map(({ id }) => id),
      )}),
    leaving as materialized (
      select id, lineage_id, curated_by from entries where workspace_id = ${workspace.id} and id ${amongIds(
        sql,
        taken.entries.map(({ id }) => id),
      )}),
    touched as materialized (
      select id, lineage_id from entries where workspace_id = ${workspace.id} and lineage_id ${amongTexts(
        sql,
        taken.versions.map(({ lineage_id }) => lineage_id),
      )}
       union select id, lineage_id from leaving),
    used (lineage_id, object_id, did, by, at) as (
      ${pulls(asking)} union all ${reviews(asking)} union all ${words(asking)} union all ${curation(asking)} union all ${work(asking)})
    select u.lineage_id, e.id as entry_id, u.object_id, coalesce(e.name, o.asset_name) as name, u.did, ${stubOf(sql, 'm')} as by,
           ${momentOf(sql, sql`u.at`)} as at
      from (select lineage_id, object_id, did, by, min(at) as at from used
             where by is distinct from ${actor.id} group by lineage_id, object_id, did, by) u
      left join entries e on e.workspace_id = ${workspace.id} and e.lineage_id = u.lineage_id
      left join objects o on o.workspace_id = ${workspace.id} and o.id = u.object_id
      left join members m on m.workspace_id = ${workspace.id} and m.id = u.by
     order by u.at desc nulls last, u.lineage_id, u.object_id, u.did, u.by limit ${limits.pushUndo.used + 1}`
}

/** Orders that ended without bringing anything do not count; nor do own ones that wait to be taken. */
const pulls = ({ sql, workspaceId, me }: Asking): Fragment => sql`
  select g.lineage_id, g.id, 'pulled'::text, case when j.requested_by = ${me} then j.claimed_by else j.requested_by end, j.created_at
    from gone g
    join pull_job_objects p on p.workspace_id = ${workspaceId} and p.object_id = g.id
    join pull_jobs j on j.workspace_id = p.workspace_id and j.id = p.job_id
   where j.status in ('queued', 'claimed', 'running', 'done') and (j.requested_by <> ${me} or j.claimed_by <> ${me})
   union all
  select g.lineage_id, g.id, case a.event_type when 'entry.restore' then 'restored' else 'downloaded' end, a.actor_id, a.created_at
    from (select distinct lineage_id from gone) l
   cross join lateral (
     select object_id, event_type, actor_id, created_at from activity
      where workspace_id = ${workspaceId} and lineage_id = l.lineage_id and actor_id <> ${me}
        and (event_type = 'entry.restore' or event_type = 'download.pull' and batch_key is null) offset 0) a
    join gone g on g.id = a.object_id`

const reviews = ({ sql, workspaceId, me }: Asking): Fragment => sql`
  select g.lineage_id, g.id, 'reviewed', v.decided_by, v.decided_at
    from gone g join reviews v on v.workspace_id = ${workspaceId} and v.object_id = g.id
   where v.decided_by <> ${me}
   union all
  select g.lineage_id, g.id, 'reviewed', said.by, said.at
    from touched e
    join review_requests q on q.workspace_id = ${workspaceId} and q.entry_id = e.id
    join gone g on g.id = q.object_id
   cross join lateral (
     select q.requested_by as by, q.created_at as at
      union all
     select r.member_id, r.responded_at from review_reviewers r
      where r.workspace_id = q.workspace_id and r.request_id = q.id and r.responded_at is not null) said
   where said.by <> ${me}`

/** Under an entry that stays only what is said of the version counts. */
const words = ({ sql, workspaceId, me }: Asking): Fragment => sql`
  select e.lineage_id, g.id, 'commented', said.by, said.at
    from touched e
    left join leaving on leaving.id = e.id
   cross join lateral (
     select c.object_id, c.created_by as by, c.created_at as at from comments c where c.workspace_id = ${workspaceId} and c.entry_id = e.id
      union all
     select c.object_id, r.member_id, r.created_at
       from comments c join comment_reactions r on r.workspace_id = c.workspace_id and r.comment_id = c.id
      where c.workspace_id = ${workspaceId} and c.entry_id = e.id
      union all
     select a.object_id, a.created_by, a.created_at from annotations a where a.workspace_id = ${workspaceId} and a.entry_id = e.id) said
    left join gone g on g.id = said.object_id
   where said.by <> ${me} and (g.id is not null or leaving.id is not null)`

const curation = ({ sql, workspaceId, me }: Asking): Fragment => sql`
  select e.lineage_id, null::bigint, 'curated', e.curated_by, null::timestamptz from leaving e where e.curated_by <> ${me}
   union all
  select e.lineage_id, null, 'curated', c.added_by, c.added_at
    from leaving e join collection_entries c on c.workspace_id = ${workspaceId} and c.entry_id = e.id where c.added_by <> ${me}`

/** A reference that one of the pushes completed is that of someone who awaited it: it is awaited again. */
const work = ({ sql, workspaceId, me, now, pushIds }: Asking): Fragment => sql`
  select k.lineage_id, null::bigint, 'checked_out', k.holder_id, k.created_at
    from (select distinct lineage_id from gone union select lineage_id from leaving) g
    join locks k on k.workspace_id = ${workspaceId} and k.lineage_id = g.lineage_id
   where k.holder_id <> ${me} and ${isActive(sql, now)}
   union all
  select o.lineage_id, o.id, 'built_on', o.published_by, o.date_ingested
    from (select lineage_id, min(id) as first_id from gone group by lineage_id) g
    join objects o on o.workspace_id = ${workspaceId} and o.lineage_id = g.lineage_id and o.id > g.first_id
   where o.published_by <> ${me} and o.id not in (select id from gone)
     and (o.parent_object_id is null or o.parent_object_id in (select id from gone))
   union all
  select g.lineage_id, g.id, 'referred_to', u.pushed_by, u.pushed_at
    from gone g
    join dependencies d on d.workspace_id = ${workspaceId} and d.needs_object_id = g.id
    join pushes u on u.workspace_id = d.workspace_id and u.id = d.push_id
   where u.pushed_by <> ${me} and d.object_id not in (select id from gone)
   union all
  select g.lineage_id, g.id, 'pushed', u.pushed_by, u.pushed_at
    from pushes u cross join lateral unnest(u.known_ids) as named (id)
    join gone g on g.id = named.id
   where u.workspace_id = ${workspaceId} and u.pushed_by <> ${me} and u.undone_at is null
     and u.pushed_at >= (select min(pushed_at) from pushes where workspace_id = ${workspaceId} and id ${amongIds(sql, pushIds)})`

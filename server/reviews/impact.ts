/** What a change of a prop reaches: the entries that use it, and the projects into which it was pulled (contract-gaps 9). */
import type { Impact } from '../../contract/review-requests.ts'
import type { Sql } from '../database/sql.ts'

/**
 * Of any version of the lineage. An entry counts where its current version needs one, directly or through other versions; a project where
 * a pull that is done brought one.
 */
export async function impactOf(sql: Sql, workspaceId: number, lineageId: string): Promise<Impact> {
  const [row] = await sql<Impact[]>`
    with recursive own as materialized (
      select id from objects where workspace_id = ${workspaceId} and lineage_id = ${lineageId}),
    direct as materialized (
      select distinct d.object_id as id from own join dependencies d on d.workspace_id = ${workspaceId} and d.needs_object_id = own.id),
    reached (id) as (
      select id from direct
      union
      select d.object_id from reached r join dependencies d on d.workspace_id = ${workspaceId} and d.needs_object_id = r.id),
    shown as (
      select e.id, r.id in (select id from direct) as is_direct
        from reached r
       cross join lateral (
         select e.id from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
          where l.workspace_id = ${workspaceId} and l.face_object_id = r.id and l.id <> ${lineageId} offset 0) e)
    select (select count(*) from shown where is_direct)::int as direct_entries, (select count(*) from shown)::int as entries,
           coalesce((
             select json_agg(name order by lower(name), name)
               from (select distinct j.target_project as name
                       from own
                      cross join lateral (
                        select p.job_id from pull_job_objects p where p.workspace_id = ${workspaceId} and p.object_id = own.id offset 0) p
                      cross join lateral (
                        select target_project from pull_jobs
                         where workspace_id = ${workspaceId} and id = p.job_id and status = 'done' offset 0) j) projects), '[]') as projects`
  return row ?? { direct_entries: 0, entries: 0, projects: [] }
}

/** Files that two projects share without having said so: a next version would be that of both (contract-gaps 9). */
import { limits } from '../../contract/limits.ts'
import type { Manifest } from '../../contract/push.ts'
import { lookupTexts } from '../database/among.ts'
import type { Context } from '../handler.ts'
import { noProject } from '../rows/places.ts'
import { isPart, isRedirector } from './manifest.ts'
import type { ItemPlan } from './plan.ts'

interface Asked {
  plans: readonly ItemPlan[]
  project: Manifest['project']
  /** Undefined where the project never pushed. */
  projectId: number | undefined
}

/**
 * By lineage that an item would continue, or looks like a version of: the names of other projects whose latest it is and that did not pull it
 * before they pushed it, the oldest first.
 * Nothing of a lineage that the project pulled in a version that it had not pushed itself; nothing of a candidate that the project itself pushed.
 */
export async function selectOtherProjects(
  { sql, workspace }: Pick<Context, 'sql' | 'workspace'>,
  { plans, project, projectId = -1 }: Asked,
): Promise<Map<string, string[]>> {
  if (!project || projectId === noProject) return new Map()
  const continued = new Set(plans.flatMap((plan) => continuedBy(plan) ?? []))
  const candidates = new Set(plans.flatMap((plan) => (plan.action === 'hold' ? (plan.candidate?.id ?? []) : [])))
  if (continued.size + candidates.size === 0) return new Map()
  const rows = await sql<{ lineage_id: string; project_id: number; name: string }[]>`
    select lookup.key as lineage_id, q.id as project_id, q.name from ${lookupTexts(sql, new Set([...continued, ...candidates]))}
     cross join lateral (
       select id, face_object_id from lineages where workspace_id = ${workspace.id} and id = lookup.key offset 0) l
     cross join lateral (
       select distinct on (p.project_id) p.project_id, p.object_id, p.path_key, p.id, p.placed_at from placings p
        where p.workspace_id = ${workspace.id} and p.lineage_id = l.id and p.project_id <> ${noProject}
        order by p.project_id, p.id desc) at
     cross join lateral (
       select id, name from push_projects where workspace_id = ${workspace.id} and id = at.project_id offset 0) q
     where (q.id = ${projectId} or at.object_id = l.face_object_id and not exists (
         select 1 from placings later
          where later.workspace_id = ${workspace.id} and later.project_id = q.id and later.path_key = at.path_key and later.id > at.id)
         and not exists (
           select 1 from pull_job_objects pulled
             join pull_jobs j on j.workspace_id = pulled.workspace_id and j.id = pulled.job_id and j.status = 'done'
              and lower(j.target_project) = lower(q.name) and j.created_at <= coalesce(at.placed_at, 'infinity')
            where pulled.workspace_id = ${workspace.id} and pulled.object_id = at.object_id))
       and not exists (
         select 1 from objects o
           join pull_job_objects pulled on pulled.workspace_id = o.workspace_id and pulled.object_id = o.id
           join pull_jobs j on j.workspace_id = pulled.workspace_id and j.id = pulled.job_id and j.status = 'done'
            and lower(j.target_project) = lower(${project}::text)
          where o.workspace_id = ${workspace.id} and o.lineage_id = l.id and not exists (
            select 1 from placings own
             where own.workspace_id = ${workspace.id} and own.lineage_id = l.id and own.project_id = ${projectId} and own.object_id = o.id
               and coalesce(own.placed_at, '-infinity') <= j.created_at))
     order by q.id`
  const own = new Set(rows.flatMap((row) => (row.project_id === projectId ? row.lineage_id : [])))
  const others = rows.filter((row) => row.project_id !== projectId && (continued.has(row.lineage_id) || !own.has(row.lineage_id)))
  const named = Map.groupBy(others, ({ lineage_id }) => lineage_id)
  return new Map([...named].map(([id, list]) => [id, list.slice(0, limits.otherProjects).map(({ name }) => name)]))
}

/** The lineage that an item continues: a stamp says what a file was made from, not whose it is. */
function continuedBy(plan: ItemPlan): string | undefined {
  const next = plan.action === 'locked' ? plan.planned : plan
  if (next.action !== 'register' || isRedirector(next.item) || isPart(next.item)) return undefined
  return next.lineage?.id
}

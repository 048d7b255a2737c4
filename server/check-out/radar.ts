/** What goes on around lineages, for someone who is about to edit them (contract-gaps 9). */

import { limits } from '../../contract/limits.ts'
import type { Lock, RadarEditor, RadarLineage, RadarLock } from '../../contract/locks.ts'
import { amongTexts, lookupTexts } from '../database/among.ts'
import { atOneMoment } from '../database/transaction.ts'
import { isOnline } from '../rows/editor-session.ts'
import { isActive, type LockScope, selectActiveLocks } from '../rows/lock.ts'
import { requireLineages } from './held-lineages.ts'
import { locate, type Reached, selectLockedAround, walkNeeds } from './locked-needs.ts'
import { type NamedLineage, nameLineages } from './named-lineages.ts'

const { shown } = limits.lock

/** In the order of the ids, each once. As of one moment; what is needed is looked for before, which may take long. */
export async function readRadar(scope: LockScope, lineageIds: readonly string[]): Promise<RadarLineage[]> {
  const ids = [...new Set(lineageIds)]
  const before = await requireLineages(scope, ids)
  const reached = await walkNeeds(
    scope,
    before.map(({ object_id }) => object_id),
  )
  const found = await atOneMoment(scope.sql, (sql) => selectAround({ ...scope, sql }, ids, reached))
  const needed = await locate(found.lockedAround)
  return found.lineages.map(({ lineage_id, review_status }) => {
    const around: Around = { lineageId: lineage_id, needed: needed.get(lineage_id), users: found.users.get(lineage_id) }
    const locks = locksAround(around, found)
    return {
      lineage_id,
      review_status,
      locks: locks.slice(0, shown),
      more_locks: Math.max(0, locks.length - shown),
      editors: found.editors.get(lineage_id)?.slice(0, shown) ?? [],
      ...(found.lockedAround.isTooMuch ? { needs_left_out: true as const } : {}),
    }
  })
}

async function selectAround(scope: LockScope, ids: readonly string[], reached: Reached) {
  const lineages = await requireLineages(scope, ids)
  const lockedAround = await selectLockedAround(scope, lineages, reached)
  const users = await selectLockedUsers(scope, ids)
  const near = new Set([...ids, ...lockedAround.locked.values(), ...[...users.values()].flat()])
  const locks = await selectActiveLocks(scope, [...near])
  const names = await nameLineages(scope, locks.keys())
  return { lineages, lockedAround, users, locks, names, editors: await selectEditors(scope, ids) }
}

interface Around {
  lineageId: string
  /** Locked lineages that it needs, with the number of steps there. */
  needed: ReadonlyMap<string, number> | undefined
  users: readonly string[] | undefined
}

/** Nearest first; each lock once. */
function locksAround(
  { lineageId, needed = new Map(), users = [] }: Around,
  { locks, names }: { locks: ReadonlyMap<string, Lock>; names: ReadonlyMap<string, NamedLineage> },
): RadarLock[] {
  const relations: [lineageId: string, relation: RadarLock['relation'], steps: number][] = [
    [lineageId, 'self', 0],
    ...[...needed].map(([id, steps]) => [id, 'dependency', steps] as [string, 'dependency', number]),
    ...users.map((id) => [id, 'dependent', 1] as [string, 'dependent', number]),
  ]
  const seen = new Set<string>()
  return relations
    .sort(([, , a], [, , b]) => a - b)
    .flatMap(([id, relation]) => {
      const lock = locks.get(id)
      if (!lock || seen.has(id)) return []
      seen.add(id)
      const { entry_id = null, name = null, part } = names.get(id) ?? {}
      return { lock, relation, entry_id, name, ...(part ? { part } : {}) }
    })
}

/** By lineage: the locked lineages whose current version needs any version of it. What is locked is looked at first: that is little. */
async function selectLockedUsers({ sql, workspace, now }: LockScope, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await sql<{ lineage_id: string; user_id: string }[]>`
    select distinct needed.lineage_id, k.lineage_id as user_id
      from (select lineage_id from locks k where k.workspace_id = ${workspace.id} and ${isActive(sql, now)} offset 0) k
      join lineages l on l.workspace_id = ${workspace.id} and l.id = k.lineage_id
      join dependencies d on d.workspace_id = ${workspace.id} and d.object_id = l.face_object_id
      join objects needed on needed.workspace_id = ${workspace.id} and needed.id = d.needs_object_id
     where needed.lineage_id ${amongTexts(sql, ids)} and needed.lineage_id <> k.lineage_id`
  const users = Map.groupBy(rows, ({ lineage_id }) => lineage_id)
  return new Map([...users].map(([id, found]) => [id, found.map(({ user_id }) => user_id)]))
}

/** By lineage: online editors in projects into which any version of it was pulled. */
async function selectEditors(scope: LockScope, ids: readonly string[]): Promise<Map<string, RadarEditor[]>> {
  const { sql, workspace, now } = scope
  const online = await sql<RadarEditor[]>`
    select s.session_id, s.project_key, jsonb_build_object('id', m.id, 'name', m.name, 'display_name', m.display_name) as user
      from editor_sessions s join members m on m.workspace_id = s.workspace_id and m.id = s.user_id
     where s.workspace_id = ${workspace.id} and ${isOnline(sql, now)} order by s.last_seen_at desc, s.session_id`
  const byProject = Map.groupBy(online, (session) => session.project_key)
  if (byProject.size === 0) return new Map()
  const pulled = await sql<{ lineage_id: string; project: string }[]>`
    select lookup.key as lineage_id, project.name as project
      from ${lookupTexts(sql, ids)} cross join unnest(${[...byProject.keys()]}::text[]) as project (name)
     cross join lateral (
       select 1 from objects o
         join pull_job_objects p on p.workspace_id = o.workspace_id and p.object_id = o.id
         join pull_jobs j on j.workspace_id = p.workspace_id and j.id = p.job_id
        where o.workspace_id = ${workspace.id} and o.lineage_id = lookup.key and j.target_project = project.name and j.status = 'done'
        limit 1) pulled`
  const editors = Map.groupBy(pulled, ({ lineage_id }) => lineage_id)
  return new Map([...editors].map(([id, found]) => [id, found.flatMap(({ project }) => byProject.get(project) ?? [])]))
}

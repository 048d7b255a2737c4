/** Which versions a deletion reaches, and which of them something else needs. */

import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { walk } from '../dependencies/walk.ts'

/** Entries with their histories, levels with their parts, and, with `packId`, every version that came from that pack. */
export interface Reach {
  entryIds: readonly number[]
  packId?: number
}

export interface Candidate {
  id: number
  lineage_id: string
  pack_id: number
  content_hash: string
  blob_size: number
  /** The pack of something that needs the version and stays; null when nothing does, and the version goes. */
  home: number | null
}

const reached = (sql: Sql, workspaceId: number, { entryIds, packId }: Reach): Fragment => sql`
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size
    from entries e join objects o on o.workspace_id = e.workspace_id and o.lineage_id = e.lineage_id
   where e.workspace_id = ${workspaceId} and e.id ${amongIds(sql, entryIds)}
   union
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size from objects o
   where o.workspace_id = ${workspaceId} and o.pack_id = ${packId ?? null}::bigint
   union
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size
    from entries e
    join level_parts p on p.workspace_id = e.workspace_id and p.lineage_id = e.lineage_id
    join objects o on o.workspace_id = p.workspace_id and o.id = p.object_id
   where e.workspace_id = ${workspaceId} and e.id ${amongIds(sql, entryIds)}`

/** The lineages of those versions. */
export async function selectLineageIds(sql: Sql, workspaceId: number, reach: Reach): Promise<string[]> {
  const rows = await sql<{ lineage_id: string }[]>`
    select distinct lineage_id from (${reached(sql, workspaceId, reach)}) as reached`
  return rows.map((row) => row.lineage_id)
}

/**
 * A version stays when something outside needs it, when it is part of the history of an entry that stays, or when something that
 * stays for one of these reasons needs it: that is walked, and each has the home of what it was reached by. Whatever there is: nothing
 * could be deleted otherwise. Each statement of the walk is bounded.
 */
export async function selectCandidates(sql: Sql, workspaceId: number, reach: Reach): Promise<Candidate[]> {
  const candidates = await sql<Omit<Candidate, 'home'>[]>`${reached(sql, workspaceId, reach)}`
  const homes = new Map((await selectKept(sql, workspaceId, reach)).map(({ id, home }) => [id, home]))
  const within = new Set(candidates.map(({ id }) => id))
  const unbounded = { most: Number.POSITIVE_INFINITY, mostEdges: Number.POSITIVE_INFINITY }
  const order = { direction: 'needs', reading: 'all', rootIds: [...homes.keys()], within, ...unbounded } as const
  const { steps } = homes.size > 0 ? await walk(sql, workspaceId, order) : { steps: [] }
  for (const [id, { via }] of steps) if (via !== null) homes.set(id, homes.get(via) ?? 0)
  return candidates.map((version) => ({ ...version, home: homes.get(version.id) ?? null }))
}

/** Those that stay for a reason of their own, each once, with a home. Looked up one by one (server/database/among.ts says why). */
const selectKept = (sql: Sql, workspaceId: number, reach: Reach) =>
  sql<{ id: number; home: number }[]>`
    with candidates as materialized (${reached(sql, workspaceId, reach)}), kept as (
      select c.id, user_of.home
        from candidates c cross join lateral (
          select min(u.pack_id) as home from dependencies d join objects u on u.workspace_id = d.workspace_id and u.id = d.object_id
           where d.workspace_id = ${workspaceId} and d.needs_object_id = c.id and d.object_id not in (select id from candidates)) user_of
       where user_of.home is not null
       union all
      select c.id, level.home
        from candidates c cross join lateral (
          select min(v.pack_id) as home
            from level_parts p join objects v on v.workspace_id = p.workspace_id and v.lineage_id = p.lineage_id
           where p.workspace_id = ${workspaceId} and p.object_id = c.id and v.id not in (select id from candidates)) level
       where level.home is not null
       union all
      select c.id, history.pack_id
        from candidates c cross join lateral (
          select e.id, f.pack_id
            from entries e
            join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
            join objects f on f.workspace_id = l.workspace_id and f.id = l.face_object_id
           where e.workspace_id = ${workspaceId} and e.lineage_id = c.lineage_id offset 0) history
       where history.id not ${amongIds(sql, reach.entryIds)})
    select id, min(home) as home from kept group by id`

/** The only place that walks dependencies: down to everything a version needs, and up to everything that needs it. */
import type { ClosureMember, DependentsMember } from '../../contract/entries.ts'
import type { Fragment, Sql } from '../database/open.ts'

/** `needs`: what the version needs. `users`: what needs the version. */
type Direction = 'needs' | 'users'

interface Step {
  depth: number
  edge: 'root' | 'hard' | 'soft'
  via: number | null
}

/** Everything the version needs, nearest first, itself at depth 0. */
export function selectClosure(sql: Sql, workspaceId: number, rootId: number): Promise<ClosureMember[]> {
  const shown = sql`(select count(*)::int from dependencies s where s.workspace_id = o.workspace_id and s.needs_object_id = o.id)
    as shared_with_count`
  return selectReached(sql, workspaceId, { rootId, direction: 'needs', shown })
}

/** Everything that needs the version, directly (depth 1) or through others; the version itself is left out. */
export async function selectDependents(sql: Sql, workspaceId: number, rootId: number): Promise<DependentsMember[]> {
  const shown = sql`e.name as entry_name, e.status as entry_status`
  const members = await selectReached<DependentsMember>(sql, workspaceId, { rootId, direction: 'users', shown })
  return members.filter((member) => member.depth > 0)
}

interface From {
  rootId: number
  direction: Direction
  /** Columns that only this direction has. */
  shown: Fragment
}

type AnyMember = Omit<ClosureMember, 'shared_with_count' | 'url'>

async function selectReached<M extends AnyMember>(sql: Sql, workspaceId: number, from: From): Promise<M[]> {
  const steps = walk(from.rootId, await selectEdges(sql, workspaceId, from))
  const parts = halves([...steps.keys()])
  const found = await Promise.all(parts.map((ids) => selectMembers<M>(sql, workspaceId, { ids, shown: from.shown })))
  // Thousands of rows: they are completed where they are.
  const members = found.flatMap((part) => [...part])
  for (const member of members) {
    const { depth, edge, via } = steps.get(member.object_id) ?? { depth: 0, edge: 'root' as const, via: null }
    member.depth = depth
    member.edge = edge
    member.via_object_id = via
  }
  return members.sort((a, b) => a.depth - b.depth || a.object_id - b.object_id)
}

/** Looking up many takes the database a while, which two connections share. */
const manyIds = 1000

const halves = (ids: number[]): number[][] => {
  const middle = ids.length >> 1
  return ids.length < manyIds ? [ids] : [ids.slice(0, middle), ids.slice(middle)]
}

interface Edge {
  from_id: number
  to_id: number
  hard: boolean
}

/** Every edge between things that can be reached, once, so cycles end. */
async function selectEdges(sql: Sql, workspaceId: number, { rootId, direction }: From): Promise<Edge[]> {
  const [near, far] =
    direction === 'needs' ? [sql`d.object_id`, sql`d.needs_object_id`] : [sql`d.needs_object_id`, sql`d.object_id`]
  return sql<Edge[]>`
    with recursive edges (from_id, to_id, hard) as (
      select null::bigint, ${rootId}::bigint, null::boolean
      union
      select ${near}, ${far}, d.hard
        from (select distinct to_id from edges) reached join dependencies d on d.workspace_id = ${workspaceId} and ${near} = reached.to_id
    )
    select from_id, to_id, hard from edges where from_id is not null`
}

/** Breadth first, so every depth is the shortest; of equally short ways a hard edge wins, then the older version. Pure. */
export function walk(rootId: number, edges: readonly Edge[]): Map<number, Step> {
  const outgoing = Map.groupBy(edges, (edge) => edge.from_id)
  const steps = new Map<number, Step>([[rootId, { depth: 0, edge: 'root', via: null }]])
  let level = [rootId]
  for (let depth = 1; level.length > 0; depth++) {
    const next: number[] = []
    for (const id of level.sort((a, b) => a - b))
      for (const { to_id, hard } of outgoing.get(id) ?? []) {
        const known = steps.get(to_id)
        if (!known) next.push(to_id)
        if (!known || (known.depth === depth && known.edge === 'soft' && hard))
          steps.set(to_id, { depth, edge: hard ? 'hard' : 'soft', via: id })
      }
    level = next
  }
  return steps
}

/** Looked up one by one (server/database/among.ts says why). `entry_id` is set where the version is some entry's current one. */
const selectMembers = <M extends AnyMember>(
  sql: Sql,
  workspaceId: number,
  { ids, shown }: { ids: number[]; shown: Fragment },
) => sql<M[]>`
  select o.id as object_id, o.content_hash, o.lineage_id, o.asset_class, o.asset_name, o.origin_path, o.blob_size, o.engine_version,
         o.source_ext, e.id as entry_id, o.thumbnail_artifact_id is not null as has_thumbnail, ${shown}
    from unnest(${ids}::bigint[]) as wanted (id)
   cross join lateral (select * from objects o where o.workspace_id = ${workspaceId} and o.id = wanted.id offset 0) o
    left join lateral (
      select e.id, e.name, e.status from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
       where l.workspace_id = ${workspaceId} and l.face_object_id = wanted.id offset 0) e on true`

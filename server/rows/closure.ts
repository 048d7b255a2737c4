/** The only place that walks dependencies: down to everything a version needs, and up to everything that needs it. */
import type { ClosureMember, DependentsMember } from '../../contract/entries.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/open.ts'

/** `needs`: what the version needs. `users`: what needs the version. */
type Direction = 'needs' | 'users'

interface Step {
  depth: number
  edge: 'root' | 'hard' | 'soft'
  via: number | null
}

type Member = Omit<DependentsMember, 'depth' | 'edge' | 'via_object_id'> & { shared_with_count: number }

/** Everything the version needs, nearest first, itself at depth 0. */
export async function selectClosure(sql: Sql, workspaceId: number, rootId: number): Promise<ClosureMember[]> {
  const members = await selectReached(sql, workspaceId, { rootId, direction: 'needs' })
  return members.map(({ entry_name: _name, entry_status: _status, ...member }) => member)
}

/** Everything that needs the version, directly (depth 1) or through others; the version itself is left out. */
export async function selectDependents(sql: Sql, workspaceId: number, rootId: number): Promise<DependentsMember[]> {
  const members = await selectReached(sql, workspaceId, { rootId, direction: 'users' })
  return members.filter((member) => member.depth > 0).map(({ shared_with_count: _count, ...member }) => member)
}

async function selectReached(sql: Sql, workspaceId: number, from: { rootId: number; direction: Direction }) {
  const steps = walk(from.rootId, await selectEdges(sql, workspaceId, from))
  const members = await selectMembers(sql, workspaceId, [...steps.keys()])
  return members
    .map((member) => {
      const { depth, edge, via } = steps.get(member.object_id) ?? { depth: 0, edge: 'root' as const, via: null }
      return { ...member, depth, edge, via_object_id: via }
    })
    .sort((a, b) => a.depth - b.depth || a.object_id - b.object_id)
}

interface Edge {
  from_id: number
  to_id: number
  hard: boolean
}

/** Every edge between things that can be reached; each is visited once, so cycles end. */
function selectEdges(
  sql: Sql,
  workspaceId: number,
  { rootId, direction }: { rootId: number; direction: Direction },
): PromiseLike<Edge[]> {
  const [near, far] =
    direction === 'needs' ? [sql`d.object_id`, sql`d.needs_object_id`] : [sql`d.needs_object_id`, sql`d.object_id`]
  return sql<Edge[]>`
    with recursive reached (id) as (
      select ${rootId}::bigint
      union
      select ${far} from reached r join dependencies d on d.workspace_id = ${workspaceId} and ${near} = r.id
    )
    select ${near} as from_id, ${far} as to_id, d.hard
      from reached r join dependencies d on d.workspace_id = ${workspaceId} and ${near} = r.id`
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

/** `entry_id` is set where the version is some entry's current one. */
const selectMembers = (sql: Sql, workspaceId: number, ids: number[]) => sql<Member[]>`
  select o.id as object_id, o.content_hash, o.lineage_id, o.asset_class, o.asset_name, o.origin_path, o.blob_size, o.engine_version, o.source_ext,
         e.id as entry_id, e.name as entry_name, e.status as entry_status, o.thumbnail_artifact_id is not null as has_thumbnail,
         (select count(*)::int from dependencies s where s.workspace_id = o.workspace_id and s.needs_object_id = o.id) as shared_with_count
    from objects o
    left join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
    left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
   where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, ids)}`

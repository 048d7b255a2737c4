/** The statements that read dependencies for a walk, each of them bounded: all that lies around, where it is little; else a piece of what some versions lead to. */

import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { asFirstPushed, type Direction, isMapped, type Reading, rowsOf, targetOf, type Versions } from './rows.ts'

/** Seen from the version that a walk comes from. `came`: the project by which it was reached; `projectId`: the one whose rows it is read by. */
export type Edge = [fromId: number, toId: number, isHard: boolean, came: number, projectId: number]

/** An edge by its ends. */
export interface EdgeName {
  from: number
  to: number
}

/** A version that was reached, and the project by which. */
export interface Reached {
  id: number
  projectId: number
}

export interface EdgeQuery {
  direction: Direction
  reading: Reading
  /** By id, ascending. */
  from: readonly Reached[]
  targets: Targets
}

/** Which ids edges may lead to: all, all but these, or only these. */
export type Targets = 'all' | { but: readonly number[] } | { only: readonly number[] }

export interface PieceQuery extends EdgeQuery {
  /** The last edge of the piece before. */
  after: EdgeName | undefined
  /** Ids to which only hard edges are answered. */
  soft: readonly number[]
}

/** What a piece leads to: ids, each once, with the best edge that leads there (a hard one, else any; of these the one from the oldest version). */
export interface EdgePiece {
  ids: number[]
  vias: number[]
  /** By whose rows each was reached. */
  projects: number[]
  /** Those of `ids` to which a hard edge leads. */
  hard: number[]
  /** Undefined where no edges are left. */
  after: EdgeName | undefined
  /** Edges that were looked at. */
  edges: number
}

/** Edges that one statement looks at, some tens of milliseconds on PGlite: others are answered before the next. */
export const pieceEdges = 20_000

const among = (sql: Sql, id: Fragment, targets: Targets): Fragment => {
  if (targets === 'all') return sql``
  if ('only' in targets) return sql`and ${id} ${amongIds(sql, targets.only)}`
  return sql`and ${id} not ${amongIds(sql, targets.but)}`
}

/** Most props need little: they are looked through by one statement. Where rows lead to other versions than they name, each is looked up. */
export const nearEdges = 2000
const nearMapped = 500

/** Levels that one statement looks through where they are wide. */
export const wideLevels = 8

export interface Around {
  /** Those of the nearest versions first; also such as lead to versions that are no target. */
  edges: Edge[]
  /** False where there are more: then the last of the levels that were begun is not whole. */
  isWhole: boolean
  /** As many levels were looked at, where there are so many. */
  levels: number
}

/**
 * Edges between versions that can be reached, each once, level by level, however many levels there are. A version is looked at again with
 * each step that newly leads to it: so this is for few.
 */
export const selectNearEdges = (sql: Sql, workspaceId: number, query: EdgeQuery): Promise<Around> =>
  selectAround(sql, workspaceId, {
    ...query,
    most: isMapped(query) ? nearMapped : nearEdges,
    levels: Number.POSITIVE_INFINITY,
  })

/** The same for many, of few levels. An edge is answered with each level at which it was looked at: so the bound is one of all that is looked at. */
export const selectWideEdges = (sql: Sql, workspaceId: number, query: EdgeQuery): Promise<Around> =>
  selectAround(sql, workspaceId, { ...query, most: pieceEdges, levels: wideLevels })

/** Rows (id, project_id). */
export const listOf = (sql: Sql, from: readonly Reached[]): Fragment => sql`(
  select id, project_id
    from unnest(${from.map(({ id }) => id)}::bigint[], ${from.map(({ projectId }) => projectId)}::bigint[]) as r (id, project_id))`

/** Lists of values: the driver is quicker with them. No target is left out before the bound: what is looked at counts. */
async function selectAround(
  sql: Sql,
  workspaceId: number,
  { direction, reading, from, targets, most, levels }: EdgeQuery & { most: number; levels: number },
): Promise<Around> {
  const [step, within] = Number.isFinite(levels) ? [sql`+ 1`, sql`level < ${levels}`] : [sql``, sql`true`]
  const onward = targets === 'all' ? sql`` : sql`and (from_id is null or true ${among(sql, sql`to_id`, targets)})`
  const rows = rowsOf(sql, workspaceId, { direction, reading, id: sql`reached.to_id`, project: sql`reached.project_id` })
  const found =
    reading !== 'all' && isMapped({ direction, reading })
      ? sql`select at.id as far_id, r.hard, r.project_id from (${rows}) r cross join lateral ${targetOf(sql, workspaceId, { ...reading, row: sql`r` })} at`
      : sql`select raw_id as far_id, hard, project_id from (${rows}) r`
  const edges = await sql`
    with recursive edges (from_id, to_id, hard, came_id, project_id, level) as (
      select null::bigint, r.id, null::boolean, null::bigint, r.project_id, 0 from ${listOf(sql, from)} r
      union
      select reached.to_id, found.far_id, found.hard, reached.project_id, found.project_id, reached.level ${step}
        from (select distinct to_id, project_id, level from edges where ${within} ${onward}) reached
       cross join lateral (${found} offset 0) found
    )
    select from_id, to_id, hard, came_id, project_id from edges where from_id is not null limit ${most + 1}`.values()
  return { edges: edges as unknown as Edge[], isWhole: edges.length <= most, levels }
}

/** Answers one row, however much there is. */
export async function selectEdgePiece(sql: Sql, workspaceId: number, query: PieceQuery): Promise<EdgePiece> {
  const { direction, reading, from, after, targets, soft } = query
  const behind = after ? sql`where lookup.key > ${after.from} or one.raw_id > ${after.to}` : sql``
  const better = soft.length > 0 ? sql`and (hard or to_id not ${amongIds(sql, soft)})` : sql``
  const rows = rowsOf(sql, workspaceId, { direction, reading, id: sql`lookup.key`, project: sql`lookup.project_id` })
  const [row] = await sql<(Omit<EdgePiece, 'after'> & { from_id: number; to_id: number })[]>`
    with edge as materialized (
      select lookup.key as from_id, found.raw_id, found.hard, found.path_key, found.project_id, found.exact
        from ${listOf(sql, from)} as lookup (key, project_id) cross join lateral (
          select one.* from (${rows} offset 0) one ${behind} order by one.raw_id) found
       limit ${pieceEdges}
    ), led as (${ledOf(sql, workspaceId, query)}), reached as (
      select to_id, coalesce(min(from_id) filter (where hard), min(from_id)) as via, bool_or(hard) as hard,
             (array_agg(project_id order by hard desc, from_id))[1] as project_id
        from led where true ${among(sql, sql`to_id`, targets)} ${better} group by to_id
    ), whole as (
      select array_agg(to_id) as ids, array_agg(via) as vias, array_agg(project_id) as projects,
             array_agg(to_id) filter (where hard) as hard
        from reached
    )
    select coalesce(ids, '{}') as ids, coalesce(vias, '{}') as vias, coalesce(projects, '{}') as projects, coalesce(hard, '{}') as hard,
           counted.edges, last.from_id, last.to_id
      from whole cross join (select count(*) as edges from edge) counted
      left join lateral (
        select from_id, raw_id as to_id from edge where counted.edges = ${pieceEdges} order by from_id desc, raw_id desc limit 1) last on true`
  if (!row) throw new Error('the edges of a walk were not answered')
  const { ids, vias, projects, hard, from_id, to_id: to, edges } = row
  return { ids, vias, projects, hard, edges, after: edges === pieceEdges ? { from: from_id, to } : undefined }
}

/** Where edges lead. Each target is looked for once: most edges share theirs with others. Parts of levels are what their set names. */
function ledOf(sql: Sql, workspaceId: number, { direction, reading }: Pick<EdgeQuery, 'direction' | 'reading'>): Fragment {
  if (reading === 'all' || !isMapped({ direction, reading }))
    return sql`select from_id, raw_id as to_id, hard, project_id from edge`
  return sql`
    select from_id, raw_id as to_id, hard, project_id from edge where exact
     union all
    select edge.from_id, target.id as to_id, edge.hard, edge.project_id
      from (select node.*, at.id
              from (select distinct raw_id, path_key, project_id, exact from edge where not exact) node
             cross join lateral ${targetOf(sql, workspaceId, { ...reading, row: sql`node` })} at offset 0) target
      join edge on not edge.exact and edge.raw_id = target.raw_id and edge.project_id = target.project_id
           and edge.path_key is not distinct from target.path_key`
}

/** Edges as two lists: the one at a place of `from` leads to what stands there in `to`. */
export interface Edges {
  from: number[]
  to: number[]
}

/** What these versions need, each read by the rows that the walk would read; undefined where it is more than `most` edges. One row. */
export async function selectEdgesWithin(
  sql: Sql,
  workspaceId: number,
  { from, reading = asFirstPushed, most }: { from: readonly Reached[]; reading?: Versions; most: number },
): Promise<Edges | undefined> {
  const as = { direction: 'needs', reading } as const
  const rows = rowsOf(sql, workspaceId, { ...as, id: sql`lookup.key`, project: sql`lookup.project_id` })
  const [row] = await sql<Edges[]>`
    with edge as materialized (
      select lookup.key as from_id, found.raw_id, found.hard, found.path_key, found.project_id, found.exact
        from ${listOf(sql, from)} as lookup (key, project_id) cross join lateral (${rows} offset 0) found
       limit ${most + 1}
    ), led as (${ledOf(sql, workspaceId, as)})
    select coalesce(array_agg(from_id), '{}') as from, coalesce(array_agg(to_id), '{}') as to from led`
  return row && row.from.length <= most ? row : undefined
}

/** What each version needs. */
export function needsOf({ from, to }: Edges): Map<number, number[]> {
  const needs = new Map<number, number[]>()
  for (const [at, id] of from.entries()) {
    const needed = to[at] ?? id
    const known = needs.get(id)
    if (known) known.push(needed)
    else needs.set(id, [needed])
  }
  return needs
}

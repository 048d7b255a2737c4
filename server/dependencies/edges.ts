/** The statements that read dependencies for a walk, each of them bounded: all that lies around, where it is little; else a piece of what some versions lead to. */

import { amongIds, lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** `needs`: what versions need. `users`: what needs them. */
export type Direction = 'needs' | 'users'

/** Seen from the version that a walk comes from. */
export type Edge = [fromId: number, toId: number, isHard: boolean]

/** An edge by its ends. */
export interface EdgeName {
  from: number
  to: number
}

export interface EdgeQuery {
  direction: Direction
  /** Ids of versions, ascending. */
  fromIds: readonly number[]
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
  /** Those of `ids` to which a hard edge leads. */
  hard: number[]
  /** Undefined where no edges are left. */
  after: EdgeName | undefined
  /** Edges that were looked at. */
  edges: number
}

/** Edges that one statement looks at, some tens of milliseconds on PGlite: others are answered before the next. */
export const pieceEdges = 20_000

/** The columns of an edge: the end that a walk comes from, and the end that it leads to. */
const endsOf = (sql: Sql, direction: Direction): [near: Fragment, far: Fragment] =>
  direction === 'needs' ? [sql`d.object_id`, sql`d.needs_object_id`] : [sql`d.needs_object_id`, sql`d.object_id`]

/**
 * An equality that the planner takes for few rows. Where most edges lead to one version, it takes `=` for most of the table, and reads
 * all of that for each of thousands of versions.
 */
const isOf = (sql: Sql, near: Fragment, id: Fragment): Fragment => sql`${near} between ${id} and ${id}`

const among = (sql: Sql, id: Fragment, targets: Targets): Fragment => {
  if (targets === 'all') return sql``
  if ('only' in targets) return sql`and ${id} ${amongIds(sql, targets.only)}`
  return sql`and ${id} not ${amongIds(sql, targets.but)}`
}

/** Most props need little: they are looked through by one statement. */
export const nearEdges = 2000

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
  selectAround(sql, workspaceId, { ...query, most: nearEdges, levels: Number.POSITIVE_INFINITY })

/** The same for many, of few levels. An edge is answered with each level at which it was looked at: so the bound is one of all that is looked at. */
export const selectWideEdges = (sql: Sql, workspaceId: number, query: EdgeQuery): Promise<Around> =>
  selectAround(sql, workspaceId, { ...query, most: pieceEdges, levels: wideLevels })

/** Lists of values: the driver is quicker with them. No target is left out before the bound: what is looked at counts. */
async function selectAround(
  sql: Sql,
  workspaceId: number,
  { direction, fromIds, targets, most, levels }: EdgeQuery & { most: number; levels: number },
): Promise<Around> {
  const [near, far] = endsOf(sql, direction)
  const [step, within] = Number.isFinite(levels) ? [sql`+ 1`, sql`level < ${levels}`] : [sql``, sql`true`]
  const onward = targets === 'all' ? sql`` : sql`and (from_id is null or true ${among(sql, sql`to_id`, targets)})`
  const rows = await sql`
    with recursive edges (from_id, to_id, hard, level) as (
      select null::bigint, unnest(${[...fromIds]}::bigint[]), null::boolean, 0
      union
      select found.near_id, found.far_id, found.hard, reached.level ${step}
        from (select distinct to_id, level from edges where ${within} ${onward}) reached cross join lateral (
          select ${near} as near_id, ${far} as far_id, d.hard from dependencies d
           where d.workspace_id = ${workspaceId} and ${isOf(sql, near, sql`reached.to_id`)} offset 0) found
    )
    select from_id, to_id, hard from edges where from_id is not null limit ${most + 1}`.values()
  return { edges: rows as unknown as Edge[], isWhole: rows.length <= most, levels }
}

/** Answers one row, however much there is. */
export async function selectEdgePiece(sql: Sql, workspaceId: number, query: PieceQuery): Promise<EdgePiece> {
  const { direction, fromIds, after, targets, soft } = query
  const [near, far] = endsOf(sql, direction)
  const behind = after ? sql`and (lookup.key > ${after.from} or ${far} > ${after.to})` : sql``
  const better = soft.length > 0 ? sql`and (hard or to_id not ${amongIds(sql, soft)})` : sql``
  const [row] = await sql<(Omit<EdgePiece, 'after'> & { from_id: number; to_id: number })[]>`
    with edge as materialized (
      select lookup.key as from_id, found.to_id, found.hard
        from ${lookupIds(sql, fromIds)} cross join lateral (
          select * from (
            select ${far} as to_id, d.hard from dependencies d
             where d.workspace_id = ${workspaceId} and ${isOf(sql, near, sql`lookup.key`)} ${behind} offset 0) one order by to_id) found
       limit ${pieceEdges}
    ), reached as (
      select to_id, coalesce(min(from_id) filter (where hard), min(from_id)) as via, bool_or(hard) as hard
        from edge where true ${among(sql, sql`to_id`, targets)} ${better} group by to_id
    ), whole as (
      select array_agg(to_id) as ids, array_agg(via) as vias, array_agg(to_id) filter (where hard) as hard from reached
    )
    select coalesce(ids, '{}') as ids, coalesce(vias, '{}') as vias, coalesce(hard, '{}') as hard, counted.edges, last.from_id, last.to_id
      from whole cross join (select count(*) as edges from edge) counted
      left join lateral (
        select from_id, to_id from edge where counted.edges = ${pieceEdges} order by from_id desc, to_id desc limit 1) last on true`
  if (!row) throw new Error('the edges of a walk were not answered')
  const { ids, vias, hard, from_id: from, to_id: to, edges } = row
  return { ids, vias, hard, edges, after: edges === pieceEdges ? { from, to } : undefined }
}

/** Edges as two lists: the one at a place of `from` leads to what stands there in `to`. */
export interface Edges {
  from: number[]
  to: number[]
}

/** What these versions need, of all of them; undefined where it is more than `most` edges. One row. */
export async function selectEdgesWithin(
  sql: Sql,
  workspaceId: number,
  { fromIds, most }: { fromIds: readonly number[]; most: number },
): Promise<Edges | undefined> {
  const [near, far] = endsOf(sql, 'needs')
  const [row] = await sql<Edges[]>`
    select coalesce(array_agg(from_id), '{}') as from, coalesce(array_agg(to_id), '{}') as to
      from (select found.from_id, found.to_id
              from ${lookupIds(sql, fromIds)} cross join lateral (
                select ${near} as from_id, ${far} as to_id from dependencies d
                 where d.workspace_id = ${workspaceId} and ${isOf(sql, near, sql`lookup.key`)} offset 0) found
             limit ${most + 1}) as edge`
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

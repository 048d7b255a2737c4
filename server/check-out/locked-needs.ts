/** Locked lineages among all that other lineages need, with the number of steps there. */

import { limits } from '../../contract/limits.ts'
import { inPieces } from '../../system/event-loop.ts'
import { amongIds } from '../database/among.ts'
import { type Edges, needsOf, selectEdgesWithin } from '../dependencies/edges.ts'
import { inTurn } from '../dependencies/heavy-walks.ts'
import { nowhere } from '../dependencies/rows.ts'
import { walk } from '../dependencies/walk.ts'
import { isActive, type LockScope } from '../rows/lock.ts'
import type { HeldLineage } from './held-lineages.ts'

/** What some versions need. */
export interface Reached {
  rootIds: ReadonlySet<number>
  /** The versions, those themselves at 0 included, with the fewest steps. */
  depths: ReadonlyMap<number, number>
  /** They have too many dependencies; `depths` is empty then. */
  isTooMuch: boolean
}

/** By lineage: the locked lineages in the closure of its current version, with the fewest steps. */
export type LockedNeeds = ReadonlyMap<string, ReadonlyMap<string, number>>

/** What is needed for `locate`, as it was at one moment. */
export interface LockedAround {
  lineages: readonly HeldLineage[]
  depths: Reached['depths']
  /** Lineages by their version. */
  locked: ReadonlyMap<number, string>
  /** Undefined where the depths say it: there is one lineage, or nothing that is locked. */
  edges: Edges | undefined
  isTooMuch: boolean
}

/** Some versions have to do with one another: of many, as many edges are followed. */
const most = { edges: 100_000, followed: 50_000_000 }

/** Outside of a transaction it waits its turn. */
export async function walkNeeds(
  { sql, workspace }: Pick<LockScope, 'sql' | 'workspace'>,
  roots: readonly number[],
): Promise<Reached> {
  const rootIds = new Set(roots)
  return inTurn({ sql, workspaceId: workspace.id }, async (turn) => {
    const order = { direction: 'needs', rootIds: [...rootIds], most: limits.graph.counted } as const
    const { steps, beyond } = await walk(sql, workspace.id, { ...order, beforePiece: () => turn.countPiece() })
    const isTooMuch = beyond !== undefined
    return { rootIds, depths: new Map(isTooMuch ? [] : Array.from(steps, ([id, { depth }]) => [id, depth])), isTooMuch }
  })
}

/** `reached` was looked for before, and is looked for again where other versions are current by now. */
export async function selectLockedAround(
  scope: LockScope,
  lineages: readonly HeldLineage[],
  reached: Reached,
): Promise<LockedAround> {
  const roots = new Set(lineages.map(({ object_id }) => object_id))
  const isKnown = roots.symmetricDifference(reached.rootIds).size === 0
  const { depths, isTooMuch } = isKnown ? reached : await walkNeeds(scope, [...roots])
  const locked = await selectLockedObjects(scope, depths.keys())
  const around = { lineages, depths, locked, edges: undefined, isTooMuch }
  if (locked.size === 0 || roots.size === 1) return around
  const from = Array.from(depths.keys(), (id) => ({ id, projectId: nowhere }))
  const edges = await selectEdgesWithin(scope.sql, scope.workspace.id, { from, most: most.edges })
  if (!edges || edges.from.length * roots.size > most.followed) return { ...around, locked: new Map(), isTooMuch: true }
  return { ...around, edges }
}

/** Only calculates. */
export async function locate({ lineages, depths, locked, edges }: LockedAround): Promise<LockedNeeds> {
  const found = new Map<string, Map<string, number>>()
  if (locked.size === 0) return found
  const needs = edges && needsOf(edges)
  await inPieces(lineages, ({ lineage_id, object_id }) => {
    found.set(lineage_id, lockedIn(needs ? stepsFrom(object_id, needs) : depths, locked))
  })
  return found
}

/** Breadth first, so the number of steps is the smallest. */
function stepsFrom(rootId: number, needs: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  const steps = new Map([[rootId, 0]])
  for (const [id, depth] of steps) for (const to of needs.get(id) ?? []) if (!steps.has(to)) steps.set(to, depth + 1)
  return steps
}

/** By locked lineage, nearest first. */
function lockedIn(steps: ReadonlyMap<number, number>, locked: ReadonlyMap<number, string>): Map<string, number> {
  const found = new Map<string, number>()
  for (const [id, depth] of steps) {
    const lineageId = depth > 0 ? locked.get(id) : undefined
    if (lineageId !== undefined && !found.has(lineageId)) found.set(lineageId, depth)
  }
  return found
}

/** Of these versions, those of lineages that are checked out, with their lineages. */
async function selectLockedObjects({ sql, workspace, now }: LockScope, ids: Iterable<number>): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; lineage_id: string }[]>`
    select o.id, o.lineage_id
      from (select lineage_id from locks k where k.workspace_id = ${workspace.id} and ${isActive(sql, now)} offset 0) k
      join objects o on o.workspace_id = ${workspace.id} and o.lineage_id = k.lineage_id
     where o.id ${amongIds(sql, ids)}`
  return new Map(rows.map(({ id, lineage_id }) => [id, lineage_id]))
}

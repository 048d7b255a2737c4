/** What a change of a prop reaches: the entries that use it, and the projects into which it was pulled (contract-gaps 9). */
import { limits } from '../../contract/limits.ts'
import type { Impact } from '../../contract/review-requests.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { inTurn } from '../dependencies/heavy-walks.ts'
import { walk } from '../dependencies/walk.ts'

/**
 * Of any version of the lineage. An entry counts where its current version needs one, directly or through other versions; a project where
 * a pull that is done brought one. Outside of a transaction it waits its turn: the walk may take long.
 */
export async function impactOf(sql: Sql, workspaceId: number, lineageId: string): Promise<Impact> {
  const own = await sql<
    { id: number }[]
  >`select id from objects where workspace_id = ${workspaceId} and lineage_id = ${lineageId}`
  const rootIds = own.map(({ id }) => id)
  return inTurn({ sql, workspaceId }, async (turn) => {
    const order = { direction: 'users', rootIds, most: limits.graph.counted, beforePiece: () => turn.countPiece() } as const
    const { steps, isWhole } = await walk(sql, workspaceId, order)
    const users = [...steps].filter(([, { depth }]) => depth > 0)
    const direct = users.filter(([, { depth }]) => depth === 1)
    const count = (found: typeof users) => countEntries(sql, { workspaceId, lineageId, versionIds: found.map(([id]) => id) })
    const [direct_entries, entries, projects] = await Promise.all([
      count(direct),
      count(users),
      selectProjects(sql, workspaceId, rootIds),
    ])
    return { direct_entries, entries, projects, ...(isWhole ? {} : { at_least: true }) }
  })
}

/** Entries of other lineages of which one of these is the current version. Looked up one by one (server/database/among.ts says why). */
async function countEntries(
  sql: Sql,
  { workspaceId, lineageId, versionIds }: { workspaceId: number; lineageId: string; versionIds: readonly number[] },
): Promise<number> {
  if (versionIds.length === 0) return 0
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from unnest(${[...versionIds]}::bigint[]) as lookup (key) cross join lateral (
        select e.id from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
         where l.workspace_id = ${workspaceId} and l.face_object_id = lookup.key and l.id <> ${lineageId} offset 0) e`
  return row?.count ?? 0
}

/** Names of projects into which one of these versions was pulled. */
async function selectProjects(sql: Sql, workspaceId: number, versionIds: readonly number[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct j.target_project as name, lower(j.target_project)
      from pull_job_objects p join pull_jobs j on j.workspace_id = p.workspace_id and j.id = p.job_id and j.status = 'done'
     where p.workspace_id = ${workspaceId} and p.object_id ${amongIds(sql, versionIds)} order by lower(j.target_project), name`
  return rows.map(({ name }) => name)
}

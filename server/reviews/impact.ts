/** What a change of a prop reaches: the entries that use it, and the projects into which it was pulled (contract-gaps 9). */
import { limits } from '../../contract/limits.ts'
import type { Impact } from '../../contract/review-requests.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { inTurn } from '../dependencies/heavy-walks.ts'
import { type Step, walk } from '../dependencies/walk.ts'

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
    const { steps, beyond } = await walk(sql, workspaceId, order)
    const users = [...steps].filter(([, { depth }]) => depth > 0)
    const [counts, projects] = await Promise.all([
      countEntries(sql, { workspaceId, lineageId, users }),
      selectProjects(sql, workspaceId, rootIds),
    ])
    return { ...counts, projects, ...(beyond ? { at_least: true } : {}) }
  })
}

/** Looked up by one statement: others are answered before the next. */
const partIds = 20_000

interface Users {
  workspaceId: number
  lineageId: string
  users: [id: number, step: Step][]
}

/** Entries of other lineages of which one of these is the current version. Looked up one by one, each table by itself (server/database/among.ts says why). */
async function countEntries(
  sql: Sql,
  { workspaceId, lineageId, users }: Users,
): Promise<{ direct_entries: number; entries: number }> {
  const counts = { direct_entries: 0, entries: 0 }
  for (let at = 0; at < users.length; at += partIds) {
    const part = users.slice(at, at + partIds)
    const [ids, depths] = [part.map(([id]) => id), part.map(([, { depth }]) => depth)]
    const [row] = await sql<{ direct: number; all: number }[]>`
      select count(*) filter (where lookup.depth = 1)::int as direct, count(*)::int as all
        from unnest(${ids}::bigint[], ${depths}::bigint[]) as lookup (key, depth) cross join lateral (
          select id from lineages
           where workspace_id = ${workspaceId} and face_object_id = lookup.key and id <> ${lineageId} offset 0) l
       cross join lateral (select id from entries where workspace_id = ${workspaceId} and lineage_id = l.id offset 0) e`
    counts.direct_entries += row?.direct ?? 0
    counts.entries += row?.all ?? 0
  }
  return counts
}

/** Names of projects into which one of these versions was pulled. */
async function selectProjects(sql: Sql, workspaceId: number, versionIds: readonly number[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct j.target_project as name, lower(j.target_project)
      from pull_job_objects p join pull_jobs j on j.workspace_id = p.workspace_id and j.id = p.job_id and j.status = 'done'
     where p.workspace_id = ${workspaceId} and p.object_id ${amongIds(sql, versionIds)} order by lower(j.target_project), name`
  return rows.map(({ name }) => name)
}

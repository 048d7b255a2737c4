/** The only list of the columns of a workspace, as requests need it (contract-gaps 1). */
import type { Fragment, Sql } from '../database/sql.ts'
import { type EpochRow, epochOf } from '../epoch.ts'
import type { Workspace, WorkspaceState } from '../principal.ts'

export interface WorkspaceRow extends EpochRow {
  workspace_id: number
  slug: string
  workspace_name: string
  state: WorkspaceState
  storage_limit_bytes: number | null
}

/** Of `workspaces w` and `feed_heads h`. */
export const workspaceColumns = (sql: Sql): Fragment =>
  sql`w.id as workspace_id, w.slug, w.name as workspace_name, w.state, w.storage_limit_bytes, h.epoch_id, h.epoch_began_at`

export const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.workspace_id,
  slug: row.slug,
  name: row.workspace_name,
  state: row.state,
  storageLimitBytes: row.storage_limit_bytes,
  epoch: epochOf(row),
})

/** Workspaces by the names that addresses give them: `/w/<slug>`, or the first one where nothing is said. */
export interface Directory {
  first: Workspace | undefined
  bySlug: Map<string, Workspace>
  byId: Map<number, Workspace>
}

export async function allWorkspaces(sql: Sql): Promise<Directory> {
  const all = await selectWorkspaces(sql, sql`true`)
  return {
    first: all[0],
    bySlug: new Map(all.map((workspace) => [workspace.slug, workspace])),
    byId: new Map(all.map((workspace) => [workspace.id, workspace])),
  }
}

/** The one that was made first, of several. */
export async function firstWorkspace(sql: Sql, where: Fragment): Promise<Workspace | undefined> {
  return (await selectWorkspaces(sql, where, 1))[0]
}

/** In the order in which they were made. */
async function selectWorkspaces(sql: Sql, where: Fragment, most: number | null = null): Promise<Workspace[]> {
  const rows = await sql<WorkspaceRow[]>`
    select ${workspaceColumns(sql)} from workspaces w join feed_heads h on h.workspace_id = w.id
     where ${where} order by w.id limit ${most}`
  return rows.map(toWorkspace)
}

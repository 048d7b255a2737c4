/** Workspaces as addresses name them: by `/w/<slug>`, or the first one where nothing is said (contract-gaps 1). */
import type { Sql } from '../database/open.ts'
import type { Workspace } from '../handler.ts'
import type { WorkspaceState } from './states.ts'

export interface WorkspaceRow {
  id: number
  slug: string
  name: string
  state: WorkspaceState
  storage_limit_bytes: number | null
}

export interface Directory {
  first: Workspace | undefined
  bySlug: Map<string, Workspace>
  byId: Map<number, Workspace>
}

export async function allWorkspaces(sql: Sql): Promise<Directory> {
  const rows = await sql<WorkspaceRow[]>`select id, slug, name, state, storage_limit_bytes from workspaces order by id`
  const all = rows.map(toWorkspace)
  return {
    first: all[0],
    bySlug: new Map(all.map((workspace) => [workspace.slug, workspace])),
    byId: new Map(all.map((workspace) => [workspace.id, workspace])),
  }
}

export const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  state: row.state,
  storageLimitBytes: row.storage_limit_bytes,
})

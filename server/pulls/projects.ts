/** Projects as pulls know them: by name, without regard to case (contract-gaps 4 and 5a). */
import type { Sql } from '../database/sql.ts'

/** Where imports land in a project that says nothing else. */
export const defaultRoot = '/Game/PropHouse'

export async function findDefaultRoot(sql: Sql, workspaceId: number, name: string): Promise<string> {
  const [project] = await sql<{ default_root: string }[]>`
    select default_root from projects where workspace_id = ${workspaceId} and lower(name) = lower(${name})`
  return project?.default_root ?? defaultRoot
}

/** A project is known from the first job on, and has the root of that job from then on; several first jobs at once make one of it. Of several uses the last counts, whichever is written last. */
export async function noteProject(
  sql: Sql,
  { workspaceId, actorId, now }: { workspaceId: number; actorId: number; now: Date },
  { name, root }: { name: string; root: string },
): Promise<void> {
  await sql`
    insert into projects (workspace_id, name, default_root, created_by, created_at, last_used_at)
    values (${workspaceId}, ${name}, ${root}, ${actorId}, ${now.toISOString()}, ${now.toISOString()})
    on conflict (workspace_id, lower(name)) do update set last_used_at = greatest(projects.last_used_at, excluded.last_used_at)`
}

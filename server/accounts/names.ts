/** Login names: one word for each person of a workspace, whatever its case. Who gives one holds the workspace meanwhile. */

import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

/** The name as it is kept apart from others. */
export const nameKey = (name: string): string => name.toLowerCase()

const longest = 80

/** The name, or the first of name-2, name-3 and so on that is not taken. `taken` holds keys. */
export function freeName(name: string, taken: { has(key: string): boolean }): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const free = [...name].slice(0, longest - suffix.length).join('') + suffix
    if (!taken.has(nameKey(free))) return free
  }
}

/** Until the end of the transaction nobody else gives names in these workspaces. What is read before this may be outdated. */
export async function holdNames(sql: Sql, slugs: readonly string[]): Promise<void> {
  await sql`select id from workspaces where slug ${amongTexts(sql, slugs)} order by id for no key update`
}

export async function holdNamesOf(sql: Sql, workspaceId: number): Promise<void> {
  await sql`select id from workspaces where id = ${workspaceId} for no key update`
}

export async function takenNames(sql: Sql, workspaceId: number): Promise<Set<string>> {
  const rows = await sql<{ name_key: string }[]>`select name_key from members where workspace_id = ${workspaceId}`
  return new Set(rows.map((row) => row.name_key))
}

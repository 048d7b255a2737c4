/** Files that are known to be damaged or gone: a push is asked for their bytes again, and what it brings takes their place. */
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { readKey } from './storage.ts'

export const damages = ['missing', 'size', 'content'] as const
export type Damage = (typeof damages)[number]

export async function damagedAmong(sql: Sql, workspaceId: number, keys: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select key from damaged_files where workspace_id = ${workspaceId} and key ${amongTexts(sql, keys)}`
  return new Set(rows.map((row) => row.key))
}

export async function noteDamaged(sql: Sql, found: readonly { key: string; damage: Damage }[], now: Date): Promise<void> {
  const rows = found.map(({ key, damage }) => ({ workspace_id: readKey(key).workspaceId, key, damage }))
  await sql`
    insert into damaged_files (workspace_id, key, damage, found_at)
    select r.workspace_id, r.key, r.damage, ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(rows)}) as r(workspace_id bigint, key text, damage text)
      join workspaces w on w.id = r.workspace_id
    on conflict (workspace_id, key) do update set damage = excluded.damage`
}

/** They are whole again. */
export async function noteWhole(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`delete from damaged_files where workspace_id ${amongWorkspaces(sql, keys)} and key ${amongTexts(sql, keys)}`
}

export async function noteSums(sql: Sql, sums: readonly { key: string; sha256: string }[]): Promise<void> {
  const rows = sums.map(({ key, sha256 }) => ({ workspace_id: readKey(key).workspaceId, key, sha256 }))
  await sql`
    insert into file_sums (workspace_id, key, sha256)
    select r.workspace_id, r.key, r.sha256
      from jsonb_to_recordset(${sql.json(rows)}) as r(workspace_id bigint, key text, sha256 text)
      join workspaces w on w.id = r.workspace_id
    on conflict do nothing`
}

const amongWorkspaces = (sql: Sql, keys: readonly string[]) =>
  sql`in (select unnest(${[...new Set(keys.map((key) => readKey(key).workspaceId))]}::bigint[]))`

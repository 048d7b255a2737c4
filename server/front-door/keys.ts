/** Who a key acts as, and in which workspace. Keys are found by their SHA-256; the key itself is kept nowhere. */
import type { Fragment, Sql } from '../database/sql.ts'
import type { Actor, Holder } from '../principal.ts'
import { toWorkspace, type WorkspaceRow, workspaceColumns } from '../rows/workspace.ts'

export interface HolderRow extends WorkspaceRow {
  key_id: number
  key_name: string
  scope: 'read' | 'write'
  member_id: number
  account_id: number
  email: string
  name: string
  display_name: string
  role: Actor['workspaceRole']
}

/** Of `api_keys k` and `members m`: the key is not revoked, and its owner has not left the workspace. */
export const isValid = (sql: Sql): Fragment => sql`(k.revoked_at is null and m.status = 'active')`

/** No row for a key that is unknown or no longer held. Also a part of other statements. */
export const selectHolder = (sql: Sql, keyHash: string | Fragment) => sql<HolderRow[]>`
  select k.id as key_id, k.name as key_name, k.scope, m.id as member_id, m.account_id, a.email, m.name, m.display_name, m.role,
         ${workspaceColumns(sql)}
    from api_keys k
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join accounts a on a.id = m.account_id
    join workspaces w on w.id = k.workspace_id
    join feed_heads h on h.workspace_id = w.id
   where k.key_hash = ${keyHash} and ${isValid(sql)}`

export const toHolder = (row: HolderRow): Holder => ({
  actor: {
    id: row.member_id,
    accountId: row.account_id,
    email: row.email,
    name: row.name,
    displayName: row.display_name,
    role: row.role === 'member' ? 'member' : 'admin',
    workspaceRole: row.role,
    keyId: row.key_id,
    keyName: row.key_name,
    scope: row.scope,
  },
  workspace: toWorkspace(row),
})

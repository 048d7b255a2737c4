/** Who a key acts as, and in which workspace. Keys are found by their SHA-256; the key itself is kept nowhere. */
import { hash } from 'node:crypto'
import type { Fragment, Sql } from '../database/open.ts'
import type { Actor, Workspace } from '../handler.ts'
import type { WorkspaceState } from './states.ts'

export const hashKey = (key: string): string => hash('sha256', key)

/** The fixed prefix of keys, and the 40 characters after it (contract-gaps 2). */
export const keyPattern = /^ph_live_[0-9A-Za-z]{40}$/

export interface Holder {
  actor: Actor
  workspace: Workspace
}

export interface HolderRow {
  key_id: number
  key_name: string
  scope: 'read' | 'write'
  member_id: number
  account_id: number
  email: string
  name: string
  display_name: string
  role: Actor['workspaceRole']
  workspace_id: number
  slug: string
  workspace_name: string
  state: WorkspaceState
  storage_limit_bytes: number | null
}

/** No row for a key that is unknown or revoked, or whose owner has left the workspace. Also a part of other statements. */
export const selectHolder = (sql: Sql, keyHash: string | Fragment) => sql<HolderRow[]>`
  select k.id as key_id, k.name as key_name, k.scope, m.id as member_id, m.account_id, a.email, m.name, m.display_name, m.role,
         w.id as workspace_id, w.slug, w.name as workspace_name, w.state, w.storage_limit_bytes
    from api_keys k
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join accounts a on a.id = m.account_id
    join workspaces w on w.id = k.workspace_id
   where k.key_hash = ${keyHash} and k.revoked_at is null and m.status = 'active'`

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
  workspace: {
    id: row.workspace_id,
    slug: row.slug,
    name: row.workspace_name,
    state: row.state,
    storageLimitBytes: row.storage_limit_bytes,
  },
})

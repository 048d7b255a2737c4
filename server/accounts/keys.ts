/** Keys: made, listed and revoked. Only the SHA-256 of a key is kept (contract-gaps 2). */

import { randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { changingAccess } from './access-changes.ts'
import { hashSecret } from './secrets.ts'

export interface Key {
  id: number
  name: string
  prefix: string
  scope: 'read' | 'write'
  created_at: Date
  last_used_at: Date | null
  /** The program that used it last, as it names itself. */
  last_client: string | null
  /** Whom it acts as. */
  member_id: number
  member_name: string
  email: string
}

export interface NewKey {
  workspaceId: number
  memberId: number
  name: string
  scope: 'read' | 'write'
  now: Date
}

/** `token` is the key itself, known here and now only. Throws CONFLICT when the member has as many as there may be. */
export async function mintKey(sql: Sql, { workspaceId, memberId, name, scope, now }: NewKey): Promise<Key & { token: string }> {
  const token = newKey()
  return inTransaction(sql, async (tx) => {
    // Several at once are counted one after the other.
    await tx`select id from members where workspace_id = ${workspaceId} and id = ${memberId} for no key update`
    const [made] = await tx<{ id: number }[]>`
      insert into api_keys (workspace_id, member_id, name, prefix, key_hash, scope, created_at)
      select ${workspaceId}, ${memberId}, ${name}, ${token.slice(0, shownLength)}, ${hashSecret(token)}, ${scope}, ${now.toISOString()}
       where (select count(*) from api_keys where workspace_id = ${workspaceId} and member_id = ${memberId} and revoked_at is null)
             < ${limits.keys.perMember}
      returning id`
    if (!made)
      throw new ApiError('CONFLICT', `There are ${limits.keys.perMember} keys already. Revoke those that are not used any more.`)
    const [key] = await selectKeys(tx, workspaceId, tx`and k.id = ${made.id}`)
    if (!key) throw new Error(`the key ${made.id} was made and is not there`)
    return { ...key, token }
  })
}

/** Keys that are not revoked, newest first: of one member, or of the whole workspace. */
export const listKeys = (sql: Sql, { workspaceId, memberId }: { workspaceId: number; memberId?: number }): Promise<Key[]> =>
  selectKeys(sql, workspaceId, sql`and k.revoked_at is null ${ofMember(sql, memberId)}`)

export interface Revocation {
  workspaceId: number
  keyId: number
  /** Where only a key of this member may be revoked. */
  memberId?: number
  now: Date
}

/** Throws TOKEN_NOT_FOUND for a key that is unknown or revoked already. */
export async function revokeKey(sql: Sql, { workspaceId, keyId, memberId, now }: Revocation): Promise<void> {
  const [gone] = await changingAccess(
    { workspaceId, keyId },
    sql`
    update api_keys k set revoked_at = ${now.toISOString()}
     where workspace_id = ${workspaceId} and id = ${keyId} and revoked_at is null ${ofMember(sql, memberId)}
    returning id`,
  )
  if (!gone) throw new ApiError('TOKEN_NOT_FOUND', `There is no key ${keyId} to revoke.`)
}

const ofMember = (sql: Sql, memberId: number | undefined): Fragment =>
  memberId === undefined ? sql`` : sql`and k.member_id = ${memberId}`

const selectKeys = (sql: Sql, workspaceId: number, where: Fragment): Promise<Key[]> => sql<Key[]>`
  select k.id, k.name, k.prefix, k.scope, k.created_at, k.last_used_at, k.last_client, k.member_id, m.name as member_name, a.email
    from api_keys k
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join accounts a on a.id = m.account_id
   where k.workspace_id = ${workspaceId} ${where} order by k.id desc`

/** Enough to tell keys apart, far too little to guess the rest. */
const shownLength = 12

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `ph_live_` and 40 letters or digits (238 bits), each as likely as the others: bytes that would favour some are passed over. */
function newKey(): string {
  let text = ''
  while (text.length < 40) for (const byte of randomBytes(64)) if (byte < 248 && text.length < 40) text += letters[byte % 62]
  return `ph_live_${text}`
}

/** Keys of a workspace, as administrators make, list and revoke them. */
import { ApiError } from '../../contract/errors.ts'
import { type Key, listKeys, mintKey, revokeKey } from '../accounts/keys.ts'
import type { ToldKey } from './acts.ts'
import type { Doing } from './desk.ts'
import { requireSomebody } from './people.ts'
import { chooseWorkspace } from './workspaces.ts'

export const listKeysOf: Doing<'key-list'> = async ({ database: { sql } }, { workspace, user }) => {
  const chosen = await chooseWorkspace(sql, workspace)
  const whose = user === undefined ? {} : { memberId: (await requireSomebody(sql, chosen, user)).id }
  const keys = await listKeys(sql, { workspaceId: chosen.id, ...whose })
  return { answer: { workspace: chosen.slug, keys: keys.map(told) }, on: { workspace: chosen.slug } }
}

export const createKey: Doing<'key-create'> = async ({ database: { sql }, clock }, { workspace, user, name, scope }) => {
  const chosen = await chooseWorkspace(sql, workspace)
  const { id: memberId, email, status } = await requireSomebody(sql, chosen, user)
  if (status === 'disabled')
    throw new ApiError(
      'CONFLICT',
      `${email} is disabled in the workspace ${chosen.slug}: keys of theirs open nothing. Enable them first.`,
    )
  const made = await mintKey(sql, { workspaceId: chosen.id, memberId, name, scope, now: clock.now() })
  const { id, prefix } = made
  return {
    answer: { workspace: chosen.slug, ...told(made), key: made.token },
    on: { workspace: chosen.slug, user: email, key: id, prefix, name, scope },
  }
}

export const revokeKeyOf: Doing<'key-revoke'> = async ({ database: { sql }, clock }, { workspace, key: named }) => {
  const { id: workspaceId, slug } = await chooseWorkspace(sql, workspace)
  const keys = await listKeys(sql, { workspaceId })
  const matching = keys.filter(({ id, prefix }) => String(id) === named || prefix.startsWith(named))
  const [only, ...others] = matching
  if (!only)
    throw new ApiError(
      'TOKEN_NOT_FOUND',
      `No key of the workspace ${slug} has the id or the beginning "${named}", or it is revoked.`,
    )
  if (others.length > 0)
    throw new ApiError(
      'CONFLICT',
      `Several keys begin with ${named}: ${matching.map(({ id, name }) => `${id} ("${name}")`).join(', ')}. Say the id.`,
    )
  await revokeKey(sql, { workspaceId, keyId: only.id, now: clock.now() })
  const { id, prefix, name, email } = only
  return { answer: { workspace: slug, ...told(only) }, on: { workspace: slug, user: email, key: id, prefix, name } }
}

const told = ({ id, name, prefix, scope, email, created_at, last_used_at }: Key): ToldKey => ({
  id,
  name,
  prefix,
  scope,
  user: email,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

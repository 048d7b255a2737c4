/** Keys of a workspace, as operators make, list and revoke them. */
import { ApiError } from '../../contract/errors.ts'
import type { Operator, OperatorKey } from '../../contract/operator.ts'
import { type Key, listKeys, mintKey, revokeKey } from '../accounts/keys.ts'
import type { Sql } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'
import { requireUser } from './users.ts'
import { type ChosenWorkspace, chooseWorkspace } from './workspaces.ts'

export const key: Handlers<Operator['key']> = {
  async list({ sql, input: { workspace, user } }) {
    const chosen = await chooseWorkspace(sql, workspace)
    const whose = user === undefined ? {} : { memberId: (await requireUser(sql, chosen, user)).id }
    const keys = await listKeys(sql, { workspaceId: chosen.id, ...whose })
    return { workspace: chosen.slug, keys: keys.map(toKey) }
  },

  async create({ sql, now, audit, input: { workspace, user, name, scope } }) {
    const chosen = await chooseWorkspace(sql, workspace)
    const { id: memberId, email, status } = await requireUser(sql, chosen, user)
    if (status === 'disabled')
      throw new ApiError(
        'CONFLICT',
        `${email} is disabled in the workspace ${chosen.slug}: keys of theirs open nothing. Enable them first.`,
      )
    const made = await mintKey(sql, { workspaceId: chosen.id, memberId, name, scope, now })
    audit('key-create', { workspace: chosen.slug, user: email, key: made.id, prefix: made.prefix, name, scope })
    return { workspace: chosen.slug, ...toKey(made), key: made.token }
  },

  async revoke({ sql, now, audit, input: { workspace, key: named } }) {
    const chosen = await chooseWorkspace(sql, workspace)
    const found = await requireKey(sql, chosen, named)
    const { id, prefix, name, email } = found
    await revokeKey(sql, { workspaceId: chosen.id, keyId: id, now })
    audit('key-revoke', { workspace: chosen.slug, user: email, key: id, prefix, name })
    return { workspace: chosen.slug, ...toKey(found) }
  },
}

/** By its id, or its beginning where that is enough. */
async function requireKey(sql: Sql, { id: workspaceId, slug }: ChosenWorkspace, named: string): Promise<Key> {
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
      `Several keys begin with ${named}: ${matching.map(({ id, name }) => `${id} ("${name}")`).join(', ')}. Give the id.`,
    )
  return only
}

const toKey = ({ id, name, prefix, scope, email, created_at, last_used_at }: Key): OperatorKey => ({
  id,
  name,
  prefix,
  scope,
  user: email,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

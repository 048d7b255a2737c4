/** Tokens: the keys of the one who is signed in, in the addressed workspace (contract-gaps 3). */
import type { tokens as contract, Token } from '../../contract/tokens.ts'
import { type Key, listKeys, mintKey, revokeKey } from '../accounts/keys.ts'
import type { Handlers, SessionContext } from '../handler.ts'

export const tokens: Handlers<typeof contract> = {
  async list({ sql, membership }) {
    return { tokens: (await listKeys(sql, whose(membership))).map(toToken) }
  },

  async create({ sql, membership, input, now }) {
    const { token, ...key } = await mintKey(sql, { ...whose(membership), ...input, now })
    return { ...toToken(key), token }
  },

  async revoke({ sql, membership, input, now }) {
    await revokeKey(sql, { ...whose(membership), keyId: input.token_id, now })
  },
}

const whose = ({ workspace, person }: SessionContext['membership']) => ({ workspaceId: workspace.id, memberId: person.id })

const toToken = ({ id, name, prefix, scope, created_at, last_used_at }: Key): Token => ({
  id,
  name,
  prefix,
  scope,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

/** Tokens: the keys of the person who is signed in, in one workspace (contract-gaps 3). Keys never mint keys. */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Id, nullable, oneOf, plainNamed, Timestamp } from './shapes.ts'

/** `prefix` is the beginning of the key, enough to tell it apart. `last_used_at` is at most a minute old. */
export const Token = Type.Object({
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  scope: oneOf(['read', 'write']),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
})
export type Token = Static<typeof Token>

export const tokens = routes({
  list: {
    method: 'GET',
    path: '/auth/tokens',
    scope: 'session',
    summary: 'List your own keys that are not revoked, newest first.',
    output: Type.Object({ tokens: Type.Array(Token) }),
  },
  create: {
    method: 'POST',
    path: '/auth/tokens',
    scope: 'session',
    summary: 'Make a key; `token` is shown this once.',
    input: Type.Object({ name: plainNamed(limits.keys.name), scope: oneOf(['read', 'write']) }),
    output: Type.Object({ ...Token.properties, token: Type.String() }),
    status: 201,
    transaction: false,
    errors: ['CONFLICT'],
  },
  revoke: {
    method: 'DELETE',
    path: '/auth/tokens/{token_id}',
    scope: 'session',
    summary: 'Revoke a key of yours: it is refused from the next request on.',
    input: Type.Object({ token_id: Id }),
    transaction: false,
    errors: ['TOKEN_NOT_FOUND'],
  },
})

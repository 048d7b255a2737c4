/** Identity: who a key acts as (spec 4.1). Sign-in joins here. */
import { type Static, Type } from 'typebox'
import { routes } from './route.ts'
import { Id, oneOf } from './shapes.ts'

const Text = Type.String()

/** `user.id` is the account, `name` the key's name, `org` the workspace. */
export const Identity = Type.Object({
  user: Type.Object({ id: Id, name: Text, email: Text, display_name: Text, role: oneOf(['admin', 'member']) }),
  name: Text,
  org_id: Id,
  org: Type.Object({ id: Id, name: Text, slug: Text }),
  scope: oneOf(['read', 'write']),
})
export type Identity = Static<typeof Identity>

export const identity = routes({
  me: {
    method: 'GET',
    path: '/auth/me',
    scope: 'read',
    summary: 'Show who the key acts as, in which workspace and with which scope.',
    output: Identity,
  },
  logout: {
    method: 'POST',
    path: '/auth/logout',
    scope: 'read',
    summary: 'Revoke the key this is called with.',
    extension: true,
  },
})

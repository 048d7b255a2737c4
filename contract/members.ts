/** Members: the people and API identities of the workspace (contract-gaps 3). */
import { type Static, Type } from 'typebox'
import { routes } from './route.ts'
import { Id, oneOf } from './shapes.ts'

export const Member = Type.Object({
  id: Id,
  name: Type.String(),
  display_name: Type.String(),
  role: oneOf(['admin', 'member']),
  kind: oneOf(['person', 'api']),
  active: Type.Boolean(),
})
export type Member = Static<typeof Member>

export const members = routes({
  list: {
    method: 'GET',
    path: '/members',
    scope: 'read',
    summary: 'List the members of the workspace.',
    output: Type.Object({ members: Type.Array(Member) }),
  },
  me: {
    method: 'GET',
    path: '/members/me',
    scope: 'read',
    summary: 'Show the member that the key acts as.',
    output: Member,
  },
  get: {
    method: 'GET',
    path: '/members/{user_id}',
    scope: 'read',
    summary: 'Show one member.',
    input: Type.Object({ user_id: Id }),
    output: Member,
    errors: ['USER_NOT_FOUND'],
  },
})

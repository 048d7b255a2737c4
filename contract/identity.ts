/** Identity: who a key acts as (spec 4.1); the first workspace and its owner, signing in and out (contract-gaps 2, 3). */
import { type Static, Type } from 'typebox'
import { routes } from './route.ts'
import { Email, Id, LibraryEpoch, oneOf, Password, plainNamed, WorkspaceSlug } from './shapes.ts'

const Text = Type.String()

/** `id` is the account. */
const User = Type.Object({ id: Id, name: Text, email: Text, display_name: Text, role: oneOf(['admin', 'member']) })
const Org = Type.Object({ id: Id, name: Text, slug: Text })

/** `name` is the key's name, `org` the workspace. */
export const Identity = Type.Object({
  user: User,
  name: Text,
  org_id: Id,
  org: Org,
  scope: oneOf(['read', 'write']),
  workspace_role: Type.Optional(oneOf(['owner', 'admin', 'member'])),
  library_epoch: Type.Optional(LibraryEpoch),
})
export type Identity = Static<typeof Identity>

/** What the first workspace and its owner are called. */
export const Setup = Type.Object({
  setup_code: Type.String({ maxLength: 200 }),
  workspace: Type.Object({ slug: WorkspaceSlug, name: plainNamed(120) }),
  owner: Type.Object({ email: Email, name: plainNamed(80), display_name: plainNamed(120), password: Password }),
})
export type Setup = Static<typeof Setup>

export const identity = routes({
  me: {
    method: 'GET',
    path: '/auth/me',
    scope: 'read',
    summary: 'Show who the key acts as, in which workspace and with which scope.',
    output: Identity,
  },
  login: {
    method: 'POST',
    path: '/auth/login',
    scope: 'none',
    summary:
      'Sign a person in on the dashboard: sets the cookie `ph_session`, and answers what later changes carry as `X-CSRF-Token`. It also sets `ph_device`, which opens nothing: failures of a browser that signed in before are counted for it alone, ten in ten minutes.',
    input: Type.Object({ email: Type.String({ maxLength: 200 }), password: Type.String({ maxLength: 200 }) }),
    output: Type.Object({ csrf_token: Text }),
    transaction: false,
    errors: ['UNAUTHORIZED', 'RATE_LIMITED', 'UNAVAILABLE'],
  },
  logout: {
    method: 'POST',
    path: '/auth/logout',
    scope: 'signed-in',
    summary: 'Revoke the key, or end the session, that this is called with.',
    states: 'all',
    transaction: false,
    extension: true,
  },
  setup: {
    method: 'POST',
    path: '/setup',
    scope: 'none',
    summary: 'Make the first workspace and its owner, with the code that the server printed when it started.',
    input: Setup,
    output: Type.Object({ workspace: Org, user: User }),
    status: 201,
    transaction: false,
    beforeSetup: true,
    errors: ['SETUP_ALREADY_DONE', 'UNAUTHORIZED'],
  },
})

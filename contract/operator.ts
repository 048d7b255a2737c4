/**
 * What the operator of a server may ask of it, from the machine it runs on: `ph server user`, `key`, `provision`, `doctor`, `backup` and `check`. These routes
 * are mounted on its control socket and nowhere else, so they belong to no list of the public contract. On whom something is done travels
 * in the body: an address that a running server does not know says that it is of another version.
 */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { backup, file } from './operator-files.ts'
import { type Route, routes } from './route.ts'
import { Count, Email, Id, nullable, oneOf, Password, plainNamed, Timestamp, WorkspaceSlug } from './shapes.ts'

/** Where there is more than one. */
const Workspace = Type.Optional(WorkspaceSlug)
/** An e-mail address, the login name or the id. */
const Someone = Type.String({ minLength: 1, maxLength: 200 })

export const workspaceRoles = ['owner', 'admin', 'member'] as const
export const memberKinds = ['person', 'api'] as const
export const keyScopes = ['read', 'write'] as const
const Role = oneOf(workspaceRoles)

export const OperatorUser = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  role: Role,
  kind: oneOf(memberKinds),
  status: oneOf(['active', 'disabled']),
  /** They have a password or a key: without either they have not come yet. */
  can_sign_in: Type.Boolean(),
})
export type OperatorUser = Static<typeof OperatorUser>

/** Someone who is asked to join, and belongs to the workspace once they accept. */
export const InvitedUser = Type.Object({
  email: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  role: Role,
  status: oneOf(['invited']),
  invited_by: Type.String(),
  /** When the link ends, or ended. */
  ends_at: Timestamp,
})
export type InvitedUser = Static<typeof InvitedUser>

const Changed = Type.Object({ workspace: Type.String(), user: OperatorUser })

/** What someone has in their hands. `shown`: names of up to 20 of what they have checked out. */
export const UserHoldings = Type.Object({
  check_outs: Count,
  shown: Type.Array(Type.String()),
  /** When the last check-out ends; null where there is none. */
  last_ends_at: nullable(Timestamp),
  /** Open review rounds that wait for their answer, and those that they asked for. */
  to_answer: Count,
  requested: Count,
  /** Pull jobs that they carry out. */
  jobs: Count,
})
export type UserHoldings = Static<typeof UserHoldings>

const user = routes({
  list: {
    method: 'GET',
    path: '/operator/users',
    scope: 'operator',
    summary: 'List the members of a workspace, and who was invited to it.',
    input: Type.Object({ workspace: Workspace }),
    output: Type.Object({ workspace: Type.String(), users: Type.Array(OperatorUser), invited: Type.Array(InvitedUser) }),
    errors: ['NOT_FOUND', 'VALIDATION'],
  },
  add: {
    method: 'POST',
    path: '/operator/users',
    scope: 'operator',
    summary: 'Add someone to a workspace.',
    input: Type.Object({
      workspace: Workspace,
      email: Email,
      name: plainNamed(80),
      display_name: Type.Optional(plainNamed(120)),
      role: Role,
      kind: oneOf(memberKinds),
      password: Type.Optional(Password),
    }),
    output: Type.Object({
      workspace: Type.String(),
      user: OperatorUser,
      has_account: Type.Boolean(),
      /** `ended`: the one that the account had opens nothing any more. */
      password: oneOf(['none', 'kept', 'set', 'ended']),
    }),
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  role: {
    method: 'PUT',
    path: '/operator/users/role',
    scope: 'operator',
    summary: 'Make someone an owner, an admin or a member.',
    input: Type.Object({ workspace: Workspace, user: Someone, role: Role }),
    output: Changed,
    errors: ['NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  status: {
    method: 'PUT',
    path: '/operator/users/status',
    scope: 'operator',
    summary: 'Shut someone out, or let them in again; who is shut out may give back what they have checked out.',
    /** `release`: with `disabled` only. */
    input: Type.Object({
      workspace: Workspace,
      user: Someone,
      status: oneOf(['active', 'disabled']),
      release: Type.Optional(Type.Boolean()),
    }),
    /** `holds`: what someone who is disabled still has then; null where that is nothing. */
    output: Type.Object({ workspace: Type.String(), user: OperatorUser, released: Count, holds: nullable(UserHoldings) }),
    errors: ['NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  password: {
    method: 'PUT',
    path: '/operator/users/password',
    scope: 'operator',
    summary: 'Set the password of an account, and end its sessions.',
    input: Type.Object({ workspace: Workspace, user: Someone, password: Password }),
    output: Type.Object({ email: Type.String() }),
    errors: ['NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
})

const ofKey = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  scope: oneOf(keyScopes),
  /** The e-mail address of the member it acts as. */
  user: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
}
export const OperatorKey = Type.Object(ofKey)
export type OperatorKey = Static<typeof OperatorKey>

const key = routes({
  list: {
    method: 'GET',
    path: '/operator/keys',
    scope: 'operator',
    summary: 'List the keys of a workspace that are not revoked.',
    input: Type.Object({ workspace: Workspace, user: Type.Optional(Someone) }),
    output: Type.Object({ workspace: Type.String(), keys: Type.Array(OperatorKey) }),
    errors: ['NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  create: {
    method: 'POST',
    path: '/operator/keys',
    scope: 'operator',
    summary: 'Make a key that acts as someone.',
    input: Type.Object({ workspace: Workspace, user: Someone, name: plainNamed(limits.keys.name), scope: oneOf(keyScopes) }),
    /** `key`: the key itself, told here and now only. */
    output: Type.Object({ workspace: Type.String(), ...ofKey, key: Type.String() }),
    errors: ['NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  revoke: {
    method: 'POST',
    path: '/operator/keys/revoke',
    scope: 'operator',
    summary: 'End a key: the next request with it is refused.',
    /** `key`: its id, or its beginning where that is enough. */
    input: Type.Object({ workspace: Workspace, key: Type.String({ pattern: '^(\\d{1,15}|ph_live_[0-9A-Za-z]{1,4})$' }) }),
    output: Type.Object({ workspace: Type.String(), ...ofKey }),
    errors: ['NOT_FOUND', 'TOKEN_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
})

/** `null`: it had none, or has none now. */
const FieldValue = Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] })

/** What applying a provisioning file does to one thing. `left`: not in the file, and not touched. */
export const ProvisionChange = Type.Object({
  what: oneOf(['workspace', 'member', 'key']),
  workspace: Type.String(),
  /** A slug, an address, the name of a key. */
  name: Type.String(),
  does: oneOf(['created', 'changed', 'unchanged', 'left']),
  fields: Type.Array(Type.Object({ field: Type.String(), from: FieldValue, to: FieldValue })),
  /** What else to know. */
  remark: Type.Optional(Type.String()),
})
export type ProvisionChange = Static<typeof ProvisionChange>

const provisioning = routes({
  apply: {
    method: 'POST',
    path: '/operator/provisioning',
    scope: 'operator',
    summary: 'Apply a file of workspaces, members and keys, or say what it would change.',
    /** `file`: the content, checked as a file is. */
    input: Type.Object({ file: Type.Object({}, { additionalProperties: true }), check: Type.Boolean() }),
    bodyBytes: limits.provisionBodyBytes,
    output: Type.Object({
      changes: Type.Array(ProvisionChange),
      warnings: Type.Array(Type.String()),
      checked_only: Type.Boolean(),
    }),
    errors: ['CONFLICT', 'UNAVAILABLE', 'VALIDATION'],
  },
})

const Setting = Type.Object({
  name: Type.String(),
  value: Type.String(),
  /** An option stands there as it is typed. */
  from: Type.Unsafe<'default' | 'environment' | `--${string}`>({ type: 'string' }),
  /** Why it cannot be used. */
  wrong: Type.Optional(Type.String()),
})

/** One line for each thing that was looked at; `next` is what fixes it. */
const Finding = Type.Object({
  check: Type.String(),
  verdict: oneOf(['ok', 'note', 'warning', 'problem']),
  said: Type.String(),
  next: Type.Optional(Type.String()),
})

const doctor = routes({
  examine: {
    method: 'GET',
    path: '/operator/doctor',
    scope: 'operator',
    summary: 'Say what the server finds wrong with itself.',
    output: Type.Object({ settings: Type.Array(Setting), findings: Type.Array(Finding) }),
  },
})

export const operator = { user, key, provisioning, doctor, file, backup }

export type Operator = typeof operator

/** The same as a list: `[noun, verb, route]`. */
export const operatorRoutes: [keyof Operator, string, Route][] = Object.entries(operator).flatMap(([noun, table]) =>
  Object.entries(table as Record<string, Route>).map(([verb, route]): [keyof Operator, string, Route] => [
    noun as keyof Operator,
    verb,
    route,
  ]),
)

/** The header in which who asks is said: the user of the system, escaped as in an address. */
export const operatorHeader = 'x-ph-operator'

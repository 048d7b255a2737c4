/** What administrators may ask of a server, from the machine it runs on: inputs as they are checked, answers as they come. */
import { type Static, type TObject, Type } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { Email, oneOf, Password, plainNamed, WorkspaceSlug } from '../../contract/shapes.ts'
import type { Finding } from '../../system/finding.ts'
import type { PasswordFate } from '../accounts/people.ts'
import type { ToldSetting } from '../config.ts'
import type { Provisioned } from '../provision/provision.ts'

/** Where there is more than one. */
const Workspace = Type.Optional(WorkspaceSlug)
/** An e-mail address, the login name or the id. */
const Someone = Type.String({ minLength: 1, maxLength: 200 })
const Role = oneOf(['owner', 'admin', 'member'])

/** Whether someone has to know that it was done, and by whom. */
interface Act<I extends TObject> {
  input: I
  isChange: boolean
}
const change = <I extends TObject>(input: I): Act<I> => ({ input, isChange: true })
const look = <I extends TObject>(input: I): Act<I> => ({ input, isChange: false })

export const acts = {
  'user-list': look(Type.Object({ workspace: Workspace })),
  'user-add': change(
    Type.Object({
      workspace: Workspace,
      email: Email,
      name: plainNamed(80),
      display_name: Type.Optional(plainNamed(120)),
      role: Role,
      kind: oneOf(['person', 'api']),
      password: Type.Optional(Password),
    }),
  ),
  'user-role': change(Type.Object({ workspace: Workspace, user: Someone, role: Role })),
  'user-status': change(Type.Object({ workspace: Workspace, user: Someone, status: oneOf(['active', 'disabled']) })),
  'user-password': change(Type.Object({ workspace: Workspace, user: Someone, password: Password })),
  'key-list': look(Type.Object({ workspace: Workspace, user: Type.Optional(Someone) })),
  'key-create': change(
    Type.Object({ workspace: Workspace, user: Someone, name: plainNamed(limits.keys.name), scope: oneOf(['read', 'write']) }),
  ),
  /** `key`: its id, or its beginning where that is enough. */
  'key-revoke': change(
    Type.Object({ workspace: Workspace, key: Type.String({ pattern: '^(\\d{1,15}|ph_live_[0-9A-Za-z]{1,4})$' }) }),
  ),
  /** `file`: the content, checked as a file is. */
  provision: change(Type.Object({ file: Type.Object({}, { additionalProperties: true }), check: Type.Boolean() })),
  examine: look(Type.Object({})),
}

export type ActName = keyof typeof acts
export type InputOf<A extends ActName> = Static<(typeof acts)[A]['input']>

export interface ToldPerson {
  id: number
  email: string
  name: string
  display_name: string
  role: string
  kind: string
  status: string
  /** They have a password or a key: without either they have not come yet. */
  can_sign_in: boolean
}

/** Someone who is asked to join, and belongs to the workspace once they accept. */
export interface ToldInvited {
  email: string
  name: string
  display_name: string
  role: string
  status: 'invited'
  invited_by: string
  /** When the link ends, or ended. */
  ends_at: string
}

export interface ToldKey {
  id: number
  name: string
  prefix: string
  scope: string
  /** The e-mail address of the member it acts as. */
  user: string
  created_at: string
  last_used_at: string | null
}

export interface Answers {
  'user-list': { workspace: string; users: ToldPerson[]; invited: ToldInvited[] }
  'user-add': { workspace: string; user: ToldPerson; has_account: boolean; password: PasswordFate }
  'user-role': { workspace: string; user: ToldPerson }
  'user-status': { workspace: string; user: ToldPerson }
  'user-password': { email: string }
  'key-list': { workspace: string; keys: ToldKey[] }
  /** `key`: the key itself, told here and now only. */
  'key-create': ToldKey & { workspace: string; key: string }
  'key-revoke': ToldKey & { workspace: string }
  provision: Provisioned & { checked_only: boolean }
  examine: { settings: readonly ToldSetting[]; findings: readonly Finding[] }
}

/** Members of a workspace, as operators see and change them. Who someone is may be said by address, name or id. */

import { ApiError } from '../../contract/errors.ts'
import type { InvitedUser, Operator, OperatorUser, UserHoldings } from '../../contract/operator.ts'
import { type Invited, listInvited } from '../accounts/invitations.ts'
import { addPerson, changePerson, listPeople, type Person } from '../accounts/people.ts'
import { setPassword } from '../accounts/sign-in.ts'
import { type Holdings, holdingsOf, releaseAllOf } from '../check-out/holdings.ts'
import type { Sql } from '../database/sql.ts'
import { Feed } from '../feed.ts'
import type { Handlers } from '../handler.ts'
import { type ChosenWorkspace, chooseWorkspace } from './workspaces.ts'

export const user: Handlers<Operator['user']> = {
  async list({ sql, input }) {
    const { id, slug } = await chooseWorkspace(sql, input.workspace)
    const users = (await listPeople(sql, id)).map(toUser)
    return { workspace: slug, users, invited: (await listInvited(sql, id)).map(toInvited) }
  },

  async add({ sql, now, audit, input }) {
    const { email, name, display_name: displayName = name, role, kind, password: given } = input
    const { id: workspaceId, slug } = await chooseWorkspace(sql, input.workspace)
    const newPerson = { workspaceId, email, name, displayName, role, kind, now }
    const { person, isKnown, password } = await addPerson(sql, {
      ...newPerson,
      ...(given === undefined ? {} : { password: given }),
    })
    audit('user-add', { workspace: slug, user: person.email, role, kind, password })
    return { workspace: slug, user: toUser(person), has_account: isKnown, password }
  },

  async role({ sql, audit, input: { workspace, user: named, role } }) {
    const { id: workspaceId, slug } = await chooseWorkspace(sql, workspace)
    const { id: personId, role: from } = await requireUser(sql, { id: workspaceId, slug }, named)
    const person = await changePerson(sql, { workspaceId, by: undefined, personId, role })
    audit('user-role', { workspace: slug, user: person.email, from, to: role })
    return { workspace: slug, user: toUser(person) }
  },

  async status({ sql, now, audit, input: { workspace, user: named, status, release = false } }) {
    const { id: workspaceId, slug } = await chooseWorkspace(sql, workspace)
    const { id: personId, status: from } = await requireUser(sql, { id: workspaceId, slug }, named)
    const person = await changePerson(sql, { workspaceId, by: undefined, personId, status })
    audit('user-status', { workspace: slug, user: person.email, from, to: status })
    if (status === 'active') return { workspace: slug, user: toUser(person), released: 0, holds: null }
    const scope = { sql, workspace: { id: workspaceId }, now }
    const released = release ? await releaseAllOf({ ...scope, feed: new Feed(), actor: undefined }, person) : 0
    if (released > 0) audit('user-release', { workspace: slug, user: person.email, released })
    const holds = (await holdingsOf(scope, [personId])).get(personId)
    return { workspace: slug, user: toUser(person), released, holds: holds ? toUserHoldings(holds) : null }
  },

  /** A password is that of the account, whatever workspaces it belongs to; an address says enough. */
  async password({ sql, audit, input: { workspace, user: named, password } }) {
    const account = named.includes('@') ? await requireAccount(sql, named) : await accountOf(sql, workspace, named)
    await setPassword(sql, account.id, password)
    audit('user-password', { user: account.email })
    return { email: account.email }
  },
}

interface Account {
  id: number
  email: string
}

async function accountOf(sql: Sql, workspace: string | undefined, named: string): Promise<Account> {
  const { accountId, email } = await requireUser(sql, await chooseWorkspace(sql, workspace), named)
  return { id: accountId, email }
}

async function requireAccount(sql: Sql, email: string): Promise<Account> {
  const [account] = await sql<Account[]>`select id, email from accounts where email = ${email.trim().toLowerCase()}`
  if (!account) throw new ApiError('USER_NOT_FOUND', `Nobody on this server has the address ${email}.`)
  return account
}

/** Throws USER_NOT_FOUND, or CONFLICT where a name is that of several. */
export async function requireUser(sql: Sql, { id, slug }: ChosenWorkspace, named: string): Promise<Person> {
  const people = await listPeople(sql, id)
  const plain = named.trim().toLowerCase()
  const [only, ...others] =
    [
      people.filter(({ email }) => email === plain),
      people.filter(({ name }) => name.toLowerCase() === plain),
      people.filter((person) => String(person.id) === plain),
    ].find((found) => found.length > 0) ?? []
  if (only && others.length === 0) return only
  if (!only) throw new ApiError('USER_NOT_FOUND', `Nobody in the workspace ${slug} has the address, name or id "${named}".`)
  const emails = [only, ...others].map(({ email }) => email)
  throw new ApiError(
    'CONFLICT',
    `Several people in the workspace ${slug} are called ${named}: ${emails.join(', ')}. Give the address.`,
  )
}

const toUserHoldings = ({ checkOuts, shown, toAnswer, requested, jobs }: Holdings): UserHoldings => ({
  check_outs: checkOuts,
  shown: shown.map(({ name }) => name),
  last_ends_at: shown[0]?.expiresAt ?? null,
  to_answer: toAnswer,
  requested,
  jobs,
})

const toUser = ({ id, email, name, displayName, role, kind, status, canSignIn }: Person): OperatorUser => ({
  id,
  email,
  name,
  display_name: displayName,
  role,
  kind,
  status,
  can_sign_in: canSignIn,
})

const toInvited = ({ email, name, displayName, role, invitedBy, endsAt }: Invited): InvitedUser => ({
  email,
  name,
  display_name: displayName,
  role,
  status: 'invited',
  invited_by: invitedBy,
  ends_at: endsAt.toISOString(),
})

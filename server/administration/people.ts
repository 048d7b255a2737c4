/** Members of a workspace, as administrators see and change them. Who someone is may be said by address, name or id. */

import { ApiError } from '../../contract/errors.ts'
import { type Invited, listInvited } from '../accounts/invitations.ts'
import { addPerson, changePerson, listPeople, type Person } from '../accounts/people.ts'
import { setPassword } from '../accounts/sign-in.ts'
import type { Sql } from '../database/sql.ts'
import type { ToldInvited, ToldPerson } from './acts.ts'
import type { Doing } from './desk.ts'
import { type ChosenWorkspace, chooseWorkspace } from './workspaces.ts'

export const listEverybody: Doing<'user-list'> = async ({ database: { sql } }, input) => {
  const { id, slug } = await chooseWorkspace(sql, input.workspace)
  const users = (await listPeople(sql, id)).map(told)
  const invited = (await listInvited(sql, id)).map(toldInvited)
  return { answer: { workspace: slug, users, invited }, on: { workspace: slug } }
}

export const addSomebody: Doing<'user-add'> = async ({ database: { sql }, clock }, input) => {
  const { email, name, display_name: displayName = name, role, kind, password } = input
  const { id: workspaceId, slug } = await chooseWorkspace(sql, input.workspace)
  const wanted = { workspaceId, email, name, displayName, role, kind, now: clock.now() }
  const { person, isKnown, password: fate } = await addPerson(sql, { ...wanted, ...(password === undefined ? {} : { password }) })
  const answer = { workspace: slug, user: told(person), has_account: isKnown, password: fate }
  return { answer, on: { workspace: slug, user: person.email, role, kind, password: fate } }
}

export const setRole: Doing<'user-role'> = async ({ database: { sql } }, { workspace, user, role }) => {
  const { id: workspaceId, slug } = await chooseWorkspace(sql, workspace)
  const { id: personId, role: from } = await requireSomebody(sql, { id: workspaceId, slug }, user)
  const person = await changePerson(sql, { workspaceId, by: undefined, personId, role })
  return { answer: { workspace: slug, user: told(person) }, on: { workspace: slug, user: person.email, from, to: role } }
}

export const setStatus: Doing<'user-status'> = async ({ database: { sql } }, { workspace, user, status }) => {
  const { id: workspaceId, slug } = await chooseWorkspace(sql, workspace)
  const { id: personId, status: from } = await requireSomebody(sql, { id: workspaceId, slug }, user)
  const person = await changePerson(sql, { workspaceId, by: undefined, personId, status })
  return { answer: { workspace: slug, user: told(person) }, on: { workspace: slug, user: person.email, from, to: status } }
}

/** A password is that of the account, whatever workspaces it belongs to; an address says enough. */
export const setPasswordOf: Doing<'user-password'> = async ({ database: { sql } }, { workspace, user, password }) => {
  const account = user.includes('@') ? await requireAccount(sql, user) : await accountOf(sql, workspace, user)
  await setPassword(sql, account.id, password)
  return { answer: { email: account.email }, on: { user: account.email } }
}

interface Account {
  id: number
  email: string
}

async function accountOf(sql: Sql, workspace: string | undefined, user: string): Promise<Account> {
  const { accountId, email } = await requireSomebody(sql, await chooseWorkspace(sql, workspace), user)
  return { id: accountId, email }
}

async function requireAccount(sql: Sql, email: string): Promise<Account> {
  const [account] = await sql<Account[]>`select id, email from accounts where email = ${email.trim().toLowerCase()}`
  if (!account) throw new ApiError('USER_NOT_FOUND', `Nobody on this server has the address ${email}.`)
  return account
}

/** Throws USER_NOT_FOUND, or CONFLICT where a name is that of several. */
export async function requireSomebody(sql: Sql, { id, slug }: ChosenWorkspace, named: string): Promise<Person> {
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
    `Several people in the workspace ${slug} are called ${named}: ${emails.join(', ')}. Say the address.`,
  )
}

export const told = ({ id, email, name, displayName, role, kind, status, canSignIn }: Person): ToldPerson => ({
  id,
  email,
  name,
  display_name: displayName,
  role,
  kind,
  status,
  can_sign_in: canSignIn,
})

const toldInvited = ({ email, name, displayName, role, invitedBy, endsAt }: Invited): ToldInvited => ({
  email,
  name,
  display_name: displayName,
  role,
  status: 'invited',
  invited_by: invitedBy,
  ends_at: endsAt.toISOString(),
})

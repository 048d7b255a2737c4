/** People: members of a workspace, their role and whether they belong. A workspace always keeps an owner. */

import { ApiError } from '../../contract/errors.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Workspace } from '../principal.ts'
import { toWorkspace, type WorkspaceRow, workspaceColumns } from '../rows/workspace.ts'
import { changingAccess } from './access-changes.ts'
import { holdNamesOf, nameKey } from './names.ts'
import { hashPassword } from './passwords.ts'
import { hashSecret } from './secrets.ts'
import type { Session } from './sessions.ts'
import { holdAccount, replacePassword } from './sign-in.ts'

export type Role = 'owner' | 'admin' | 'member'

export interface Person {
  /** The library-local user id. */
  id: number
  accountId: number
  email: string
  name: string
  displayName: string
  role: Role
  kind: 'person' | 'api'
  status: 'active' | 'disabled'
  /** Has a password or a key here: who was added without either has not come yet. */
  canSignIn: boolean
}

export interface Membership {
  workspace: Workspace
  person: Person
}

/**
 * Where someone who is signed in belongs, in the order in which the workspaces were made. Nowhere, once the session is over: joining a
 * workspace ends all others, and a request that came with one of those before must not find itself in it.
 */
export async function membershipsOf(sql: Sql, { id, accountId }: Pick<Session, 'id' | 'accountId'>): Promise<Membership[]> {
  const rows = await sql<(PersonRow & WorkspaceRow)[]>`
    select ${columns(sql)}, ${workspaceColumns(sql)}
      from members m
      join accounts a on a.id = m.account_id
      join workspaces w on w.id = m.workspace_id
      join feed_heads h on h.workspace_id = w.id
     where m.account_id = ${accountId} and m.status = 'active'
       and exists (select 1 from sessions s where s.id_hash = ${hashSecret(id)} and s.account_id = m.account_id)
     order by w.id`
  return rows.map((row) => ({ workspace: toWorkspace(row), person: toPerson(row) }))
}

/** Everybody, those who left included, in the order in which they came. */
export async function listPeople(sql: Sql, workspaceId: number): Promise<Person[]> {
  return (await selectPeople(sql, workspaceId, sql`order by m.id`)).map(toPerson)
}

export interface NewPerson {
  workspaceId: number
  email: string
  name: string
  displayName: string
  role: Role
  kind?: Person['kind']
  /** Counts where the account has none that the administrator of the server has given. */
  password?: string
  now: Date
}

/**
 * What became of the password of someone who was added. `ended`: it had been chosen by a link of another workspace, where someone may
 * know it, and opens nothing any more.
 */
export type PasswordOutcome = 'none' | 'kept' | 'set' | 'ended'

export interface Added {
  person: Person
  /** They had an account already. */
  isKnown: boolean
  password: PasswordOutcome
}

/**
 * Adds someone, who need not accept: only for the administrator of the server. Throws CONFLICT when the e-mail or the name is taken in this
 * workspace. An invitation of theirs ends.
 */
export async function addPerson(sql: Sql, person: NewPerson): Promise<Added> {
  const { workspaceId } = person
  const email = person.email.trim().toLowerCase()
  const passwordHash = person.password === undefined ? null : await hashPassword(person.password)
  return inTransaction(sql, async (tx) => {
    await holdNamesOf(tx, workspaceId)
    await requireFree(tx, workspaceId, { ...person, email })
    const [made] = await tx<{ id: number }[]>`
      insert into accounts (email, password_hash, is_password_linked, created_at)
      values (${email}, ${passwordHash}, false, ${person.now.toISOString()})
      on conflict (email) do nothing returning id`
    const accountId = made?.id ?? (await accountOf(tx, email))
    const password = made ? (passwordHash ? 'set' : 'none') : await trustPassword(tx, accountId, passwordHash)
    const id = await insertMember(tx, { ...person, accountId })
    if (id === undefined) throw new ApiError('CONFLICT', `${email} belongs to this workspace already.`)
    await tx`delete from invitations where workspace_id = ${workspaceId} and email = ${email}`
    return { person: await requirePerson(tx, workspaceId, id), isKnown: !made, password }
  })
}

async function accountOf(sql: Sql, email: string): Promise<number> {
  const [account] = await sql<{ id: number }[]>`select id from accounts where email = ${email}`
  if (!account) throw new Error('an account that was there is gone')
  return account.id
}

/** No password that someone of another workspace may know opens one to which the administrator of the server adds the account. */
async function trustPassword(sql: Sql, accountId: number, passwordHash: string | null): Promise<PasswordOutcome> {
  const account = await holdAccount(sql, accountId)
  if (account?.passwordHash && !account.isPasswordLinked) return 'kept'
  if (!account?.passwordHash && passwordHash === null) return 'none'
  await replacePassword(sql, { accountId, passwordHash, isLinked: false })
  return passwordHash === null ? 'ended' : 'set'
}

/** Throws CONFLICT for an e-mail address or a name that is taken. The names of the workspace are held. */
export async function requireFree(
  sql: Sql,
  workspaceId: number,
  { email, name }: { email: string; name: string },
): Promise<void> {
  const [taken] = await selectPeople(
    sql,
    workspaceId,
    sql`and (a.email = ${email} or m.name_key = ${nameKey(name)}) order by a.email = ${email} desc limit 1`,
  )
  if (taken) throw alreadyThere(toPerson(taken), email)
}

const alreadyThere = (person: Person, email: string) =>
  new ApiError(
    'CONFLICT',
    person.email === email
      ? `${email} belongs to this workspace already${person.status === 'disabled' ? ', but is disabled: enable them instead' : ''}.`
      : `Someone else here is called ${person.name}. Choose another name.`,
    { existing_id: person.id },
  )

export interface NewMember extends Pick<NewPerson, 'workspaceId' | 'name' | 'displayName' | 'role' | 'kind'> {
  accountId: number
}

/** Undefined for an account that belongs to the workspace already. The names of the workspace are held. */
export async function insertMember(
  sql: Sql,
  { workspaceId, accountId, name, displayName, role, kind = 'person' }: NewMember,
): Promise<number | undefined> {
  const [member] = await sql<{ id: number }[]>`
    insert into members (workspace_id, account_id, name, name_key, display_name, role, kind, status)
    values (${workspaceId}, ${accountId}, ${name}, ${nameKey(name)}, ${displayName}, ${role}, ${kind}, 'active')
    on conflict (workspace_id, account_id) do nothing returning id`
  return member?.id
}

export interface PersonChange {
  workspaceId: number
  /** Role of who changes; undefined for the administrator of the server. */
  by: Role | undefined
  personId: number
  role?: Role
  status?: Person['status']
}

/**
 * Gives another role, disables, or enables. Throws USER_NOT_FOUND; FORBIDDEN for what only an owner may do: to make owners, and to change
 * one; CONFLICT when the workspace would be left without an owner.
 */
export function changePerson(sql: Sql, { workspaceId, by, personId, role, status }: PersonChange): Promise<Person> {
  const change = inTransaction(sql, async (tx) => {
    // Changes of owners wait for each other here; each then sees who is left.
    const owners = await tx<{ id: number }[]>`
      select id from members where workspace_id = ${workspaceId} and role = 'owner' and status = 'active' order by id for no key update`
    const before = await requirePerson(tx, workspaceId, personId)
    const after = { role: role ?? before.role, status: status ?? before.status }
    requireRank(by, before.role)
    requireRank(by, after.role)
    const staysOwner = after.role === 'owner' && after.status === 'active'
    if (!staysOwner && owners.every(({ id }) => id === personId) && owners.length > 0)
      throw new ApiError('CONFLICT', `${before.displayName} is the last owner. Make someone else an owner first.`)
    await tx`
      update members set role = ${after.role}, status = ${after.status} where workspace_id = ${workspaceId} and id = ${personId}`
    return { ...before, ...after }
  })
  return changingAccess({ workspaceId, memberId: personId }, change)
}

/** Owners may do everything; admins everything but to make or change owners. */
export function requireRank(by: Role | undefined, of: Role): void {
  if (by === undefined || by === 'owner' || (by === 'admin' && of !== 'owner')) return
  throw new ApiError(
    'FORBIDDEN',
    by === 'admin' ? 'Only an owner may make or change owners.' : 'Only an owner or admin of the workspace may do that.',
  )
}

export async function findPerson(sql: Sql, workspaceId: number, id: number): Promise<Person | undefined> {
  const [row] = await selectPeople(sql, workspaceId, sql`and m.id = ${id}`)
  return row && toPerson(row)
}

/** Throws USER_NOT_FOUND. */
export async function requirePerson(sql: Sql, workspaceId: number, id: number): Promise<Person> {
  const person = await findPerson(sql, workspaceId, id)
  if (!person) throw new ApiError('USER_NOT_FOUND', `There is no member ${id} in this workspace.`)
  return person
}

interface PersonRow extends Pick<Person, 'id' | 'email' | 'name' | 'role' | 'kind' | 'status'> {
  account_id: number
  display_name: string
  can_sign_in: boolean
}

const columns = (sql: Sql): Fragment => sql`
  m.id, m.account_id, a.email, m.name, m.display_name, m.role, m.kind, m.status,
  (a.password_hash is not null
    or exists (select 1 from api_keys k where k.workspace_id = m.workspace_id and k.member_id = m.id and k.revoked_at is null)) as can_sign_in`

const selectPeople = (sql: Sql, workspaceId: number, tail: Fragment) => sql<PersonRow[]>`
  select ${columns(sql)} from members m join accounts a on a.id = m.account_id where m.workspace_id = ${workspaceId} ${tail}`

const toPerson = ({ account_id: accountId, display_name: displayName, can_sign_in: canSignIn, ...row }: PersonRow): Person => ({
  ...row,
  accountId,
  displayName,
  canSignIn,
})

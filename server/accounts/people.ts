/** People: members of a workspace, their role and whether they belong. A workspace always keeps an owner. */
import { ApiError } from '../../contract/errors.ts'
import type { Fragment, Sql } from '../database/open.ts'
import { changingAccess } from '../front-door/holders.ts'
import { toWorkspace, type WorkspaceRow } from '../front-door/workspaces.ts'
import type { Workspace } from '../handler.ts'
import { inTransaction } from '../transaction.ts'
import { hashPassword } from './passwords.ts'

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
}

export interface Membership {
  workspace: Workspace
  person: Person
}

/** Where somebody belongs, in the order in which the workspaces were made. */
export async function membershipsOf(sql: Sql, accountId: number): Promise<Membership[]> {
  const rows = await sql<(PersonRow & Omit<WorkspaceRow, 'id' | 'name'> & { workspace_id: number; workspace_name: string })[]>`
    select ${columns(sql)}, w.id as workspace_id, w.slug, w.name as workspace_name, w.state, w.storage_limit_bytes
      from members m join accounts a on a.id = m.account_id join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and m.status = 'active' order by w.id`
  return rows.map(({ workspace_id: id, slug, workspace_name: name, state, storage_limit_bytes, ...row }) => ({
    workspace: toWorkspace({ id, slug, name, state, storage_limit_bytes }),
    person: toPerson(row),
  }))
}

/** Everybody, those who left included, in the order in which they came. */
export async function listPeople(sql: Sql, workspaceId: number): Promise<Person[]> {
  return (await selectPeople(sql, workspaceId, sql`order by m.id`)).map(toPerson)
}

export interface NewPerson {
  workspaceId: number
  /** Role of who adds; undefined for whoever runs the server. */
  by: Role | undefined
  email: string
  name: string
  displayName: string
  role: Role
  kind?: Person['kind']
  /** For somebody who has no account yet; one that is there keeps its own. */
  password?: string
  now: Date
}

/**
 * Adds somebody. `isKnown`: they had an account already, and sign in as they do elsewhere. Throws FORBIDDEN when `by` may not give that
 * role, and CONFLICT when the e-mail or the name is taken in this workspace.
 */
export async function addPerson(sql: Sql, wanted: NewPerson): Promise<{ person: Person; isKnown: boolean }> {
  const { workspaceId, by, name, displayName, role, kind = 'person' } = wanted
  const email = wanted.email.trim().toLowerCase()
  requireRank(by, role)
  const passwordHash = wanted.password === undefined ? null : await hashPassword(wanted.password)
  return inTransaction(sql, async (tx) => {
    const [made] = await tx<{ id: number }[]>`
      insert into accounts (email, password_hash, created_at) values (${email}, ${passwordHash}, ${wanted.now.toISOString()})
      on conflict (email) do nothing returning id`
    const [account] = made ? [made] : await tx<{ id: number }[]>`select id from accounts where email = ${email}`
    const [taken] = await selectPeople(
      tx,
      workspaceId,
      tx`and (a.email = ${email} or lower(m.name) = ${name.toLowerCase()}) limit 1`,
    )
    if (taken) throw alreadyThere(toPerson(taken), email)
    const [member] = await tx<{ id: number }[]>`
      insert into members (workspace_id, account_id, name, display_name, role, kind, status)
      values (${workspaceId}, ${Number(account?.id)}, ${name}, ${displayName}, ${role}, ${kind}, 'active')
      on conflict (workspace_id, account_id) do nothing returning id`
    if (!member) throw new ApiError('CONFLICT', `${email} belongs to this workspace already.`)
    return { person: await requirePerson(tx, workspaceId, member.id), isKnown: !made }
  })
}

const alreadyThere = (person: Person, email: string) =>
  new ApiError(
    'CONFLICT',
    person.email === email
      ? `${email} belongs to this workspace already${person.status === 'disabled' ? ', but is disabled: enable them instead' : ''}.`
      : `Somebody else here is called ${person.name}. Choose another name.`,
    { existing_id: person.id },
  )

export interface PersonChange {
  workspaceId: number
  /** Role of who changes; undefined for whoever runs the server. */
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
      throw new ApiError('CONFLICT', `${before.displayName} is the last owner. Make somebody else an owner first.`)
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
}

const columns = (sql: Sql): Fragment => sql`m.id, m.account_id, a.email, m.name, m.display_name, m.role, m.kind, m.status`

const selectPeople = (sql: Sql, workspaceId: number, tail: Fragment) => sql<PersonRow[]>`
  select ${columns(sql)} from members m join accounts a on a.id = m.account_id where m.workspace_id = ${workspaceId} ${tail}`

const toPerson = ({ account_id: accountId, display_name: displayName, ...row }: PersonRow): Person => ({
  ...row,
  accountId,
  displayName,
})

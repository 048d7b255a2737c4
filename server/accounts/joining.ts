/**
 * Joining a workspace by the link of an invitation. The link shows that one was asked; it opens no account. Who has one already shows
 * with its current password that it is theirs, and chooses a new one: who knew the old one, as those may who made the account or
 * gave it a link elsewhere, is out from then on. The reasons stand in docs/running-a-server.md.
 */

import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { mayInvite } from './invitations.ts'
import type { Carried } from './known-devices.ts'
import { freeName, holdNamesOf, takenNames } from './names.ts'
import { deadLink } from './password-links.ts'
import { hashPassword } from './passwords.ts'
import { insertMember, type Role } from './people.ts'
import { hashSecret } from './secrets.ts'
import { type NewlySignedIn, startSession } from './sessions.ts'
import { holdAccount, provePassword, replacePassword, wrongPassword } from './sign-in.ts'

export interface Invitation {
  workspace: { id: number; slug: string; name: string }
  email: string
  name: string
  displayName: string
  role: Role
  invitedBy: string
  /** `shut`: it has no password, and only the administrator of the server gives it one. */
  account: 'none' | 'shut' | 'open'
  /** Undefined where there is none. */
  accountId: number | undefined
}

/** Undefined for a code that is unknown, used, replaced, withdrawn or too old, and when who made it could not invite them any more. */
export async function findInvitation(sql: Sql, code: string, now: Date): Promise<Invitation | undefined> {
  const [row] = await sql<InvitationRow[]>`
    select w.id as workspace_id, w.slug, w.name as workspace_name, i.email, i.name, i.display_name, i.role,
           maker.display_name as invited_by, a.id as account_id, a.password_hash is not null as has_password
      from invitations i join workspaces w on w.id = i.workspace_id
      join members maker on maker.workspace_id = i.workspace_id and maker.id = i.made_by
      left join accounts a on a.email = i.email
     where i.code_hash = ${hashSecret(code)} and i.expires_at > ${now.toISOString()} and ${mayInvite(sql)}`
  if (!row) return undefined
  const { email, name, role, account_id: accountId } = row
  return {
    workspace: { id: row.workspace_id, slug: row.slug, name: row.workspace_name },
    email,
    name,
    displayName: row.display_name,
    role,
    invitedBy: row.invited_by,
    account: accountId === null ? 'none' : row.has_password ? 'open' : 'shut',
    accountId: accountId ?? undefined,
  }
}

interface InvitationRow {
  workspace_id: number
  slug: string
  workspace_name: string
  email: string
  name: string
  display_name: string
  role: Role
  invited_by: string
  account_id: number | null
  has_password: boolean
}

export interface Joining {
  code: string
  /** The present one, of someone who has an account. */
  password: string
  newPassword: string
  /** Where the person comes from: an IP address. */
  address: string
  /** What the person came with: the session ends, and the browser is known from now on. */
  browser: Carried
  now: Date
}

/**
 * Makes the person a member, ends every session and link of the account, and signs them in. Throws NOT_FOUND for a code that leads
 * nowhere; UNAUTHORIZED and RATE_LIMITED for the current password; VALIDATION when the new one is the present one; FORBIDDEN for an
 * account without a password; CONFLICT when an account has been made meanwhile.
 */
export async function join(sql: Sql, joining: Joining): Promise<NewlySignedIn> {
  const { code, newPassword, browser, now } = joining
  const found = await findInvitation(sql, code, now)
  if (!found) throw deadInvitation()
  const proven = await proveAccount(sql, found, joining)
  const passwordHash = await hashPassword(newPassword)
  return inTransaction(sql, async (tx) => {
    await holdNamesOf(tx, found.workspace.id)
    const accountId = await (proven ? heldAs(tx, proven) : newAccount(tx, found.email, now))
    const invitation = await findInvitation(tx, code, now)
    // Of several at once, one takes it away; and who withdraws it takes it away too.
    const [taken] = await tx`delete from invitations where code_hash = ${hashSecret(code)} returning id`
    if (!invitation || !taken) throw deadInvitation()
    const name = freeName(invitation.name, await takenNames(tx, invitation.workspace.id))
    const { displayName, role, workspace } = invitation
    const member = await insertMember(tx, { workspaceId: workspace.id, accountId, name, displayName, role })
    if (member === undefined) throw deadInvitation()
    await replacePassword(tx, { accountId, passwordHash, isLinked: true })
    const session = await startSession(tx, { accountId, passwordHash, browser, now })
    if (!session) throw deadInvitation()
    return session
  })
}

export const deadInvitation = () => new ApiError('NOT_FOUND', deadLink().message)

interface Proven {
  accountId: number
  hash: string
}

/** Undefined where there is no account yet. */
async function proveAccount(
  sql: Sql,
  { account, accountId, email }: Invitation,
  { password, newPassword, address, browser, now }: Joining,
): Promise<Proven | undefined> {
  if (accountId === undefined) return undefined
  if (account === 'shut')
    throw new ApiError('FORBIDDEN', `${email} has an account without a password. The administrator of the server can set one.`)
  const hash = await provePassword(sql, { accountId, password, address, browser, now })
  if (newPassword.normalize('NFKC') === password.normalize('NFKC'))
    throw new ApiError('VALIDATION', 'Choose a new password: others may know the present one.')
  return { accountId, hash }
}

async function heldAs(sql: Sql, { accountId, hash }: Proven): Promise<number> {
  const account = await holdAccount(sql, accountId)
  if (account?.passwordHash !== hash) throw wrongPassword()
  return accountId
}

async function newAccount(sql: Sql, email: string, now: Date): Promise<number> {
  const [made] = await sql<{ id: number }[]>`
    insert into accounts (email, is_password_linked, created_at) values (${email}, true, ${now.toISOString()})
    on conflict (email) do nothing returning id`
  if (made) return made.id
  throw new ApiError('CONFLICT', `${email} has an account on this server by now. Enter its current password.`)
}

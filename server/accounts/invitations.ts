/** Invitations: someone is asked to join a workspace, and belongs to it once they accept with the link. Until then they are nobody there. */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { holdNamesOf, nameKey } from './names.ts'
import { linkEnd } from './password-links.ts'
import { type Person, type Role, requireFree, requireRank } from './people.ts'
import { hashSecret, newSecret } from './secrets.ts'

interface Acting {
  workspaceId: number
  /** The member who acts. */
  by: Pick<Person, 'id' | 'role'>
}

export interface Inviting extends Acting {
  email: string
  name: string
  displayName: string
  role: Role
  now: Date
}

/** An invitation with the code of its link, which is known here and now only. */
export interface MadeLink {
  id: number
  displayName: string
  code: string
}

/**
 * Nothing tells whether there is an account with the e-mail address. Throws FORBIDDEN when `by` may not give that role, and CONFLICT when
 * the e-mail or the name is taken in this workspace, or invited already.
 */
export async function invite(sql: Sql, { workspaceId, by, name, displayName, role, now, ...rest }: Inviting): Promise<MadeLink> {
  const email = rest.email.trim().toLowerCase()
  requireRank(by.role, role)
  const code = newSecret()
  return inTransaction(sql, async (tx) => {
    await holdNamesOf(tx, workspaceId)
    await requireFree(tx, workspaceId, { email, name })
    await requireUninvited(tx, workspaceId, { email, name })
    const [made] = await tx<{ id: number }[]>`
      insert into invitations (workspace_id, email, name, display_name, role, code_hash, made_by, created_at, expires_at)
      values (${workspaceId}, ${email}, ${name}, ${displayName}, ${role}, ${hashSecret(code)}, ${by.id}, ${now.toISOString()},
              ${linkEnd(now).toISOString()})
      returning id`
    return { id: Number(made?.id), displayName, code }
  })
}

async function requireUninvited(sql: Sql, workspaceId: number, { email, name }: Pick<Inviting, 'email' | 'name'>): Promise<void> {
  const open = await sql<{ email: string; name: string }[]>`
    select email, name from invitations where workspace_id = ${workspaceId}`
  if (open.some((one) => one.email === email))
    throw new ApiError('CONFLICT', `${email} is invited already. The list of members has the invitation, for a new link.`)
  const namesake = open.find((one) => nameKey(one.name) === nameKey(name))
  if (namesake)
    throw new ApiError('CONFLICT', `Someone else who is invited is called ${namesake.name}. Choose another name.`, {
      field: 'name',
    })
  if (open.length >= limits.invitations.perWorkspace)
    throw new ApiError(
      'CONFLICT',
      `${limits.invitations.perWorkspace} people are invited already. Withdraw invitations that nobody accepts.`,
    )
}

interface OneInvitation extends Acting {
  invitationId: number
}

/** A new link, which ends seven days from now; the one before stops working. Throws USER_NOT_FOUND, and FORBIDDEN as `invite`. */
export async function renewInvitation(sql: Sql, one: OneInvitation & { now: Date }): Promise<MadeLink> {
  const { workspaceId, by, invitationId: id, now } = one
  const { displayName } = await requireChangeable(sql, one)
  const code = newSecret()
  const [renewed] = await sql`
    update invitations set code_hash = ${hashSecret(code)}, made_by = ${by.id}, expires_at = ${linkEnd(now).toISOString()}
     where workspace_id = ${workspaceId} and id = ${id} returning id`
  if (!renewed) throw noInvitation(id)
  return { id, displayName, code }
}

/** Throws USER_NOT_FOUND, also when it was accepted meanwhile, and FORBIDDEN as `invite`. */
export async function withdrawInvitation(sql: Sql, one: OneInvitation): Promise<void> {
  await requireChangeable(sql, one)
  const [gone] = await sql`
    delete from invitations where workspace_id = ${one.workspaceId} and id = ${one.invitationId} returning id`
  if (!gone) throw noInvitation(one.invitationId)
}

/** The role of an invitation never changes. */
async function requireChangeable(sql: Sql, { workspaceId, by, invitationId }: OneInvitation): Promise<Invited> {
  const [invited] = await selectInvited(sql, workspaceId, sql`and i.id = ${invitationId}`)
  if (!invited) throw noInvitation(invitationId)
  requireRank(by.role, invited.role)
  return invited
}

const noInvitation = (id: number) => new ApiError('USER_NOT_FOUND', `There is no invitation ${id} in this workspace any more.`)

/** Someone who was asked and has not accepted, as those who run the workspace see them. */
export interface Invited {
  id: number
  email: string
  name: string
  displayName: string
  role: Role
  invitedBy: string
  endsAt: Date
  /** Whether who made the link could make it still. */
  mayStillInvite: boolean
}

/** In the order in which they were invited. */
export const listInvited = (sql: Sql, workspaceId: number): Promise<Invited[]> =>
  selectInvited(sql, workspaceId, sql`order by i.id`)

export const findInvited = async (sql: Sql, workspaceId: number, id: number): Promise<Invited | undefined> =>
  (await selectInvited(sql, workspaceId, sql`and i.id = ${id}`))[0]

const selectInvited = (sql: Sql, workspaceId: number, tail: Fragment) => sql<Invited[]>`
  select i.id, i.email, i.name, i.display_name as "displayName", i.role, maker.display_name as "invitedBy", i.expires_at as "endsAt",
         ${mayInvite(sql)} as "mayStillInvite"
    from invitations i join members maker on maker.workspace_id = i.workspace_id and maker.id = i.made_by
   where i.workspace_id = ${workspaceId} ${tail}`

/** A link opens no more than the one who made it could open now. */
export const mayInvite = (sql: Sql): Fragment =>
  sql`(maker.status = 'active' and (maker.role = 'owner' or (maker.role = 'admin' and i.role <> 'owner')))`

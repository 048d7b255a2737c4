/** Invitations: links with which somebody chooses a password, once, within seven days. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/open.ts'
import { inTransaction } from '../transaction.ts'
import { hashPassword } from './passwords.ts'
import { type Person, requirePerson, requireRank } from './people.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { type Session, startSession } from './sessions.ts'
import { replacePassword } from './sign-in.ts'

const dayMs = 24 * 3_600_000

export interface Inviting {
  workspaceId: number
  /** The member who invites; undefined for whoever runs the server. */
  by: Pick<Person, 'id' | 'role'> | undefined
  personId: number
  now: Date
}

/** The code of the link; those made before are of no more use. Throws USER_NOT_FOUND, and FORBIDDEN where `invitationObstacle` says why. */
export async function invite(sql: Sql, { workspaceId, by, personId, now }: Inviting): Promise<string> {
  const person = await requirePerson(sql, workspaceId, personId)
  requireRank(by?.role, person.role)
  const obstacle = await invitationObstacle(sql, { workspaceId, by }, person)
  if (obstacle !== undefined) throw new ApiError('FORBIDDEN', obstacle)
  const code = newSecret()
  const expiresAt = new Date(now.getTime() + limits.signIn.invitationDays * dayMs)
  await sql`
    insert into invitations (account_id, code_hash, workspace_id, made_by, created_at, expires_at)
    values (${person.accountId}, ${hashSecret(code)}, ${workspaceId}, ${by?.id ?? null}, ${now.toISOString()}, ${expiresAt.toISOString()})
    on conflict (account_id) do update set code_hash = excluded.code_hash, workspace_id = excluded.workspace_id,
      made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at`
  return code
}

/** Why somebody who runs a workspace cannot make a link for this person, as a sentence. Nothing keeps whoever runs the server from it. */
export async function invitationObstacle(
  sql: Sql,
  { workspaceId, by }: Pick<Inviting, 'workspaceId' | 'by'>,
  { id, accountId, displayName, kind, status }: Person,
): Promise<string | undefined> {
  if (by === undefined) return undefined
  // Where the own password is changed the present one is asked for: a session alone must not give the account away.
  if (id === by.id) return 'Your own password is changed on the page of your account.'
  if (kind === 'api') return `${displayName} is a program: it has keys, and no password.`
  if (status === 'disabled') return `${displayName} is disabled, and could not sign in. Enable them first.`
  const [elsewhere] = await sql`
    select 1 from members where account_id = ${accountId} and workspace_id <> ${workspaceId} limit 1`
  return elsewhere && `${displayName} belongs to other workspaces too. Only whoever runs the server can give them a new password.`
}

export interface Invitation {
  accountId: number
  email: string
  displayName: string
  workspace: { slug: string; name: string }
}

/**
 * Undefined for a code that is unknown, used, replaced or too old, when the person has left the workspace, and when whoever made it could
 * not make it any more.
 */
export async function findInvitation(sql: Sql, code: string, now: Date): Promise<Invitation | undefined> {
  const [row] = await sql<{ account_id: number; email: string; display_name: string; slug: string; name: string }[]>`
    select i.account_id, a.email, m.display_name, w.slug, w.name
      from invitations i join accounts a on a.id = i.account_id join workspaces w on w.id = i.workspace_id
      join members m on m.workspace_id = i.workspace_id and m.account_id = i.account_id and m.status = 'active'
     where i.code_hash = ${hashSecret(code)} and i.expires_at > ${now.toISOString()}
       and (i.made_by is null or exists (
             select 1 from members maker
              where maker.workspace_id = i.workspace_id and maker.id = i.made_by and maker.status = 'active'
                and (maker.role = 'owner' or (maker.role = 'admin' and m.role <> 'owner')))
            and not exists (select 1 from members e where e.account_id = i.account_id and e.workspace_id <> i.workspace_id))`
  if (!row) return undefined
  const { account_id: accountId, email, display_name: displayName, ...workspace } = row
  return { accountId, email, displayName, workspace }
}

export interface Acceptance {
  code: string
  password: string
  /** The session that the person came with: it ends. */
  replaces: string | undefined
  now: Date
}

/** Sets the password, ends every session of the account, and signs the person in. Throws UNAUTHORIZED for a code that leads nowhere. */
export async function acceptInvitation(sql: Sql, { code, password, replaces, now }: Acceptance): Promise<Session> {
  if (!(await findInvitation(sql, code, now))) throw deadLink()
  const passwordHash = await hashPassword(password)
  return inTransaction(sql, async (tx) => {
    const invitation = await findInvitation(tx, code, now)
    // Of several at once, one takes it away.
    const [taken] = await tx`delete from invitations where code_hash = ${hashSecret(code)} returning account_id`
    if (!invitation || !taken) throw deadLink()
    const { accountId } = invitation
    await replacePassword(tx, accountId, passwordHash)
    const session = await startSession(tx, { accountId, replaces, now })
    if (!session) throw deadLink()
    return session
  })
}

const deadLink = () =>
  new ApiError(
    'UNAUTHORIZED',
    'This link was used already, is older than seven days, or was replaced. Ask an owner or admin for a new one.',
  )

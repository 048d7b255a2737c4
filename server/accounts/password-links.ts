/** Links with which a member chooses a new password, once, within seven days. */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Carried } from './known-devices.ts'
import { hashPassword } from './passwords.ts'
import { type Person, requirePerson, requireRank } from './people.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { type NewlySignedIn, startSession } from './sessions.ts'
import { holdAccount, replacePassword } from './sign-in.ts'

const dayMs = 24 * 3_600_000

/** When a link that is made now ends: seven days later. */
export const linkEnd = (now: Date): Date => new Date(now.getTime() + limits.signIn.invitationDays * dayMs)

export interface Linking {
  workspaceId: number
  /** The member who makes the link. */
  by: Pick<Person, 'id' | 'role'>
  personId: number
  now: Date
}

/** The code of the link; those made before stop working. Throws USER_NOT_FOUND, and FORBIDDEN where `linkObstacle` says why. */
export async function makePasswordLink(sql: Sql, { workspaceId, by, personId, now }: Linking): Promise<string> {
  const person = await requirePerson(sql, workspaceId, personId)
  requireRank(by.role, person.role)
  const obstacle = await linkObstacle(sql, { workspaceId, by }, person)
  if (obstacle !== undefined) throw new ApiError('FORBIDDEN', obstacle)
  const code = newSecret()
  await sql`
    insert into password_links (account_id, code_hash, workspace_id, made_by, created_at, expires_at)
    values (${person.accountId}, ${hashSecret(code)}, ${workspaceId}, ${by.id}, ${now.toISOString()}, ${linkEnd(now).toISOString()})
    on conflict (account_id) do update set code_hash = excluded.code_hash, workspace_id = excluded.workspace_id,
      made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at`
  return code
}

/**
 * Why someone who runs a workspace cannot make a link for this person, as a sentence. A password opens every workspace of its account:
 * nobody of one of several may choose it, and nobody is told which the others are.
 */
export async function linkObstacle(
  sql: Sql,
  { workspaceId, by }: Pick<Linking, 'workspaceId' | 'by'>,
  { id, accountId, displayName, kind, status }: Person,
): Promise<string | undefined> {
  // Where the own password is changed the present one is asked for: a session alone must not give the account away.
  if (id === by.id) return 'Your own password is changed on the page of your account.'
  if (kind === 'api') return `${displayName} is a program: it has keys, and no password.`
  if (status === 'disabled') return `${displayName} is disabled, and could not sign in. Enable them first.`
  const [elsewhere] = await sql`
    select 1 from members where account_id = ${accountId} and workspace_id <> ${workspaceId} limit 1`
  return elsewhere && `Only the administrator of the server can give ${displayName} a new password.`
}

export interface PasswordLink {
  accountId: number
  email: string
  displayName: string
  workspace: { slug: string; name: string }
}

/**
 * Undefined for a code that is unknown, used, replaced or too old, when the person has left the workspace or belongs to another one too,
 * and when who made it could not make it any more.
 */
export async function findPasswordLink(sql: Sql, code: string, now: Date): Promise<PasswordLink | undefined> {
  const [row] = await sql<{ account_id: number; email: string; display_name: string; slug: string; name: string }[]>`
    select l.account_id, a.email, m.display_name, w.slug, w.name
      from password_links l join accounts a on a.id = l.account_id join workspaces w on w.id = l.workspace_id
      join members m on m.workspace_id = l.workspace_id and m.account_id = l.account_id and m.status = 'active'
      join members maker on maker.workspace_id = l.workspace_id and maker.id = l.made_by and maker.status = 'active'
     where l.code_hash = ${hashSecret(code)} and l.expires_at > ${now.toISOString()}
       and (maker.role = 'owner' or (maker.role = 'admin' and m.role <> 'owner'))
       and not exists (select 1 from members e where e.account_id = l.account_id and e.workspace_id <> l.workspace_id)`
  if (!row) return undefined
  const { account_id: accountId, email, display_name: displayName, ...workspace } = row
  return { accountId, email, displayName, workspace }
}

export interface NewPassword {
  code: string
  password: string
  /** What the person came with: the session ends, and the browser is known from now on. */
  browser: Carried
  now: Date
}

/** Sets the password, ends every session of the account, and signs the person in. Throws UNAUTHORIZED for a code that leads nowhere. */
export async function followPasswordLink(sql: Sql, { code, password, browser, now }: NewPassword): Promise<NewlySignedIn> {
  const before = await findPasswordLink(sql, code, now)
  if (!before) throw deadLink()
  const passwordHash = await hashPassword(password)
  return inTransaction(sql, async (tx) => {
    // Who lets the account into another workspace waits for this, or this for them: then the link leads nowhere.
    await holdAccount(tx, before.accountId)
    const link = await findPasswordLink(tx, code, now)
    const [taken] = await tx`delete from password_links where code_hash = ${hashSecret(code)} returning account_id`
    if (!link || !taken) throw deadLink()
    const { accountId } = link
    await replacePassword(tx, { accountId, passwordHash, isLinked: true })
    const session = await startSession(tx, { accountId, passwordHash, browser, now })
    if (!session) throw deadLink()
    return session
  })
}

export const deadLink = () =>
  new ApiError(
    'UNAUTHORIZED',
    'This link was used already, is older than seven days, or was replaced. Ask an owner or admin for a new one.',
  )

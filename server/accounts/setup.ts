/** Setting up: the first workspace and its owner, made with a code that is printed where the server was started (contract-gaps 2). */

import { ApiError } from '../../contract/errors.ts'
import type { Setup } from '../../contract/identity.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { beginFeeds } from '../epoch.ts'
import { changingAccess } from './access-changes.ts'
import { hashPassword } from './passwords.ts'
import { insertMember } from './people.ts'
import { hashSecret, newSecret } from './secrets.ts'

const setting = 'setup_code_hash'

/** A new code, which makes those before it useless; undefined where there is a workspace. */
export async function issueSetupCode(sql: Sql): Promise<string | undefined> {
  if (await isSetUp(sql)) {
    await sql`delete from settings where name = ${setting}`
    return undefined
  }
  const code = newSecret()
  await sql`
    insert into settings (name, value) values (${setting}, ${hashSecret(code)})
    on conflict (name) do update set value = excluded.value`
  return code
}

export async function isSetUp(sql: Sql): Promise<boolean> {
  return (await sql`select 1 from workspaces limit 1`).length > 0
}

export async function requireUnset(sql: Sql): Promise<void> {
  if (await isSetUp(sql)) throw new ApiError('SETUP_ALREADY_DONE')
}

/** Whether a page may show its form for this code. */
export async function isSetupCode(sql: Sql, code: string): Promise<boolean> {
  const [row] = await sql`select 1 from settings where name = ${setting} and value = ${hashSecret(code)}`
  return row !== undefined
}

export interface FirstWorkspace {
  workspace: { id: number; slug: string; name: string }
  /** The owner; `id` is the account. */
  user: { id: number; email: string; name: string; display_name: string; role: 'admin' }
}

/** Throws SETUP_ALREADY_DONE, or UNAUTHORIZED for a code that is not the one. Of several at once, one makes its workspace. */
export async function setUp(sql: Sql, { setup_code: code, workspace, owner }: Setup, now: Date): Promise<FirstWorkspace> {
  await requireUnset(sql)
  if (!(await isSetupCode(sql, code))) throw wrongCode()
  const passwordHash = await hashPassword(owner.password)
  const making = inTransaction(sql, async (tx) => {
    // Who takes the code away may go on; the others wait here, and find that it is gone.
    const [taken] = await tx`delete from settings where name = ${setting} and value = ${hashSecret(code)} returning name`
    await requireUnset(tx)
    if (!taken) throw wrongCode()
    return makeFirst(tx, {
      workspace,
      owner: { ...owner, email: owner.email.toLowerCase() },
      passwordHash,
      at: now.toISOString(),
    })
  })
  return changingAccess({}, making)
}

const wrongCode = () =>
  new ApiError('UNAUTHORIZED', 'The setup code is not right. Open the address that the server printed when it was last started.')

type FirstRows = Pick<Setup, 'workspace' | 'owner'> & { passwordHash: string; at: string }

async function makeFirst(sql: Sql, { workspace: { slug, name }, owner, passwordHash, at }: FirstRows): Promise<FirstWorkspace> {
  const [workspace] = await sql<{ id: number }[]>`
    insert into workspaces (slug, name, created_at) values (${slug}, ${name}, ${at})
    on conflict (slug) do nothing returning id`
  // A provisioning file came first.
  if (!workspace) throw new ApiError('SETUP_ALREADY_DONE')
  const workspaceId = workspace.id
  await beginFeeds(sql, workspaceId, at)
  const [account] = await sql<{ id: number }[]>`
    insert into accounts (email, password_hash, is_password_linked, created_at) values (${owner.email}, ${passwordHash}, false, ${at})
    on conflict (email) do update set password_hash = excluded.password_hash, is_password_linked = false returning id`
  const accountId = Number(account?.id)
  const { email, name: ownName, display_name } = owner
  await insertMember(sql, { workspaceId, accountId, name: ownName, displayName: display_name, role: 'owner' })
  return {
    workspace: { id: workspaceId, slug, name },
    user: { id: accountId, email, name: ownName, display_name, role: 'admin' },
  }
}

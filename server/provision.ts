/** The provisioning file: workspaces, members and keys that must exist; applied at every start, deletes nothing (contract-gaps 2). */
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { type Static, Type } from 'typebox'
import { absentOrNull, Count, named, oneOf } from '../contract/shapes.ts'
import { hashPassword } from './accounts/passwords.ts'
import { SettingError } from './config.ts'
import type { Database, Sql } from './database/open.ts'
import { hashKey, keyPattern } from './front-door/keys.ts'

const Member = Type.Object({
  email: Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', maxLength: 200 }),
  name: named(80),
  display_name: Type.Optional(named(120)),
  role: oneOf(['owner', 'admin', 'member']),
  password: Type.Optional(Type.String({ minLength: 8, maxLength: 200 })),
  kind: Type.Optional(oneOf(['person', 'api'])),
  status: Type.Optional(oneOf(['active', 'disabled'])),
})
const Key = Type.Object({
  name: named(120),
  member: Type.String(),
  scope: oneOf(['read', 'write']),
  key: Type.String({ pattern: keyPattern.source }),
})
const WorkspaceEntry = Type.Object({
  slug: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }),
  name: named(120),
  state: Type.Optional(oneOf(['active', 'read_only', 'ingest_blocked', 'suspended', 'preparing', 'starting'])),
  storage_limit_bytes: absentOrNull(Count),
  agent_calls_per_month: absentOrNull(Count),
  members: Type.Optional(Type.Array(Member)),
  keys: Type.Optional(Type.Array(Key)),
})
export const ProvisionFile = Type.Object({ workspaces: Type.Array(WorkspaceEntry) })
export type ProvisionFile = Static<typeof ProvisionFile>
type WorkspaceEntry = Static<typeof WorkspaceEntry>
type Member = Static<typeof Member>

const check = new Ajv({ allowUnionTypes: true }).compile(ProvisionFile)

/** Reads and checks the file; a SettingError names the file and the offending field. */
export function readProvisionFile(file: string): ProvisionFile {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingError(`The provisioning file ${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (!check(content)) throw new SettingError(`The provisioning file ${file} is not right: ${describe(check.errors?.[0])}`)
  const file_ = content as ProvisionFile
  for (const [w, workspace] of file_.workspaces.entries())
    for (const [k, key] of (workspace.keys ?? []).entries())
      if (!workspace.members?.some((member) => member.email.toLowerCase() === key.member.toLowerCase()))
        throw new SettingError(
          `The provisioning file ${file} is not right: workspaces.${w}.keys.${k}.member names nobody of that workspace.`,
        )
  return file_
}

const describe = (error: ErrorObject | undefined) =>
  `${error?.instancePath.slice(1).replaceAll('/', '.') || 'the file'} ${wordsOf(error)}${error?.keyword === 'required' ? '' : '.'}`

const wordsOf = (error: ErrorObject | undefined) =>
  error?.keyword === 'pattern' && error.instancePath.endsWith('/key')
    ? 'must be "ph_live_" and 40 letters or digits behind it'
    : error?.message

export async function provision(database: Database, file: ProvisionFile, now: Date): Promise<void> {
  await database.sql.begin(async (sql) => {
    for (const workspace of file.workspaces) await provisionWorkspace(sql, workspace, now.toISOString())
  })
}

async function provisionWorkspace(sql: Sql, workspace: WorkspaceEntry, now: string): Promise<void> {
  const [row] = await sql<{ id: number }[]>`
    insert into workspaces (slug, name, state, storage_limit_bytes, agent_calls_per_month, created_at)
    values (${workspace.slug}, ${workspace.name}, ${workspace.state ?? 'active'}, ${workspace.storage_limit_bytes ?? null},
            ${workspace.agent_calls_per_month ?? null}, ${now})
    on conflict (slug) do update set name = excluded.name, state = excluded.state,
      storage_limit_bytes = excluded.storage_limit_bytes, agent_calls_per_month = excluded.agent_calls_per_month
    returning id`
  const workspaceId = Number(row?.id)
  await sql`insert into feed_heads (workspace_id) values (${workspaceId}) on conflict do nothing`
  for (const member of workspace.members ?? []) await provisionMember(sql, workspaceId, { ...member, now })
  for (const key of workspace.keys ?? [])
    await sql`
    insert into api_keys (workspace_id, member_id, name, prefix, key_hash, scope, created_at)
    select ${workspaceId}, m.id, ${key.name}, ${key.key.slice(0, 12)}, ${hashKey(key.key)}, ${key.scope}, ${now}
      from members m join accounts a on a.id = m.account_id
     where m.workspace_id = ${workspaceId} and a.email = ${key.member.toLowerCase()}
    on conflict (key_hash) do nothing`
}

async function provisionMember(sql: Sql, workspaceId: number, member: Member & { now: string }): Promise<void> {
  const email = member.email.toLowerCase()
  const [account] = await sql<{ id: number; password_hash: string | null }[]>`
    insert into accounts (email, created_at) values (${email}, ${member.now})
    on conflict (email) do update set email = excluded.email returning id, password_hash`
  const accountId = Number(account?.id)
  if (member.password && !account?.password_hash)
    await sql`update accounts set password_hash = ${await hashPassword(member.password)} where id = ${accountId}`
  await sql`
    insert into members (workspace_id, account_id, name, display_name, role, kind, status)
    values (${workspaceId}, ${accountId}, ${member.name}, ${member.display_name ?? member.name}, ${member.role},
            ${member.kind ?? 'person'}, ${member.status ?? 'active'})
    on conflict (workspace_id, account_id) do update set name = excluded.name, display_name = excluded.display_name,
      role = excluded.role, kind = excluded.kind, status = excluded.status`
}

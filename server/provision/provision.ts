/** Provisioning: workspaces, members and keys that must exist; applied at every start, deletes nothing (contract-gaps 2). */

import { validationError } from '../../contract/errors.ts'
import { changingAccess } from '../accounts/access-changes.ts'
import { holdNames, nameKey } from '../accounts/names.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { hashSecret } from '../accounts/secrets.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import { beAlone } from '../database/one-process.ts'
import type { Database } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { beginFeeds } from '../epoch.ts'
import type { ProvisionFile } from './file.ts'
import { leaversIn } from './leavers.ts'
import {
  type Change,
  type ProvisionPlan,
  planProvision,
  type Standing,
  type StandingKey,
  type StandingWorkspace,
  type WorkspaceWrites,
} from './plan.ts'

/** What was done, or would be. */
export interface Provisioned {
  changes: readonly Change[]
  warnings: readonly string[]
}

const alone = {
  what: 'provisioning',
  waitMs: 30_000,
  message: 'Another server or command has been provisioning for half a minute. Nothing was changed; try again when it is done.',
} as const

/** Writes what the file wants and the database lacks. Throws VALIDATION where the two contradict each other. */
export async function provision(database: Database, file: ProvisionFile, now: Date): Promise<Provisioned> {
  const hashes = await hashPasswords(await foresee(database.sql, file, now))
  const provisioning = inTransaction(database.sql, async (sql) => {
    if (database.kind === 'postgresql') await beAlone(sql, alone)
    await hold(sql, file, now)
    const plan = await foresee(sql, file, now)
    for (const writes of plan.writes) await write(sql, { writes, hashes, now: now.toISOString() })
    return { changes: plan.changes, warnings: plan.warnings }
  })
  return changingAccess({}, provisioning)
}

/**
 * Until the end of the transaction nobody else gives names in the workspaces of the file, or touches its accounts. They are made before
 * the plan, so that none that someone else makes meanwhile comes in unseen.
 */
async function hold(sql: Sql, { workspaces }: ProvisionFile, now: Date): Promise<void> {
  const slugs = workspaces.map(({ slug }) => slug)
  const emails = workspaces.flatMap(({ members = [] }) => members.map(({ email }) => email.toLowerCase()))
  await holdNames(sql, slugs)
  await sql`
    insert into accounts (email, is_password_linked, created_at)
    select r.email, false, ${now.toISOString()} from unnest(${[...new Set(emails)]}::text[]) with ordinality as r(email, at)
     where not exists (select 1 from accounts a where a.email = r.email) order by r.at
    on conflict (email) do nothing`
  await sql`select id from accounts where email ${amongTexts(sql, emails)} order by id for no key update`
}

/** What `provision` would do; writes nothing. */
export async function foresee(sql: Sql, file: ProvisionFile, now: Date): Promise<ProvisionPlan> {
  const plan = required(planProvision(file, await readStanding(sql, file)))
  return { ...plan, warnings: [...plan.warnings, ...(await leaversIn(sql, file, now))] }
}

/** The same where there is no database yet. */
export const foreseeFromNothing = (file: ProvisionFile): ProvisionPlan =>
  required(planProvision(file, { workspaces: new Map(), keys: new Map(), passwords: new Map() }))

function required(plan: ReturnType<typeof planProvision>): ProvisionPlan {
  if ('path' in plan) throw validationError([plan])
  return plan
}

async function readStanding(sql: Sql, { workspaces: entries }: ProvisionFile): Promise<Standing> {
  const emails = entries.flatMap(({ members = [] }) => members.map(({ email }) => email.toLowerCase()))
  const hashes = entries.flatMap(({ keys = [] }) => keys.map(({ key }) => hashSecret(key)))
  const inFile = amongTexts(
    sql,
    entries.map(({ slug }) => slug),
  )
  const workspaces = await sql<Omit<StandingWorkspace, 'members'>[]>`
    select id, slug, name, state, storage_limit_bytes, agent_calls_per_month from workspaces order by id`
  const members = await sql<MemberRow[]>`
    select w.slug, a.email, m.name, m.display_name, m.role, m.kind, m.status
      from members m join accounts a on a.id = m.account_id join workspaces w on w.id = m.workspace_id
     where w.slug ${inFile} order by m.id`
  const keys = await sql<(StandingKey & { key_hash: string })[]>`
    select k.key_hash, w.slug as workspace, a.email as member, k.name, k.scope, k.revoked_at is not null as is_revoked
      from api_keys k join workspaces w on w.id = k.workspace_id
      join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
      join accounts a on a.id = m.account_id
     where w.slug ${inFile} or k.key_hash ${amongTexts(sql, hashes)} order by k.id`
  const passwords = await sql<{ email: string; is_password_linked: boolean }[]>`
    select email, is_password_linked from accounts where password_hash is not null and email ${amongTexts(sql, emails)}`
  return {
    workspaces: new Map(workspaces.map((row) => [row.slug, { ...row, members: membersOf(row.slug, members) }])),
    keys: new Map(keys.map(({ key_hash, ...key }) => [key_hash, key])),
    passwords: new Map(passwords.map((row) => [row.email, row.is_password_linked ? 'linked' : 'given'])),
  }
}

type MemberRow = { slug: string; email: string } & Record<'name' | 'display_name' | 'role' | 'kind' | 'status', string>

const membersOf = (slug: string, rows: readonly MemberRow[]): StandingWorkspace['members'] =>
  new Map(rows.flatMap(({ slug: of, email, ...fields }) => (of === slug ? [[email, fields]] : [])))

type Hashes = ReadonlyMap<string, string>

/** Before the transaction: each takes a while, and others wait for the transaction. */
async function hashPasswords({ writes }: ProvisionPlan): Promise<Hashes> {
  const passwords = new Map(
    writes.flatMap(({ passwords }) =>
      passwords.flatMap(({ email, password }) => (password === undefined ? [] : [[email, password] as const])),
    ),
  )
  const hashes = new Map<string, string>()
  await Promise.all([...passwords].map(async ([email, password]) => hashes.set(email, await hashPassword(password))))
  return hashes
}

async function write(sql: Sql, { writes, hashes, now }: { writes: WorkspaceWrites; hashes: Hashes; now: string }): Promise<void> {
  const { slug, workspace, members, keys, passwords } = writes
  if (workspace)
    await sql`
    insert into workspaces (slug, name, state, storage_limit_bytes, agent_calls_per_month, created_at)
    values (${slug}, ${workspace.name}, ${workspace.state}, ${workspace.storage_limit_bytes}, ${workspace.agent_calls_per_month}, ${now})
    on conflict (slug) do update set name = excluded.name, state = excluded.state,
      storage_limit_bytes = excluded.storage_limit_bytes, agent_calls_per_month = excluded.agent_calls_per_month`
  const [row] = await sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`
  const workspaceId = Number(row?.id)
  if (workspace) await beginFeeds(sql, workspaceId, now)
  if (members.length > 0) await writeMembers(sql, workspaceId, members)
  if (passwords.length > 0) await writePasswords(sql, passwords, hashes)
  const made = keys.map(({ key, key_hash, email, name, scope }, at) => ({
    at,
    prefix: key.slice(0, 12),
    key_hash,
    email,
    name,
    scope,
  }))
  if (made.length > 0)
    await sql`
    insert into api_keys (workspace_id, member_id, name, prefix, key_hash, scope, created_at)
    select ${workspaceId}, m.id, r.name, r.prefix, r.key_hash, r.scope, ${now}
      from jsonb_to_recordset(${sql.json(made)}) as r(at integer, email text, name text, prefix text, key_hash text, scope text)
      join accounts a on a.email = r.email join members m on m.workspace_id = ${workspaceId} and m.account_id = a.id
     order by r.at
    on conflict (key_hash) do nothing`
}

/** An account that an earlier workspace of the file has given its password keeps that one. Who knew one that ends is out. */
async function writePasswords(sql: Sql, passwords: WorkspaceWrites['passwords'], hashes: Hashes): Promise<void> {
  const given = passwords.map(({ email, password }) => ({ email, hash: password === undefined ? null : hashes.get(email) }))
  const changed = await sql<{ id: number }[]>`
    update accounts a set password_hash = r.hash, is_password_linked = false
      from jsonb_to_recordset(${sql.json(given)}) as r(email text, hash text)
     where a.email = r.email and (a.password_hash is null or a.is_password_linked) returning a.id`
  const ids = changed.map(({ id }) => id)
  await sql`delete from sessions where account_id ${amongIds(sql, ids)}`
  await sql`delete from password_links where account_id ${amongIds(sql, ids)}`
  await sql`delete from known_devices where account_id ${amongIds(sql, ids)}`
}

async function writeMembers(sql: Sql, workspaceId: number, members: WorkspaceWrites['members']): Promise<void> {
  const rows = sql.json(members.map((member, at) => ({ ...member, name_key: nameKey(member.name), at })))
  await sql`
    insert into members (workspace_id, account_id, name, name_key, display_name, role, kind, status)
    select ${workspaceId}, a.id, r.name, r.name_key, r.display_name, r.role, r.kind, r.status
      from jsonb_to_recordset(${rows})
           as r(at integer, email text, name text, name_key text, display_name text, role text, kind text, status text)
      join accounts a on a.email = r.email
     order by r.at
    on conflict (workspace_id, account_id) do update set name = excluded.name, name_key = excluded.name_key,
      display_name = excluded.display_name, role = excluded.role, kind = excluded.kind, status = excluded.status`
  // Who belongs here needs no invitation.
  await sql`
    delete from invitations where workspace_id = ${workspaceId} and email in (select r.email from jsonb_to_recordset(${rows}) as r(email text))`
}

/** What a provisioning file would change, decided from what is there and what the file says, before anything is written. Pure. */

import type { Failure } from '../../contract/errors.ts'
import { freeName, nameKey } from '../accounts/names.ts'
import { hashSecret } from '../accounts/secrets.ts'
import type { KeyEntry, MemberEntry, ProvisionFile, WorkspaceEntry } from './file.ts'

/** Fields that a file sets, as they stand. */
interface WorkspaceFields {
  name: string
  state: string
  storage_limit_bytes: number | null
  agent_calls_per_month: number | null
}
interface MemberFields {
  name: string
  display_name: string
  role: string
  kind: string
  status: string
}
export interface StandingWorkspace extends WorkspaceFields {
  id: number
  slug: string
  /** By address in lower case. */
  members: ReadonlyMap<string, MemberFields>
}
export interface StandingKey {
  workspace: string
  member: string
  name: string
  scope: string
  is_revoked: boolean
}
/** What the database holds of all that a file names, and beside it in the same workspaces. */
export interface Standing {
  workspaces: ReadonlyMap<string, StandingWorkspace>
  /** By SHA-256. */
  keys: ReadonlyMap<string, StandingKey>
  /** Of accounts that have one, by address: `linked` where someone of a workspace may know it (migration 012). */
  passwords: ReadonlyMap<string, 'given' | 'linked'>
}

export interface FieldChange {
  field: string
  from: string | number | null
  to: string | number | null
}

/** `left`: not in the file, and not touched. */
export interface Change {
  what: 'workspace' | 'member' | 'key'
  workspace: string
  /** A slug, an address, the name of a key. */
  name: string
  does: 'created' | 'changed' | 'unchanged' | 'left'
  fields: readonly FieldChange[]
  /** What else to know. */
  remark?: string
}

export interface ProvisionPlan {
  changes: readonly Change[]
  warnings: readonly string[]
  writes: readonly WorkspaceWrites[]
}
export interface WorkspaceWrites {
  slug: string
  workspace: WorkspaceFields | undefined
  members: readonly (MemberFields & { email: string })[]
  keys: readonly (KeyEntry & { key_hash: string; email: string })[]
  /** Of accounts that have none, or one that ends; undefined: it ends, and there is no new one. */
  passwords: readonly { email: string; password: string | undefined }[]
}

/** Gives the plan, or says which part of the file contradicts what is there. */
export function planProvision(file: ProvisionFile, standing: Standing): ProvisionPlan | Failure {
  const taken = takenKey(file, standing)
  if (taken) return taken
  const planned = file.workspaces.map((entry) => planWorkspace(entry, standing))
  const named = new Set(file.workspaces.map(({ slug }) => slug))
  const others = [...standing.workspaces.keys()].filter((slug) => !named.has(slug)).map((slug) => left('workspace', slug, slug))
  return {
    changes: [...planned.flatMap(({ changes }) => changes), ...others],
    warnings: planned.flatMap(({ warnings }) => warnings),
    writes: planned.map(({ writes }) => writes),
  }
}

/** A key opens one workspace. */
function takenKey({ workspaces }: ProvisionFile, { keys }: Standing): Failure | undefined {
  for (const [w, { slug, keys: entries = [] }] of workspaces.entries())
    for (const [k, { key }] of entries.entries()) {
      const found = keys.get(hashSecret(key))
      if (found && found.workspace !== slug)
        return { path: `workspaces.${w}.keys.${k}.key`, message: `is a key of the workspace "${found.workspace}" already` }
    }
  return undefined
}

interface PlannedWorkspace {
  changes: Change[]
  warnings: string[]
  writes: WorkspaceWrites
}

function planWorkspace(entry: WorkspaceEntry, standing: Standing): PlannedWorkspace {
  const { slug } = entry
  const found = standing.workspaces.get(slug)
  const desired: WorkspaceFields = {
    name: entry.name,
    state: entry.state ?? 'active',
    storage_limit_bytes: entry.storage_limit_bytes ?? null,
    agent_calls_per_month: entry.agent_calls_per_month ?? null,
  }
  const workspace = compared({ what: 'workspace', workspace: slug, name: slug }, { found, desired })
  const names = givenNames(entry, found)
  const members = (entry.members ?? []).map((member) => planMember(slug, { ...member, ...names.get(member.email) }, standing))
  const keys = (entry.keys ?? []).map((key) => planKey(slug, key, standing))
  const isWritten = ({ change }: { change: Change }) => change.does === 'created' || change.does === 'changed'
  return {
    changes: [workspace, ...members.map(({ change }) => change), ...keys.map(({ change }) => change), ...leftIn(entry, standing)],
    warnings: [...warningsOf(entry, found), ...members.flatMap(({ warning }) => warning ?? [])],
    writes: {
      slug,
      workspace: workspace.does === 'unchanged' ? undefined : desired,
      members: members.filter(isWritten).map(({ desired: fields, email }) => ({ ...fields, email })),
      keys: keys.filter(isWritten).map(({ row }) => row),
      passwords: members.flatMap(({ email, password }) => (password ? [{ email, password: password.given }] : [])),
    },
  }
}

/** The name of each member of the file, by address as it is written there, and who is called as the file says. */
function givenNames(
  { members = [] }: WorkspaceEntry,
  found: StandingWorkspace | undefined,
): Map<string, { name: string; namesake?: string }> {
  const emails = new Set(members.map(({ email }) => email.toLowerCase()))
  const others = [...(found?.members ?? [])].filter(([email]) => !emails.has(email))
  const holders = new Map(others.map(([email, { name }]) => [nameKey(name), email]))
  return new Map(
    members.map(({ email, name: desiredName }) => {
      const name = freeName(desiredName, holders)
      const namesake = holders.get(nameKey(desiredName))
      holders.set(nameKey(name), email)
      return [email, namesake === undefined ? { name } : { name, namesake }]
    }),
  )
}

interface PlannedMember {
  email: string
  desired: MemberFields
  change: Change
  /** Undefined: the password stays as it is. */
  password: { given: string | undefined } | undefined
  warning?: string
}

function planMember(
  slug: string,
  entry: MemberEntry & { namesake?: string },
  { workspaces, passwords }: Standing,
): PlannedMember {
  const email = entry.email.toLowerCase()
  const desired: MemberFields = {
    name: entry.name,
    display_name: entry.display_name ?? entry.name,
    role: entry.role,
    kind: entry.kind ?? 'person',
    status: entry.status ?? 'active',
  }
  const found = workspaces.get(slug)?.members.get(email)
  const compare = compared({ what: 'member', workspace: slug, name: email }, { found, desired })
  const change: Change = entry.namesake ? { ...compare, remark: `${entry.namesake} has the name in the file` } : compare
  // One that someone has chosen since is theirs: the file gives the first one only. But one that was chosen by a link of another
  // workspace, where someone may know it, does not open this one.
  const kept = passwords.get(email)
  const ends = kept === 'linked' && !found
  if (kept !== undefined && !ends) return { email, desired, change, password: undefined }
  if (entry.password === undefined && !ends) return { email, desired, change, password: undefined }
  return withPassword({ email, desired, change, password: { given: entry.password } }, { found, ends })
}

/** What is said of a password that is set or ends. */
function withPassword(planned: PlannedMember, { found, ends }: { found: object | undefined; ends: boolean }): PlannedMember {
  const { change, password, email } = planned
  const isSet = password?.given !== undefined
  if (!found && !ends) return planned
  const field: FieldChange = { field: 'password', from: ends ? 'chosen by a link' : null, to: isSet ? 'set' : 'ended' }
  const does = found ? ('changed' as const) : change.does
  const told = { ...planned, change: { ...change, does, fields: [...change.fields, field] } }
  if (isSet) return told
  const warning = `${email} joins ${change.workspace}: the password was chosen by a link of another workspace, where someone may know it, and has ended. Give a new one with \`ph server user password ${email} --workspace ${change.workspace}\`.`
  return { ...told, warning }
}

function planKey(slug: string, entry: KeyEntry, { keys }: Standing) {
  const email = entry.member.toLowerCase()
  const row = { ...entry, email, key_hash: hashSecret(entry.key) }
  const found = keys.get(row.key_hash)
  const change: Change = {
    what: 'key',
    workspace: slug,
    name: entry.name,
    does: found ? 'unchanged' : 'created',
    fields: found ? [] : [created('member', email), created('scope', entry.scope)],
  }
  const remark = found && remarkOn(found, { ...entry, email })
  return { row, change: remark ? { ...change, remark } : change }
}

/** A key is what it was made as; the way to another one is a new key. */
function remarkOn(found: StandingKey, desired: { name: string; scope: string; email: string }): string | undefined {
  if (found.is_revoked) return 'it was revoked and stays so; put a new key into the file'
  if (found.name === desired.name && found.scope === desired.scope && found.member === desired.email) return undefined
  return `it stays "${found.name}", a ${found.scope} key of ${found.member}; revoke it and put a new key into the file`
}

const created = (field: string, to: FieldChange['to']): FieldChange => ({ field, from: null, to })

type Named = Pick<Change, 'what' | 'workspace' | 'name'>
type Fields = Record<string, FieldChange['to']>

function compared(named: Named, { found, desired }: { found: object | undefined; desired: object }): Change {
  const before = found as Fields | undefined
  const fields = Object.entries(desired as Fields)
    .map(([field, to]) => ({ field, from: before?.[field] ?? null, to }))
    .filter(({ from, to }) => from !== to)
  const does = before === undefined ? 'created' : fields.length > 0 ? 'changed' : 'unchanged'
  return { ...named, does, fields }
}

const left = (what: Change['what'], workspace: string, name: string): Change => ({
  what,
  workspace,
  name,
  does: 'left',
  fields: [],
})

/** Members and live keys of a workspace that its file does not name. */
function leftIn({ slug, members = [], keys = [] }: WorkspaceEntry, standing: Standing): Change[] {
  const emails = new Set(members.map(({ email }) => email.toLowerCase()))
  const hashes = new Set(keys.map(({ key }) => hashSecret(key)))
  const people = [...(standing.workspaces.get(slug)?.members.keys() ?? [])].filter((email) => !emails.has(email))
  const others = [...standing.keys].filter(([hash, key]) => key.workspace === slug && !key.is_revoked && !hashes.has(hash))
  return [
    ...people.map((email) => left('member', slug, email)),
    ...others.map(([, { name, member }]) => ({ ...left('key', slug, name), remark: `of ${member}` })),
  ]
}

function warningsOf({ slug, members = [] }: WorkspaceEntry, found: StandingWorkspace | undefined): string[] {
  const after = new Map([...(found?.members ?? [])].map(([email, { role, status }]) => [email, { role, status }]))
  for (const { email, role, status = 'active' } of members) after.set(email.toLowerCase(), { role, status })
  const hasOwner = [...after.values()].some(({ role, status }) => role === 'owner' && status === 'active')
  return hasOwner ? [] : [`The workspace ${slug} has no active owner then; name one in the file.`]
}

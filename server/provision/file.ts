/** The provisioning file as it is written: its fields, its limits, and what is said of one that is not right (contract-gaps 2). */

import { closeSync, openSync, readSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { type Static, Type } from 'typebox'
import type { Failure } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { absentOrNull, Count, Email, oneOf, Password, plainNamed, WorkspaceSlug } from '../../contract/shapes.ts'
import { holdsUnstorable } from '../../serving/validation.ts'
import { inPieces } from '../../system/event-loop.ts'
import { keyPattern } from '../accounts/secrets.ts'
import { SettingError } from '../config.ts'
import { workspaceStates } from '../principal.ts'

const Member = Type.Object({
  email: Email,
  name: plainNamed(80),
  display_name: Type.Optional(plainNamed(120)),
  role: oneOf(['owner', 'admin', 'member']),
  password: Type.Optional(Password),
  kind: Type.Optional(oneOf(['person', 'api'])),
  status: Type.Optional(oneOf(['active', 'disabled'])),
})
const Key = Type.Object({
  name: plainNamed(limits.keys.name),
  member: Type.String({ maxLength: 200 }),
  scope: oneOf(['read', 'write']),
  key: Type.String({ pattern: keyPattern.source }),
})
const WorkspaceEntry = Type.Object({
  slug: WorkspaceSlug,
  name: plainNamed(120),
  state: Type.Optional(oneOf(workspaceStates)),
  storage_limit_bytes: absentOrNull(Count),
  agent_calls_per_month: absentOrNull(Count),
  members: Type.Optional(Type.Array(Member)),
  keys: Type.Optional(Type.Array(Key)),
})
export const ProvisionFile = Type.Object({ workspaces: Type.Array(WorkspaceEntry) })
export type ProvisionFile = Static<typeof ProvisionFile>
export type WorkspaceEntry = Static<typeof WorkspaceEntry>
export type MemberEntry = Static<typeof Member>
export type KeyEntry = Static<typeof Key>

const longestFileBytes = limits.provisionFileBytes

const ajv = new Ajv({ allowUnionTypes: true })
const checks = { file: ajv.compile(ProvisionFile), members: ajv.compile(Member), keys: ajv.compile(Key) }

/** Reads and checks the file; a SettingError names the file and the offending field. */
export function readProvisionFile(file: string): ProvisionFile {
  const content = parsed(file)
  const failure = faultOf(content)
  if (failure) throw notRight(file, failure)
  return content as ProvisionFile
}

/** What is wrong with a provisioning file's content, first of all; undefined when nothing is. */
export function faultOf(content: unknown): Failure | undefined {
  if (holdsUnstorable(content)) return { path: 'a text', message: 'holds a NUL character or half a surrogate pair' }
  for (const fault of faultsIn(content)) if (fault) return fault
  return undefined
}

/** The same of what came as a body of JSON, whose texts have been looked at: others are served meanwhile. */
export async function faultInPieces(content: unknown): Promise<Failure | undefined> {
  let found: Failure | undefined
  await inPieces(faultsIn(content), (fault) => {
    found ??= fault
  })
  return found
}

/** One step for each member and key; the last one is the first fault. */
function* faultsIn(content: unknown): Generator<Failure | undefined, void> {
  for (const fault of stepsOf(content)) {
    yield fault
    if (fault) return
  }
}

function* stepsOf(content: unknown): Generator<Failure | undefined, void> {
  yield faultBy('file', withoutLists(content), '')
  const file = content as ProvisionFile
  for (const [w, workspace] of file.workspaces.entries())
    for (const list of ['members', 'keys'] as const)
      for (const [at, one] of (workspace[list] ?? []).entries()) yield faultBy(list, one, `workspaces.${w}.${list}.${at}`)
  yield* contradictionsIn(file)
}

/** The file and its workspaces, whose members and keys are looked at one by one. */
function withoutLists(content: unknown): unknown {
  const { workspaces } = (content ?? {}) as { workspaces?: unknown }
  if (!Array.isArray(workspaces)) return content
  const bare = (list: unknown) => (Array.isArray(list) ? [] : list)
  return {
    workspaces: workspaces.map((one) =>
      typeof one !== 'object' || one === null || Array.isArray(one)
        ? one
        : {
            ...one,
            ...('members' in one ? { members: bare(one.members) } : {}),
            ...('keys' in one ? { keys: bare(one.keys) } : {}),
          },
    ),
  }
}

function faultBy(part: keyof typeof checks, value: unknown, at: string): Failure | undefined {
  const check = checks[part]
  if (check(value)) return undefined
  const [error] = check.errors ?? []
  const missing = error?.keyword === 'required' ? `.${error.params.missingProperty}` : ''
  const path = `${at}${error?.instancePath.replaceAll('/', '.') ?? ''}${missing}`.replace(/^\./, '')
  return { path: path || 'the file', message: missing ? 'is required' : wordsOf(error) }
}

export const notRight = (file: string, { path, message }: Failure): SettingError =>
  new SettingError(`The provisioning file ${file} is not right: ${path} ${message}.`)

function parsed(file: string): unknown {
  const text = textOf(file).replace(/^\ufeff/, '')
  try {
    return JSON.parse(text)
  } catch (error) {
    // Its message may quote the text around the fault, which may be a password.
    const position = /\(line \d+ column \d+\)$/.exec(error instanceof Error ? error.message : '')?.[0]
    throw new SettingError(`The provisioning file ${file} cannot be read: it is not JSON${position ? ` ${position}` : ''}.`)
  }
}

/** A file that grows while it is read, or a device without end, is no longer than the limit either. */
function textOf(file: string): string {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const chunks: Buffer[] = []
    for (let size = 0; size <= longestFileBytes; ) {
      const chunk = Buffer.allocUnsafe(64 * 1024)
      const read = readSync(fd, chunk)
      if (read === 0) return Buffer.concat(chunks).toString('utf8')
      size += read
      chunks.push(chunk.subarray(0, read))
    }
  } catch (error) {
    throw new SettingError(
      `The provisioning file ${file} cannot be read: ${reasons[String((error as NodeJS.ErrnoException).code)] ?? error}.`,
    )
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
  throw new SettingError(
    `The provisioning file ${file} is larger than ${longestFileBytes / 1024 / 1024} MiB. Divide it, and apply one part after the other.`,
  )
}

const reasons: Record<string, string> = {
  ENOENT: 'it is not there',
  EACCES: 'it may not be opened',
  EPERM: 'it may not be opened',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it lies below something that is not a folder',
}

/** What a pattern means to people, by the field's name. */
const patternWords: Record<string, string> = {
  slug: 'must be up to 63 lower-case letters, digits and dashes, and begin with no dash',
  email: 'must be an e-mail address',
  name: 'must be one line of text, and not blank',
  display_name: 'must be one line of text, and not blank',
  key: 'must be "ph_live_" and 40 letters or digits behind it',
}

function wordsOf(error: ErrorObject | undefined): string {
  const inWords = error?.keyword === 'pattern' ? patternWords[error.instancePath.split('/').at(-1) ?? ''] : undefined
  if (inWords !== undefined) return inWords
  if (error?.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  return error?.message ?? 'is not right'
}

/** What the fields say together: each name once, and keys of members only. */
function* contradictionsIn({ workspaces }: ProvisionFile): Generator<Failure | undefined, void> {
  const slugs = new Set<string>()
  const keys = new Set<string>()
  for (const [w, workspace] of workspaces.entries()) {
    const at = `workspaces.${w}`
    if (slugs.has(workspace.slug)) yield { path: `${at}.slug`, message: `is "${workspace.slug}", which is in the file twice` }
    slugs.add(workspace.slug)
    const emails = new Set<string>()
    for (const [m, { email }] of (workspace.members ?? []).entries()) {
      const path = `${at}.members.${m}.email`
      yield emails.has(email.toLowerCase()) ? { path, message: `is ${email}, which is in the file twice` } : undefined
      emails.add(email.toLowerCase())
    }
    for (const [k, { member, key }] of (workspace.keys ?? []).entries()) {
      const path = `${at}.keys.${k}`
      if (!emails.has(member.toLowerCase())) yield { path: `${path}.member`, message: 'is not a member of that workspace' }
      yield keys.has(key) ? { path: `${path}.key`, message: 'is in the file twice' } : undefined
      keys.add(key)
    }
  }
}

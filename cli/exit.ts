/** Here an error becomes words, a JSON object and an exit code. */
import { ClientError, clientErrors } from '../client/client-error.ts'
import { readVersion } from '../client/version.ts'
import { ApiError, errors, exits } from '../contract/errors.ts'
import { apiMajor } from '../contract/version.ts'
import { FormatError } from '../formats/format-error.ts'
import { printable, printableJson } from '../system/printable.ts'
import { shellWord } from '../system/shell-word.ts'
import type { Surroundings } from './context.ts'
import { commandsIn } from './next-commands.ts'
import { Refusal } from './refusal.ts'
import { duration } from './terminal/amounts.ts'
import { hasColor, painter, shown, wrapWidth } from './terminal/output.ts'
import { wrap, wrapAfter } from './terminal/wrap.ts'

/** An error as `ph` tells it; with `--json` as an ErrorDocument. */
export interface Failure {
  code: string
  message: string
  details: Record<string, unknown>
  /** What to do, as a sentence. */
  next: string
  exit: number
}

/** What programs get of an error. */
export interface ErrorDocument {
  code: string
  message: string
  details: Record<string, unknown>
  /** Commands that help, as they are typed in a shell. */
  next: string[]
  /** What to do, as a sentence; the commands come from it. */
  hint: string
}

export const errorDocument = ({ code, message, details, next: hint }: Omit<Failure, 'exit'>): ErrorDocument => ({
  code,
  message,
  details,
  next: commandsIn(hint),
  hint,
})

/** Why the signal of a run was aborted. `pipe`: who read stdout has gone, or it takes no more (main.ts tells that). */
export type Ending = 'interrupted' | 'pipe'

/** What the system says about a file, in words: the sentence takes the path, then what to do. */
const fileFaults: Record<string, readonly [sentence: (path: string) => string, next: string]> = {
  ENOENT: [(path) => `There is no ${path}.`, 'Check the spelling; paths are taken from the folder you are in.'],
  ENOTDIR: [(path) => `${path} lies below something that is not a folder.`, 'Check the path.'],
  EISDIR: [(path) => `${path} is a folder.`, 'Name a file.'],
  EACCES: [(path) => `${path} may not be opened.`, 'Ask for the right to it, or run ph as its owner.'],
  EPERM: [(path) => `${path} may not be changed.`, 'Ask for the right to it, or run ph as its owner.'],
  EROFS: [(path) => `${path} lies on a read-only disk.`, 'Choose another folder.'],
  ENOSPC: [(path) => `The disk of ${path} is full.`, 'Free some space and run the same command again.'],
  EDQUOT: [(path) => `Your quota on the disk of ${path} is used up.`, 'Free some space and run the same command again.'],
  EMFILE: [
    (path) => `Too many files are open, so ${path} could not be.`,
    'Raise the limit (ulimit -n) and run the same command again.',
  ],
  EBUSY: [(path) => `${path} is in use by another program.`, 'Close that program and run the same command again.'],
  ELOOP: [(path) => `${path} is a symbolic link that leads to itself.`, 'Fix or remove the link.'],
  ENAMETOOLONG: [(path) => `The name ${path} is too long for this disk.`, 'Choose a shorter name.'],
}

/** What a thrown value means to the person or program that ran the command. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { code, message, details, next, exit } = error
    return { code, message, details, next, exit }
  }
  if (error instanceof ClientError) {
    const { code, message, details, next } = error
    return { code, message, details, next, exit: clientErrors[code][0] }
  }
  if (error instanceof ApiError) return fromService(error)
  if (error instanceof FormatError) return fromFormat(error)
  return fromSystem(error) ?? unexpected(error)
}

function fromSystem(error: unknown): Failure | undefined {
  const { code, path = 'that file' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const known = code === undefined ? undefined : fileFaults[code]
  return code && known ? { code, message: known[0](path), details: {}, next: known[1], exit: exits.failed } : undefined
}

const unexpected = (error: unknown): Failure => ({
  code: 'UNEXPECTED',
  message: error instanceof Error ? error.message : String(error),
  details: {},
  next: 'Run it again with PH_DEBUG=1 to see where it comes from, and report that.',
  exit: exits.failed,
})

/** What lies behind a refusal is not the key or the request: the state of the account or of the server says what helps. */
const reasonNext: Record<string, string> = {
  read_only: 'The workspace takes no changes at present; ask its owner.',
  ingest_blocked: 'The workspace is out of storage; ask its owner for more, or delete what is not needed.',
  policy_unavailable: 'The library is starting; try again in a few seconds.',
  disk_full:
    'Ask the administrator of the server to make room there, then run the same command again; a push goes on where it stopped.',
  disk_failed:
    'Ask the administrator of the server to fix that, then run the same command again; a push goes on where it stopped.',
  database_away: 'The server opens its database again when it can; try again in a minute, or ask its administrator.',
}

function fromService(error: ApiError): Failure {
  const { code, details, status } = error
  const [, exit, , next] = errors[code]
  const reason = typeof details.reason === 'string' ? reasonNext[details.reason] : undefined
  return { code, message: error.message, details, next: reason ?? nextOf(error) ?? statusNext[status] ?? next, exit }
}

/** The front door's own refusals share codes with others (spec 7). */
const statusNext: Record<number, string> = {
  402: 'The workspace is suspended until its bill is settled; ask its owner.',
}

/** What helps depends on what the answer says. */
function nextOf({ code, details, status, message }: ApiError): string | undefined {
  if (code === 'FORBIDDEN' && status === 403 && details.front_door === true) return afterFrontDoor(message)
  if (code === 'UPGRADE_REQUIRED') return whoUpdates(details.server_major)
  if (code === 'CONFLICT' && details.existing_id !== undefined) return 'Choose another name, or use the one that is there.'
  if (code === 'CONFLICT' && Array.isArray(details.pulled_entry_ids)) return deprecating(details.pulled_entry_ids)
  const { retry_after_seconds: seconds } = details
  if (code !== 'RATE_LIMITED' || typeof seconds !== 'number') return undefined
  return `That is longer than ph waits by itself. Try again in ${duration(seconds * 1000)}.`
}

/** A key that only reads, or one of another workspace, whose address the server names (spec 7). */
function afterFrontDoor(message: string): string {
  const [, place] = (message.includes('another workspace ') && / Use (\/w\/[\w-]+)\.$/.exec(message)) || []
  return place === undefined
    ? 'Sign in for a key that may do it: `ph login --scope write`.'
    : `Put ${place} behind the address of the server, in PH_URL or --url, or sign in to the other workspace.`
}

const mostInCommand = 8

/** What was pulled stays for those who have it; deprecated, it leaves lists and searches. */
function deprecating(ids: readonly unknown[]): string {
  const entries = ids.length <= mostInCommand ? ids.map((id) => shellWord(printable(String(id)))).join(' ') : '<entries>'
  return `Take it out of lists and searches instead: \`ph deprecate ${entries}\``
}

function whoUpdates(serverMajor: unknown): string | undefined {
  if (typeof serverMajor !== 'number') return undefined
  if (serverMajor > apiMajor)
    return `Update ph on this machine to a version that speaks API ${serverMajor}; this one, ${readVersion()}, speaks ${apiMajor}.`
  if (serverMajor < apiMajor)
    return `Ask the administrator of the server to update it: it speaks API ${serverMajor}, and ph ${readVersion()} speaks ${apiMajor}.`
  return 'Both speak the same version: look for a proxy in between that alters headers or paths.'
}

const fromFormat = (error: FormatError): Failure => ({
  code: `FILE_${error.reason.toUpperCase().replaceAll('-', '_')}`,
  message: error.message,
  details: {},
  next:
    error.reason === 'git-lfs-pointer'
      ? 'Run `git lfs pull`, then try again.'
      : 'Open and save the file in its program, then try again.',
  exit: exits.failed,
})

const MOST_FAILURES = 8

/** The failures that a validation error names, as lines. */
function failuresOf(details: Record<string, unknown>, width: number): string[] {
  const failures = Array.isArray(details.errors) ? details.errors : []
  if (failures.length < 2) return []
  const lines = failures
    .slice(0, MOST_FAILURES)
    .flatMap((failure) => wrapAfter('       - ', printable(`${failure?.path ?? ''}: ${failure?.message ?? ''}`), width))
  return failures.length > MOST_FAILURES ? [...lines, `       and ${failures.length - MOST_FAILURES} more`] : lines
}

/** Tells a failure on stderr: `{error}` as one JSON line with `--json`, else a sentence and what to do next. */
export function tellFailure(failure: Failure, { stderr, env }: Surroundings, json: boolean): void {
  const { code, message, details, next } = failure
  if (json) {
    stderr.write(`${printableJson(JSON.stringify({ error: errorDocument(failure) }))}\n`)
    return
  }
  const width = wrapWidth(stderr, env)
  if (code === 'DECLINED') return void stderr.write(shown(`${wrap(message, width).join('\n')}\n`))
  const paint = painter(hasColor(stderr, env))
  // Servers have a say in these, and must not drive the terminal.
  const lines = [
    ...wrapAfter(`${paint(['red', 'bold'], 'error:')} `, printable(message), width),
    ...failuresOf(details, width),
    ...wrapAfter(`${paint('bold', ' next:')} `, printable(next), width),
  ]
  stderr.write(shown(`${lines.join('\n')}\n`))
}

/** What can go wrong on this side of the wire: one table of codes, like contract/errors.ts for the service. */
import { exits } from '../contract/errors.ts'
import { isFullCode } from '../system/disk-codes.ts'

/** Exit code of `ph`, and what to do next when the thrower knows nothing better. */
type ClientErrorRow = readonly [exit: number, next: string]

export const clientErrors = {
  USAGE: [exits.usage, 'See `ph help <command>`.'],
  WRONG_ADDRESS: [exits.usage, 'Give the address as it is in the browser, for example https://props.example.com/w/acme.'],
  NO_SERVER: [exits.signIn, 'Sign in with `ph login --url <address>`, or set PH_URL and PH_API_KEY.'],
  NO_KEY: [exits.signIn, 'Sign in with `ph login`, or set PH_API_KEY.'],
  NOT_A_KEY: [exits.signIn, 'Set PH_API_KEY to the key alone, as it was shown when it was made.'],
  NO_PROFILE: [
    exits.usage,
    'See the profiles with `ph whoami --all`, or sign in with `ph login --profile <name> --url <address>`.',
  ],
  SIGN_IN_LOST: [exits.signIn, 'Sign in again with `ph login`.'],
  OTHER_ADDRESS: [exits.failed, 'Sign in at the address that the key is for, if it is yours.'],
  KEYCHAIN_REFUSED: [exits.failed, 'Unlock the keychain, or keep the key in a file with `ph login --insecure-storage`.'],
  KEY_FILE_OPEN: [exits.failed, 'Let only yourself read it (`chmod 600`), then run the command again.'],
  SETTINGS_DAMAGED: [exits.failed, 'Fix or remove the file, then sign in again with `ph login`.'],
  SETTINGS_UNUSABLE: [
    exits.failed,
    'Free space or fix the permissions of that folder, or choose another one with PH_CONFIG_DIR, then run the command again.',
  ],
  STATE_UNUSABLE: [exits.failed, 'Free space or fix the permissions of that folder, or choose another one with PH_STATE_DIR.'],
  CACHE_UNUSABLE: [exits.failed, 'Free space or fix the permissions of that folder, or choose another one with PH_CACHE_DIR.'],
  NO_MIRROR: [exits.failed, 'Load one with `ph mirror update` while the server is reached.'],
  MIRROR_BUSY: [exits.temporary, 'Wait until it is done; `ph mirror status` says how far it is.'],
  MIRROR_DAMAGED: [exits.failed, 'Load it anew with `ph mirror rebuild`.'],
  MIRROR_UNUSABLE: [exits.failed, 'Free space or fix the permissions of that folder, or choose another one with PH_STATE_DIR.'],
  NOT_OFFLINE: [exits.temporary, 'Try again when the server is reached (without --offline, where you gave it).'],
  UNREACHABLE: [exits.temporary, 'Check the address and whether the server runs, then try again.'],
  NOT_A_LIBRARY: [exits.failed, 'Check the address: it should be the one shown when the server started, or your workspace page.'],
  PROXY_ANSWERED: [
    exits.failed,
    'Ask who runs the network to let ph reach the library, or use an address of it that does not lead through that proxy.',
  ],
  ANSWER_CUT: [exits.temporary, 'Try again; if it happens again, look for a proxy in between that ends long answers.'],
  ANSWER_TOO_LARGE: [exits.failed, 'Ask for less at once.'],
  ENTRY_NOT_FOUND: [exits.failed, 'Look it up with `ph search`.'],
  ENTRY_AMBIGUOUS: [exits.failed, 'Name one of them by its id.'],
  PATH_NOT_FOUND: [exits.usage, 'Check the path.'],
  NOTHING_TO_PUSH: [exits.failed, 'Name a folder or files that hold props.'],
  PARTS_GONE: [exits.conflict, 'See which levels with --dry-run; if they are meant to go, push with --yes.'],
  RULES_TOO_LARGE: [exits.failed, 'Shorten the list: one line may leave out a whole folder.'],
  TOO_MUCH: [exits.usage, 'Name the folder of one project, or its Content folder.'],
  NOTHING_TO_CHECK_OUT: [
    exits.failed,
    'Name files that were pushed, folders that hold some, or props as `ph search` shows them.',
  ],
  NOT_IN_LIBRARY: [exits.failed, 'Push it first.'],
  NOTHING_TO_COMPARE: [exits.failed, 'See its versions with `ph history`.'],
  NOT_CHECKED_OUT: [exits.failed, 'See what is checked out with `ph locks`.'],
  NOT_A_PICTURE: [exits.usage, 'Save it as PNG and give that file.'],
  TOO_MANY_PICTURES: [exits.usage, 'Give fewer.'],
  NO_OPEN_REVIEW: [exits.failed, 'See the reviews with `ph review list`.'],
  REVIEW_AMBIGUOUS: [exits.failed, 'Name one of them.'],
  SEVERAL_PROJECTS: [exits.usage, 'Push each project by itself.'],
  NO_PROJECT: [exits.usage, 'Name it with --project and, where it lies elsewhere, its folder with --into.'],
  CLAIM_LOST: [exits.conflict, 'Look at the job, then pull again.'],
  FILE_UNREADABLE: [exits.failed, 'Check the permissions of the file, then push again.'],
  FILE_CHANGED: [exits.temporary, 'Wait until it is saved completely, then push again.'],
  UPLOAD_REFUSED: [exits.failed, 'Check that no proxy alters requests between here and the storage.'],
  NOT_PLACED: [exits.failed, 'Download it alone, under a name of your own: `ph download <entry> -o <file>`.'],
  FILE_DIFFERS: [exits.conflict, 'Move it away, choose another place with -o, or replace it with --force.'],
  NO_CLIENT_THERE: [exits.failed, 'Ask the administrator of the server to update it.'],
  NPM_MISSING: [
    exits.failed,
    'Install Node.js from https://nodejs.org, which brings npm, open a new terminal, then run `ph update` again.',
  ],
  NO_AGENT: [exits.temporary, 'Start it with `ph agent start`.'],
  AGENT_RUNS: [exits.conflict, 'See what it does with `ph agent status`.'],
  PROJECT_LINKED: [exits.conflict, 'Unlink it first: `ph agent unlink <folder>`.'],
  OTHER_WORKSPACE: [exits.conflict, 'See for which one it works with `ph agent status`.'],
  AGENT_REPLACED: [exits.failed, 'Start the new one: `ph agent restart`.'],
  AGENT_NOT_STARTED: [exits.failed, 'Fix that, then start it again. `ph agent run` shows what it does.'],
  PLUGIN_CHANGED: [exits.conflict, 'Look at it. --force replaces it all the same, and keeps a copy.'],
  PLUGIN_NEWER: [exits.conflict, 'Update ph with `ph update`. --force puts the older one there, and keeps a copy.'],
  PLUGIN_HELD: [exits.failed, 'Close the editor, check that you may write there, then run the command again.'],
  NPM_FAILED: [exits.failed, 'See what npm says, then run `ph update` again.'],
  WRONG_BYTES: [exits.temporary, 'Try again; tell the administrator of the server if it happens twice.'],
} as const satisfies Record<string, ClientErrorRow>

export type ClientErrorCode = keyof typeof clientErrors

/** A failure that no server reported. Compare `code`; `message` names the thing, `next` says what to do. */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  readonly details: Record<string, unknown>
  readonly next: string
  readonly exit: number

  constructor(code: ClientErrorCode, message: string, more: { next?: string; cause?: unknown; details?: object } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'ClientError'
    this.code = code
    this.details = { ...more.details }
    this.next = more.next ?? clientErrors[code][1]
    this.exit = clientErrors[code][0]
  }
}

/** Says which file a system error is about, where the system does not: it knows only names of files that are being opened. */
export function aboutFile(error: unknown, path: string): unknown {
  if (error instanceof Error && systemCode(error) !== undefined && !('path' in error)) Object.assign(error, { path })
  return error
}

/** The code of a system error (`ENOENT`), or of an error of undici (`UND_ERR_SOCKET`); undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : systemCode(error.cause)
}

export const isDiskFull = (error: unknown): error is NodeJS.ErrnoException => isFullCode(systemCode(error))

/** No answer came, or not all of one: the server may be away, and a change may have arrived all the same. */
export const isUnanswered = (error: unknown): error is ClientError =>
  error instanceof ClientError && (error.code === 'UNREACHABLE' || error.code === 'ANSWER_CUT')

/** Every error code of the service: HTTP status, exit code of `ph`, what it means and what to do next (spec 7). */

/** Exit codes of `ph` (design.md 6). */
export const exits = { done: 0, failed: 1, usage: 2, temporary: 3, signIn: 4, conflict: 5, partly: 6, interrupted: 130 } as const

/** HTTP status, exit code of `ph`, what it means, what to do next. */
type ErrorRow = readonly [status: number, exit: number, sentence: string, next: string]
const { failed, usage, temporary, signIn, conflict } = exits

export const errors = {
  UNAUTHORIZED: [401, signIn, 'The key is missing, unknown or no longer valid.', 'Sign in again with `ph login`.'],
  FORBIDDEN: [
    403,
    failed,
    'This key may not do that.',
    'Ask an admin of the workspace. A key that only reads needs write scope.',
  ],
  RATE_LIMITED: [429, temporary, 'Too many attempts.', 'Wait as long as the answer says, then try again.'],
  SETUP_ALREADY_DONE: [409, conflict, 'This server is set up already.', 'Sign in instead.'],
  DEVICE_PENDING: [400, temporary, 'The sign-in is not approved yet.', 'Approve it in the browser.'],
  DEVICE_SLOW_DOWN: [429, temporary, 'The sign-in was asked about too often.', 'Wait for the interval in the answer.'],
  DEVICE_EXPIRED: [400, signIn, 'The sign-in code has expired.', 'Start again with `ph login`.'],
  DEVICE_DENIED: [400, signIn, 'The sign-in was denied.', 'Start again with `ph login` if that was a mistake.'],
  INVALID_REQUEST: [400, usage, 'The device code is missing from the request.', 'Send `device_code`.'],
  NOT_FOUND: [404, failed, 'There is nothing at this address.', 'Check the id or the path.'],
  ENTRY_NOT_FOUND: [404, failed, 'There is no such entry in this workspace.', 'Look it up with `ph search`.'],
  OBJECT_NOT_FOUND: [404, failed, 'There is no such version in this workspace.', 'See the versions with `ph history`.'],
  LINEAGE_NOT_FOUND: [404, failed, 'There is no such lineage in this workspace.', 'See the entry with `ph show`.'],
  PACK_NOT_FOUND: [404, failed, 'There is no such pack in this workspace.', 'List the packs with `ph pack list`.'],
  TAG_NOT_FOUND: [404, failed, 'There is no such tag in this workspace.', 'List the tags with `ph tag list`.'],
  COMMENT_NOT_FOUND: [404, failed, 'There is no such comment in this workspace.', 'Check the id.'],
  ANNOTATION_NOT_FOUND: [404, failed, 'There is no such annotation in this workspace.', 'Check the id.'],
  COLLECTION_NOT_FOUND: [404, failed, 'There is no such collection in this workspace.', 'List them with `ph collection list`.'],
  JOB_NOT_FOUND: [404, failed, 'There is no such pull job in this workspace.', 'Check the id.'],
  INGEST_NOT_FOUND: [404, failed, 'There is no such ingestion.', 'Check the id.'],
  USER_NOT_FOUND: [404, failed, 'There is no such person in this workspace.', 'List the members with `ph api GET /members`.'],
  TOKEN_NOT_FOUND: [404, failed, 'There is no such key.', 'Check the id.'],
  WEBHOOK_NOT_FOUND: [404, failed, 'There is no such webhook.', 'Check the id.'],
  REVIEW_REQUEST_NOT_FOUND: [404, failed, 'There is no such review request.', 'List them with `ph review list --status all`.'],
  VALIDATION: [422, usage, 'The request breaks a rule.', 'Correct what is named and send it again.'],
  CONFLICT: [409, conflict, 'This contradicts the present state.', 'See what is there now, then decide again.'],
  LOCKED: [
    409,
    conflict,
    'Someone else has this checked out.',
    'Ask the holder named in the details to release it, or an owner or admin where they have left.',
  ],
  DENYLISTED: [403, failed, 'This file is on the denylist of the workspace.', 'Ask an admin why it was denied.'],
  HASH_MISMATCH: [
    409,
    conflict,
    'The bytes do not have the hash they were announced with.',
    'Read the file again and send it once more.',
  ],
  BLOB_MISSING: [409, conflict, 'The bytes are not in the library.', 'Upload them first; pushing again does that.'],
  LINEAGE_CONFLICT: [409, conflict, 'That version belongs to another prop.', 'Choose a version of this lineage.'],
  STALE_FACE: [409, conflict, 'Someone made another version current meanwhile.', 'Look at the newer version, then push again.'],
  ENGINE_TOO_OLD: [
    409,
    conflict,
    'A file was saved by a newer engine than this project uses.',
    'Open the project with a newer engine.',
  ],
  JOB_STATE: [409, conflict, 'The pull job is not in a state that allows this.', 'See what became of it with `ph jobs show`.'],
  DRY_RUN_REQUIRED: [409, conflict, 'This sweep needs a dry run first.', 'Run it with `dry_run: true`, look, then repeat it.'],
  UPGRADE_REQUIRED: [426, failed, 'This server speaks another major version of the API.', 'Update the side that is older.'],
  UNAVAILABLE: [503, temporary, 'The service is not able to do this at the moment.', 'Try again a little later.'],
  INTERNAL: [500, failed, 'Something went wrong inside the server.', 'Give the request id to the administrator of the server.'],
  EMBEDDINGS_UNAVAILABLE: [503, temporary, 'Search by look is not available at the moment.', 'Search by word instead.'],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errors

/**
 * The one error that crosses edges: thrown by handlers, sent as `{error: {code, message, details}}`, rebuilt by the client.
 * Compare `code`, never `message`. `status` is the HTTP status; a detail named `httpStatus` sets it where the
 * specification gives a code two of them, and is no detail itself.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  readonly status: number

  constructor(code: ErrorCode, message?: string, details: Record<string, unknown> & { httpStatus?: number } = {}) {
    const { httpStatus, ...rest } = details
    super(message ?? errors[code][2])
    this.name = 'ApiError'
    this.code = code
    this.details = rest
    this.status = httpStatus ?? errors[code][0]
  }
}

/** A failing field: `path` as in the request (`items.3.origin_path`), `message` in plain words, and what else a program may want. */
export interface Failure {
  path: string
  message: string
  [more: string]: unknown
}

/** How many failures one answer names. A manifest can hold hundreds of thousands; who fixes these is told of the next ones. */
export const mostFailures = 1000

/** A 422 that names each failing field, up to `mostFailures` of them. */
export function validationError(failures: readonly Failure[]): ApiError {
  const [first] = failures
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : ''
  return new ApiError('VALIDATION', first ? `${first.path}: ${first.message}${more}` : undefined, {
    errors: failures.slice(0, mostFailures),
  })
}

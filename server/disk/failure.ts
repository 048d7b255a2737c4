/** What the disk says when it cannot take bytes, as an error that names the disk and the next step. */
import { ApiError } from '../../contract/errors.ts'
import { NoLocks } from '../../system/process-folder.ts'

const full: Record<string, string> = {
  ENOSPC: 'is full',
  EDQUOT: 'has reached its quota',
  EFBIG: 'takes no file of this size',
  SQLITE_FULL: 'is full',
}
const broken: Record<string, string> = {
  EROFS: 'is read-only',
  EACCES: 'may not be written to by the server',
  EPERM: 'may not be written to by the server',
  EIO: 'reports an input/output error',
  SQLITE_READONLY: 'is read-only',
  SQLITE_CANTOPEN: 'may not be written to by the server',
  SQLITE_IOERR: 'reports an input/output error',
  EMFILE: 'cannot be used: the server has too many files open',
  ENFILE: 'cannot be used: the machine has too many files open',
}

/** Runs `work` on a folder, whose failures are explained. */
export function explained<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainDisk(error, folder)
  }
}

/** Gives other errors back as they are. `reason` tells clients `disk_full` from `disk_failed`. */
export function explainDisk(error: unknown, folder: string): unknown {
  if (error instanceof NoLocks) return new ApiError('UNAVAILABLE', error.message, { reason: 'disk_failed' })
  // SQLite has codes such as SQLITE_IOERR_WRITE within SQLITE_IOERR.
  const code = String((error as NodeJS.ErrnoException | undefined)?.code).replace(/^(SQLITE_[A-Z]+)_.*$/, '$1')
  const saying = full[code] ?? broken[code]
  if (!saying) return error
  const way = full[code] ? 'Free some space there' : 'Fix that'
  return new ApiError('UNAVAILABLE', `The disk of the server that holds ${folder} ${saying} (${code}). ${way}, then try again.`, {
    reason: full[code] ? 'disk_full' : 'disk_failed',
  })
}

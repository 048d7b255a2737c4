/** One process writes a mirror; the system ends its lock when it dies. Who reads needs none. */
import type { Lock } from '../../system/lock.ts'
import { ClientError } from '../client-error.ts'
import { takeFreeLock, waitForLock } from '../memory/process-lock.ts'
import type { Mirror } from './mirror.ts'

/** Waits for the process that keeps it now to end. */
export async function waitToWrite({ files }: Mirror, signal: AbortSignal): Promise<Lock> {
  files.make()
  return waitForLock(files.lock, { onWait: () => undefined, signal })
}

/** Throws ClientError `MIRROR_BUSY` where another process keeps it. */
export function takeToWrite({ files }: Mirror): Lock {
  files.make()
  const lock = takeFreeLock(files.lock)
  if (!lock) throw new ClientError('MIRROR_BUSY', 'Another program keeps the mirror up to date.')
  return lock
}

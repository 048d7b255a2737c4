/** Locks among the processes of `ph` on one machine, which the system releases when their holder dies. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Lock, tryLock } from '../../system/lock.ts'
import { ClientError } from '../client-error.ts'

export interface LockOptions {
  /** Told once, when someone else has it. */
  onWait: () => void
  signal?: AbortSignal
}

const pollMs = 200

/** Waits for the lock. Throws ClientError `STATE_UNUSABLE` and what the signal says. */
export async function waitForLock(path: string, { onWait, signal }: LockOptions): Promise<Lock> {
  for (let isFirst = true; ; isFirst = false) {
    const lock = takeFreeLock(path)
    if (lock) return lock
    if (isFirst) onWait()
    await sleep(pollMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}

/** Takes the lock if nobody has it. Throws ClientError `STATE_UNUSABLE`. */
export function takeFreeLock(path: string): Lock | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return tryLock(path)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause
    throw new ClientError('STATE_UNUSABLE', `The lock ${path} cannot be taken: ${why}.`, { cause })
  }
}

/** Changing a file of settings: one process after the other, so that none loses what another one set. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryLock } from '../../system/lock.ts'
import { ClientError } from '../client-error.ts'
import { writeSettings } from '../sign-in/settings-file.ts'
import { type Kept, readKept } from './kept.ts'

/** Another process has written long before. */
const patienceMs = 10_000

/** Gives what was there. Throws ClientError `SETTINGS_DAMAGED`, `SETTINGS_UNUSABLE`; then nothing has changed. */
export async function changeKept(path: string, change: (kept: Kept) => Kept): Promise<Kept> {
  const lock = takeLock(path)
  try {
    const before = readKept(path)
    await writeSettings(path, change({ ...before }))
    return before
  } finally {
    lock.release()
  }
}

function takeLock(path: string): { release(): void } {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const lock = tryLock(`${path}.lock`, patienceMs)
    if (lock) return lock
  } catch (cause) {
    throw new ClientError('SETTINGS_UNUSABLE', `${path} cannot be written: ${(cause as Error).message}.`, { cause })
  }
  throw new ClientError('SETTINGS_UNUSABLE', `${path} cannot be written: another ph holds it.`, {
    next: 'Wait until the other ph is done, then run the command again.',
  })
}

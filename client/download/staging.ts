/** The folder in which a download gathers its files, in the folder that they go to; those that killed downloads left are removed. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Lock } from '../../system/lock.ts'
import { ClientError } from '../client-error.ts'
import { takeFreeLock } from '../memory/process-lock.ts'

const namePattern = /^\.ph-download-[0-9a-f-]{36}$/
/** In each of them: held by the download that it belongs to, so that others see whether that one still runs. */
const lockName = 'lock'
/** Where locks tell nothing, as on some network disks. */
const abandonedMs = 24 * 3_600_000

export class DownloadStaging {
  /** Absolute. Below it files lie by their hashes. */
  readonly folder: string
  readonly #lock: ReturnType<typeof tryLock>

  /** `to`: where the files go. The folder is made. */
  constructor(to: string) {
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(to)) if (namePattern.test(name)) removeAbandoned(join(to, name))
    this.folder = join(to, `.ph-download-${randomUUID()}`)
    this.#lock = tryLock(join(this.folder, lockName))
  }

  /** Names of the files in it. */
  names(): Set<string> {
    return new Set(existsSync(this.folder) ? readdirSync(this.folder) : [])
  }

  remove(): void {
    if (typeof this.#lock === 'object') this.#lock.release()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function removeAbandoned(folder: string): void {
  const owner = ownerOf(folder)
  const stats = statSync(folder, { throwIfNoEntry: false })
  const isOld = stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs
  if (owner === 'dead' || (owner === 'unknown' && isOld)) rmSync(folder, { recursive: true, force: true })
}

/** One without a lock is about to get it, or lies on a disk without locks. */
function ownerOf(folder: string): 'dead' | 'alive' | 'unknown' {
  const path = join(folder, lockName)
  if (!existsSync(path)) return 'unknown'
  const taken = tryLock(path)
  if (typeof taken === 'string') return taken
  taken.release()
  return 'dead'
}

/** `alive`: someone has it. `unknown`: the disk knows no locks. */
function tryLock(path: string): Lock | 'alive' | 'unknown' {
  try {
    return takeFreeLock(path) ?? 'alive'
  } catch (error) {
    if (error instanceof ClientError) return 'unknown'
    throw error
  }
}

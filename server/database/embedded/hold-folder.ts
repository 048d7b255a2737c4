/** One process has the folder of the embedded database to itself: two on one PGlite corrupt it. */
import { mkdirSync } from 'node:fs'
import { type DiskKind, diskKindOf } from '../../../system/disk-kind.ts'
import { tryLockFolder } from '../../../system/lock.ts'
import { SettingError } from '../../config.ts'
import { explained } from '../../disk/failure.ts'
import { FolderOwned, OwnerNote } from './owner-note.ts'

export interface HeldFolder {
  /** Resolves when the folder is lost, with the reason. Never where a lock holds it. */
  lost: Promise<string>
  release(): Promise<void>
}

export class FolderInUse extends Error {
  /** `who`: the other process, where it is known. */
  constructor(dir: string, who?: string) {
    super(
      `Another server is using ${dir}${who ? ` (${who})` : ''}. Stop it first, or start this one with another folder (--data DIR, PH_DATA) or with PH_DATABASE_URL.`,
    )
  }
}

/** On a disk of this machine a lock is enough; elsewhere a note is kept too, because locks may not hold between machines. */
export async function holdFolder(dir: string, networkDisk: boolean): Promise<HeldFolder> {
  const kind = diskKindOf(dir)
  if (kind.reach === 'network' && !networkDisk) throw new SettingError(networkRefusal(dir, kind))
  mkdirSync(dir, { recursive: true })
  const lock = explained(dir, () => tryLockFolder(dir))
  if (!lock) throw new FolderInUse(dir)
  if (kind.reach === 'local' || kind.reach === 'plain')
    return { lost: new Promise(() => {}), release: async () => lock.release() }
  try {
    const { promise: lost, resolve } = Promise.withResolvers<string>()
    const note = await OwnerNote.take(dir, { lost: resolve })
    return { lost, release: () => note.release().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw error instanceof FolderOwned ? new FolderInUse(dir, error.message) : error
  }
}

export const networkRefusal = (dir: string, { name }: DiskKind): string =>
  `The embedded database in ${dir} would lie on ${name}, which other machines may use too: locks may not hold there, and two servers would destroy it. Choose a folder on a disk of this machine (--data DIR, PH_DATA), or keep the database in PostgreSQL (PH_DATABASE_URL). Where no other machine starts a server on this folder, PH_NETWORK_DISK=allow starts this one.`

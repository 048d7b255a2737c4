/** Files of a project whose props someone has checked out. */
import type { Lock } from '../../contract/locks.ts'
import { activeLocks } from '../entries/active-locks.ts'
import type { Api } from '../http/api.ts'
import type { FileLock } from './report.ts'

/** What is checked out in the library, and who asks. */
export interface LibraryLocks {
  locks: Lock[]
  /** Undefined where nothing is checked out: then nobody has to be known. */
  me: number | undefined
}

export async function readLocks(api: Api): Promise<LibraryLocks> {
  const { locks, you } = await activeLocks(api)
  return { locks, me: locks.length > 0 ? (you ?? (await api.members.me())).id : undefined }
}

/** By file, in their order. */
export function locksOfFiles(
  files: Iterable<readonly [file: string, lineageId: string | null]>,
  { locks, me }: LibraryLocks,
): FileLock[] {
  if (locks.length === 0) return []
  const byLineage = new Map(locks.map((lock) => [lock.lineage_id, lock]))
  const found = [...files].flatMap(([file, lineageId]): FileLock[] => {
    const lock = lineageId === null ? undefined : byLineage.get(lineageId)
    return lock ? [{ file, lock, mine: lock.holder.id === me }] : []
  })
  return found.sort((a, b) => (a.file < b.file ? -1 : 1))
}

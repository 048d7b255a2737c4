/** Files of the packages that a mesh needs, in the server's own storage: its colours lie in them. */
import { isMeshType } from '../../previews/previewed-types.ts'
import { mostPackages, type PackageFiles, packageKey } from '../../previews/threads/media-order.ts'
import type { Sql } from '../database/sql.ts'
import { readClosure } from '../rows/closure.ts'
import { blobKey } from '../storage/storage.ts'
import type { Attempt } from './preview-attempts.ts'

interface Needed {
  workspaceId: number
  attempt: Attempt
  /** The file behind a key, where something is kept. */
  localPath: (key: string) => string | undefined
}

/** Nearest first, as many as a preview may take. None for what is no mesh. Throws ENTRY_NOT_FOUND and OBJECT_NOT_FOUND. */
export async function filesOfNeeded(sql: Sql, { workspaceId, attempt, localPath }: Needed): Promise<PackageFiles> {
  const files = new Map<string, string>()
  if (!isMeshType(attempt.entry_type)) return files
  const { members } = await readClosure(sql, workspaceId, { entryId: attempt.entry_id, objectId: attempt.object_id })
  for (const member of members.slice(1, 1 + mostPackages.count)) {
    const key = packageKey(member)
    const path = localPath(blobKey(workspaceId, member.content_hash))
    if (key !== undefined && path !== undefined) files.set(key, path)
  }
  return files
}

/** Files that a mesh needs, in the server's own storage: its colours lie in other packages, and parts of a source file beside it. */
import { ApiError } from '../../contract/errors.ts'
import { isMeshType } from '../../previews/previewed-types.ts'
import { mostNeeded, type NeededFiles, neededName } from '../../previews/threads/media-order.ts'
import type { Sql } from '../database/sql.ts'
import { readClosure } from '../dependencies/closure.ts'
import { blobKey, type Lent, type Storage } from '../storage/storage.ts'
import type { Attempt } from './preview-attempts.ts'

/** What a preview reads, until it is made. */
export class BorrowedFiles {
  readonly #storage: Pick<Storage, 'lend'>
  readonly #lent: Lent[] = []

  constructor(storage: Pick<Storage, 'lend'>) {
    this.#storage = storage
  }

  /** Undefined where nothing is kept, or more. */
  async pathOf(key: string, mostBytes: number): Promise<string | undefined> {
    const lent = await this.#storage.lend(key, mostBytes)
    if (lent) this.#lent.push(lent)
    return lent?.path
  }

  giveBack(): void {
    for (const { release } of this.#lent.splice(0)) release()
  }
}

interface Needed {
  workspaceId: number
  attempt: Attempt
  borrowed: BorrowedFiles
}

/** Nearest first, as many as a preview may take. None for what is no mesh, or needs more than a closure holds. Else throws what `readClosure` does. */
export async function filesOfNeeded(sql: Sql, { workspaceId, attempt, borrowed }: Needed): Promise<NeededFiles> {
  const files = new Map<string, string>()
  if (!isMeshType(attempt.entry_type)) return files
  const closure = { entryId: attempt.entry_id, objectId: attempt.object_id }
  const [mesh, ...others] = await readClosure(sql, workspaceId, closure).then(({ members }) => members, noneIfTooMany)
  for (const member of others.slice(0, mostNeeded.count)) {
    const name = neededName(member, mesh)
    if (name === undefined) continue
    const path = await borrowed.pathOf(blobKey(workspaceId, member.content_hash), mostNeeded.bytes)
    if (path !== undefined) files.set(name, path)
  }
  return files
}

function noneIfTooMany(error: unknown): [] {
  if (error instanceof ApiError && error.code === 'VALIDATION') return []
  throw error
}

/** Blobs: the bytes of versions. They are readable once a version of this workspace has them (spec 4.9, 4.13). */
import type { blobs as contract } from '../../contract/blobs.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Context, Handlers } from '../handler.ts'
import { ingestRefusal, repairRefusal } from '../storage/counting/stored-bytes.ts'
import { noteWhole } from '../storage/damaged-files.ts'
import { spareOrphans } from '../storage/orphans.ts'
import { blobKey, presignedUntil } from '../storage/storage.ts'

export const blobs: Handlers<typeof contract> = {
  async put({ sql, workspace, now, storage, bytes, input: { content_hash } }) {
    const key = blobKey(workspace.id, content_hash)
    const [known] = await sql<{ is_denied: boolean; is_damaged: boolean; is_loose: boolean }[]>`
      select exists (select 1 from denylist where workspace_id = ${workspace.id} and kind = 'content_hash' and value = ${content_hash}) as is_denied,
             exists (select 1 from damaged_files where workspace_id = ${workspace.id} and key = ${key}) as is_damaged,
             exists (select 1 from loose_files where workspace_id = ${workspace.id} and key = ${key}) as is_loose`
    if (known?.is_denied) throw new ApiError('DENYLISTED', `The file ${content_hash} is on the denylist of this workspace.`)
    const replaces = known?.is_damaged ?? false
    const refusal = replaces ? repairRefusal(workspace) : await ingestRefusal(sql, workspace)
    // Bytes that are kept already are no new ones.
    if (refusal && (replaces || (await storage.sizes([key]))[0] === undefined)) throw refusal
    // It lies there already, and someone is about to take it over. What becomes loose later is young.
    if (known?.is_loose) await spareOrphans(sql, workspace.id, { keys: [key], now })
    const { size, created } = await storage.receive(key, bytes, {
      sha256: content_hash,
      maxBytes: limits.blobBytes,
      isLimited: workspace.storageLimitBytes !== null,
      replaces,
    })
    if (replaces) {
      await storage.settle([key])
      await noteWhole(sql, [key])
    }
    return { hash: content_hash, size, created }
  },

  async get(request) {
    return { location: (await presign(request, request.input.content_hash)).url }
  },

  url(request) {
    return presign(request, request.input.content_hash)
  },
}

async function presign(
  { sql, workspace, storage, now, origin }: Context,
  hash: string,
): Promise<{ url: string; expires_at: string }> {
  const [known] = await sql`select 1 from objects where workspace_id = ${workspace.id} and content_hash = ${hash}`
  if (!known) throw new ApiError('BLOB_MISSING', `There is no file ${hash} in this library.`, { httpStatus: 404 })
  const expiresAt = presignedUntil(now)
  const url = await storage.downloadUrl(blobKey(workspace.id, hash), {
    contentType: 'application/octet-stream',
    expiresAt,
    origin,
  })
  return { url, expires_at: expiresAt.toISOString() }
}

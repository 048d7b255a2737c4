/** Thumbnails for the answers of the hosted endpoint, read where they are kept, of entries that who asks may see. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Thumbnails } from '../../mcp/protocol/pictures.ts'
import type { Ask } from '../../mcp/tools/tool.ts'
import { artifactKey, type Storage } from '../storage/storage.ts'

interface Kept {
  ask: Ask
  storage: Storage
  workspaceId: number
}

/** One that is replaced, or taken away, meanwhile is left out. */
export const thumbnailsOf =
  ({ ask, storage, workspaceId }: Kept): Thumbnails =>
  async (entryIds) => {
    const { entries } = await ask('entries', 'find', { entry_ids: [...entryIds] })
    const found = await Promise.all(
      entries.map(async ({ id, thumbnail_artifact_id: artifactId }) => {
        const bytes = artifactId === null ? undefined : await keptAt(artifactKey(workspaceId, artifactId))
        return bytes ? [[id, bytes] as const] : []
      }),
    )
    return new Map(found.flat())

    async function keptAt(key: string): Promise<Buffer | undefined> {
      try {
        return await storage.read(key, 0, limits.thumbnail.bytes)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
        throw error
      }
    }
  }

/** Thumbnails for the answers of the hosted endpoint, read where they are kept, of entries that who asks may see. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { noneWhereBusy, smallThumbnail, type Thumbnail, type Thumbnails } from '../../mcp/protocol/pictures.ts'
import type { Ask } from '../../mcp/tools/tool.ts'
import type { Owner } from '../../serving/bodies/weighted-queue.ts'
import { inDecodingTurn } from '../decoding.ts'
import { artifactKey, type Storage } from '../storage/storage.ts'

interface Kept {
  ask: Ask
  storage: Storage
  workspaceId: number
  owner: Owner
}

/** One that is replaced, or taken away, meanwhile is left out. */
export const thumbnailsOf =
  ({ ask, storage, workspaceId, owner }: Kept): Thumbnails =>
  async (entryIds) => {
    const { entries } = await ask('entries', 'find', { entry_ids: [...entryIds] })
    const found = new Map<number, Thumbnail>()
    for (const { id, thumbnail_artifact_id: artifactId } of entries) {
      const thumbnail = artifactId === null ? undefined : await keptAt(artifactKey(workspaceId, artifactId))
      if (thumbnail) found.set(id, thumbnail)
    }
    return found

    async function keptAt(key: string): Promise<Thumbnail | undefined> {
      const read = () => storage.read(key, 0, limits.thumbnail.bytes + 1)
      try {
        return await inDecodingTurn({ owner }, () => smallThumbnail(read)).catch(noneWhereBusy)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
        throw error
      }
    }
  }

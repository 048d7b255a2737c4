/** Presigned addresses for lists of files, so that a pull asks once and not file by file (contract-gaps 9). */
import { blobKey, presignedUntil, type Storage } from './storage.ts'

interface Addressing {
  storage: Storage
  workspace: { id: number }
  now: Date
  origin: string
}

/** The same records, each with a `url` that answers its bytes for a while. */
export const withAddresses = <F extends { content_hash: string }>(
  { storage, workspace, now, origin }: Addressing,
  files: readonly F[],
): Promise<(F & { url: string })[]> =>
  Promise.all(
    files.map(async (file) => ({
      ...file,
      url: await storage.downloadUrl(blobKey(workspace.id, file.content_hash), {
        contentType: 'application/octet-stream',
        expiresAt: presignedUntil(now),
        origin,
      }),
    })),
  )

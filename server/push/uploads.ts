/** The uploaded bytes of a push: which are there, how long they are, what their headers say. Bytes never change, so this needs no transaction. */
import type { ManifestItem } from '../../contract/push.ts'
import type { Context } from '../handler.ts'
import { blobKey } from '../storage/storage.ts'
import { type Headers, readHeaders } from './headers.ts'

export interface Uploads {
  /** Sizes in bytes by content hash; only of what is there. */
  sizes: Map<string, number>
  headers: Headers
}

/** `manifest`: all items, for naming; `wanted`: those whose bytes matter. */
export async function inspectUploads(
  { storage, workspace }: Pick<Context, 'storage' | 'workspace'>,
  manifest: readonly ManifestItem[],
  wanted: ReadonlySet<ManifestItem>,
): Promise<Uploads> {
  const sizes = await sizesOf({ storage, workspace }, [...wanted])
  const readable = [...manifest.entries()].filter(
    ([, item]) => wanted.has(item) && sizes.get(item.content_hash) === item.blob_size,
  )
  return {
    sizes,
    headers: await readHeaders(
      storage,
      workspace.id,
      readable.map(([index, item]) => ({ index, item })),
    ),
  }
}

export async function sizesOf(
  { storage, workspace }: Pick<Context, 'storage' | 'workspace'>,
  items: readonly ManifestItem[],
): Promise<Map<string, number>> {
  const sizes = await storage.sizes(items.map((item) => blobKey(workspace.id, item.content_hash)))
  return new Map(items.flatMap((item, index) => (sizes[index] === undefined ? [] : [[item.content_hash, sizes[index]] as const])))
}

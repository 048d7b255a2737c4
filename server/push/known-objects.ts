/** The versions that a manifest names by their hashes: of its items, and of what they need. */

import { mostFailures } from '../../contract/errors.ts'
import type { ManifestItem } from '../../contract/push.ts'
import { inPieces } from '../../system/event-loop.ts'
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

/** A version that is in the library. */
export interface KnownObject {
  id: number
  content_hash: string
  blob_size: number
  lineage_id: string
  lineage_anchor: 'guid' | 'stamp' | 'minted' | 'user_attached'
  parent_object_id: number | null
  asset_class: string
  asset_name: string | null
  origin_path: string | null
  engine_version: string | null
  source_ext: string | null
  /** As `guidKey` writes it; null when who registered the version did not declare it. */
  package_guid: string | null
  has_thumbnail: boolean
  /** Its push named some. */
  has_missing: boolean
  has_plugins: boolean
}

/** Looked up by one statement, and a few more: its text is made, and its answer read, in a moment. */
const batchHashes = 5000

/**
 * By content hash. A manifest of 64 MiB names up to 700,000 files that its items need: they are requested up in batches, and no more of
 * them once so many are unknown that the answer names no others (`checkReferences`).
 */
export async function loadObjects(
  sql: Sql,
  workspaceId: number,
  items: readonly ManifestItem[],
): Promise<Map<string, KnownObject>> {
  const objects = new Map<string, KnownObject>()
  const requested = new Set(items.flatMap((item) => [item.content_hash, item.stamped_base_hash ?? []].flat()))
  let unknown = 0
  const ask = async (hashes: Iterable<string>) => {
    const found = await selectObjects(sql, workspaceId, hashes)
    for (const object of found) objects.set(object.content_hash, object)
    return found.length
  }
  await ask(requested)
  let batch: string[] = []
  const askBatch = async () => {
    const hashes = batch
    batch = []
    unknown += hashes.length - (await ask(hashes))
  }
  await inPieces(items, ({ dependencies, parts }) => {
    if (unknown > mostFailures) return
    for (const { content_hash } of [...(dependencies ?? []), ...(parts?.put ?? [])])
      if (!requested.has(content_hash)) {
        requested.add(content_hash)
        batch.push(content_hash)
      }
    return batch.length >= batchHashes ? askBatch() : undefined
  })
  await askBatch()
  return objects
}

const selectObjects = (sql: Sql, workspaceId: number, hashes: Iterable<string>) => sql<KnownObject[]>`
  select known.* from ${lookupTexts(sql, hashes)}
   cross join lateral (
     select id, content_hash, blob_size, lineage_id, lineage_anchor, parent_object_id, asset_class, asset_name, origin_path,
            engine_version, source_ext, package_guid, thumbnail_artifact_id is not null as has_thumbnail, has_missing,
            plugins <> '[]' as has_plugins
       from objects where workspace_id = ${workspaceId} and content_hash = lookup.key offset 0) known`

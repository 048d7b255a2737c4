/** Pushes over plain HTTP: items with their bytes, negotiate, upload what is missing, commit. */
import { createHash, randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { expect } from 'vitest'
import type { Caller, Json } from './api.ts'

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

let serial = 0
/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => `${prefix}_${randomBytes(3).toString('hex')}_${++serial}`

export type Item = Json & { bytes: Buffer; content_hash: string }

/** A manifest item of random bytes: a static mesh that becomes an entry, unless `over` says otherwise. */
export function item(over: Json = {}): Item {
  const asset_name = over.asset_name ?? uniqueName('SM')
  const bytes: Buffer = over.bytes ?? Buffer.concat([Buffer.from(asset_name), randomBytes(32)])
  return {
    content_hash: sha256(bytes),
    asset_class: 'StaticMesh',
    blob_size: bytes.length,
    asset_name,
    origin_path: `/Game/Pack/Props/${asset_name}`,
    engine_version: '5.4.0',
    entry: over.entry === null ? undefined : { entry_type: 'mesh', name: asset_name, ...over.entry },
    ...Object.fromEntries(Object.entries(over).filter(([key]) => key !== 'entry')),
    bytes,
  }
}

/** A file that is no entry. */
export const plainFile = (over: Json = {}): Item => item({ asset_class: 'Texture2D', entry: null, ...over })

export const manifestOf = (items: Item[], extra: Json = {}): Json => ({
  items: items.map(({ bytes: _bytes, ...rest }) => rest),
  ...extra,
})

/** Uploads the bytes of every item, some at once. */
export async function upload(caller: Caller, items: Item[]): Promise<void> {
  const atOnce = pLimit(8)
  const put = async (one: Item) => expect((await caller.put(`/blobs/${one.content_hash}`, one.bytes)).status).toBeLessThan(300)
  await Promise.all(items.map((one) => atOnce(put, one)))
}

/** Uploads and commits; gives the answer whatever it is. */
export async function commitOf(caller: Caller, items: Item[], extra: Json = {}) {
  await upload(caller, items)
  return caller.post('/push/commit', manifestOf(items, extra))
}

/** Uploads and commits, and must succeed; gives the results in the order of the items. */
export async function pushed(caller: Caller, items: Item[], extra: Json = {}): Promise<Json[]> {
  const answer = await commitOf(caller, items, extra)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.results
}

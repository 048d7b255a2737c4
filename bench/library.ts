/** Items of random bytes, brought into a library straight through the API: what jobs need that measure the server alone. */
import { createHash, randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { limits } from '../contract/limits.ts'
import type { CommitAnswer, Manifest, ManifestItem, NegotiateAnswer } from '../contract/push.ts'
import type { PhServer } from './ph.ts'

const UPLOADS_AT_ONCE = 8

export async function post<T>(server: PhServer, path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as T
}

/** New items whose bytes the library has already; nothing is registered yet. */
export async function uploadedItems(server: PhServer, names: readonly string[]): Promise<ManifestItem[]> {
  const bytes = new Map<string, Buffer>()
  const items = names.map((name) => {
    const body = randomBytes(256)
    const hash = createHash('sha256').update(body).digest('hex')
    bytes.set(hash, body)
    return newItem({ hash, size: body.length, name })
  })
  const slots = pLimit(UPLOADS_AT_ONCE)
  for (let at = 0; at < items.length; at += limits.manifest.recommendedBatch) {
    const batch: Manifest = { items: items.slice(at, at + limits.manifest.recommendedBatch) }
    const { missing = [] } = await post<NegotiateAnswer>(server, '/push/negotiate', batch)
    await Promise.all(
      missing.map(({ hash, upload_url, headers }) => slots(() => put(new URL(upload_url, server.url), bytes.get(hash), headers))),
    )
  }
  return items
}

/** An entry that needs all other files of a closure of `count` directly; answers its id. */
export async function commitClosure(server: PhServer, count: number): Promise<number> {
  const items = await uploadedItems(
    server,
    Array.from({ length: count }, (_, index) => `T_Part_${index}`),
  )
  const [root, ...parts] = items
  if (!root) throw new Error('a closure has at least one file')
  root.dependencies = parts.map(({ content_hash }) => ({ content_hash, hard: true }))
  const { results } = await post<CommitAnswer>(server, '/push/commit', { items })
  const entryId = results.find(({ content_hash }) => content_hash === root.content_hash)?.entry_id
  if (!entryId) throw new Error('the root of the closure became no entry')
  return entryId
}

const newItem = ({ hash, size, name }: { hash: string; size: number; name: string }): ManifestItem => ({
  content_hash: hash,
  asset_class: 'StaticMesh',
  asset_name: name,
  blob_size: size,
  origin_path: `/Game/Bench/Props/${name}`,
  engine_version: '5.4.0',
  entry: { entry_type: 'mesh', name, metadata: { tri_count: 1200, vert_count: 900 } },
})

async function put(url: URL, body: Buffer | undefined, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body ?? []) })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`upload answered ${answer.status}`)
}

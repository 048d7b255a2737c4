/** The commit of one full manifest of 5,000 new items whose bytes are there already, straight to the API. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { limits } from '../contract/limits.ts'
import type { Manifest, ManifestItem, NegotiateAnswer } from '../contract/push.ts'
import { type PhServer, startPh } from './ph.ts'
import { watch } from './processes.ts'
import type { Run } from './run.ts'

const UPLOADS_AT_ONCE = 8

/** Every round commits items of its own, into a library that holds those of the rounds before. */
export async function commitManifest(name: string, database: string | undefined, { place, results, runs }: Run): Promise<void> {
  const scratch = join(place.work, 'commit')
  mkdirSync(scratch, { recursive: true })
  const server = await startPh(scratch, database, { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' })
  try {
    for (let round = 0; round <= runs; round++) {
      const manifest = await uploaded(server, round)
      const used = watch(server)
      const started = performance.now()
      await call(server, 'commit', manifest)
      const wallS = (performance.now() - started) / 1000
      if (round > 0) results.add(`commit of ${limits.manifest.items} items`, name, { wallS, ...used() })
    }
  } finally {
    await server.end()
  }
}

async function uploaded(server: PhServer, round: number): Promise<Manifest> {
  const bytes = new Map<string, Buffer>()
  const items = Array.from({ length: limits.manifest.items }, (_, index) => {
    const body = randomBytes(256)
    const hash = createHash('sha256').update(body).digest('hex')
    bytes.set(hash, body)
    return newItem({ hash, size: body.length, name: `SM_Bench_${round}_${index}` })
  })
  const slots = pLimit(UPLOADS_AT_ONCE)
  for (let at = 0; at < items.length; at += limits.manifest.recommendedBatch) {
    const batch = { items: items.slice(at, at + limits.manifest.recommendedBatch) }
    const { missing = [] } = (await call(server, 'negotiate', batch)) as NegotiateAnswer
    await Promise.all(
      missing.map(({ hash, upload_url, headers }) => slots(() => put(new URL(upload_url, server.url), bytes.get(hash), headers))),
    )
  }
  return { items }
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

async function call(server: PhServer, verb: 'negotiate' | 'commit', body: Manifest): Promise<unknown> {
  const answer = await fetch(`${server.url}/api/v1/push/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${verb} answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

async function put(url: URL, body: Buffer | undefined, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body ?? []) })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`upload answered ${answer.status}`)
}

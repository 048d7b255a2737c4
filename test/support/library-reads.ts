/** What a library answers to whoever reads it: many questions of one key, with the bytes behind their answers, so that two libraries can be compared. */
import { callAs, type Json } from './api.ts'
import { sha256 } from './push.ts'
import type { Target } from './unreal-project.ts'

/** By question: status and body. Addresses that differ from one moment to the next stand for what they lead to. */
export async function readsOf({ url, key }: Target): Promise<Record<string, unknown>> {
  const api = callAs(url, key)
  const reads: Record<string, unknown> = {}
  const ask = async (path: string): Promise<Json> => {
    const { status, body, headers } = await api.get(path)
    reads[path] = [status, status === 302 ? await sumBehind(headers.get('location') ?? '') : plain(body)]
    return body
  }
  const { entries } = await ask('/entries?limit=200')
  const { changes } = await ask('/catalog/changes?cursor=0&limit=1000&expand=true')
  for (const path of lists) await ask(path)
  for (const { id, lineage_id } of entries) {
    for (const below of ['', '/closure', '/thumbnail', '/preview', '/comments', '/annotations'])
      await ask(`/entries/${id}${below}`)
    await ask(`/lineages/${lineage_id}`)
  }
  const lineages = changes.filter(({ entity }: Json) => entity === 'object').flatMap(({ record }: Json) => record?.objects ?? [])
  for (const { content_hash } of lineages) await ask(`/blobs/${content_hash}`)
  return reads
}

const lists = [
  '/auth/me',
  '/entries?q=barrel',
  '/entries?sort=date_updated&order=desc&limit=3',
  '/entries/facets',
  '/packs',
  '/tags',
  '/categories/rollup',
  '/collections',
  '/members',
  '/projects',
  '/activity?limit=100',
  '/notifications',
  '/locks',
  '/review-requests',
  '/push/preview-queue?limit=50',
  '/push/preview-stats',
  '/push/thumbnail-refresh-queue?limit=50',
  '/catalog/duplicates',
]

/** Where a file is fetched is signed for a while; a restored library has an epoch of its own. */
const plain = (body: Json): Json =>
  typeof body === 'string'
    ? body
    : JSON.parse(JSON.stringify(body, (name, value) => (/_url$|^expires_at$|^library_epoch$/.test(name) ? null : value)))

async function sumBehind(location: string): Promise<string> {
  const answer = await fetch(location)
  return answer.ok ? sha256(Buffer.from(await answer.arrayBuffer())) : String(answer.status)
}

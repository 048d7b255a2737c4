/** The calls of a push are written down beside the contract, which takes long to load; here they are held against it. */
import { expect, test } from 'vitest'
import { buildRequest } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { pushCalls } from '../../client/http/push-calls.ts'
import { contract } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'
import { answer, startPeer } from '../support/peer.ts'

const bytes = { size: 2, open: () => Buffer.from('ab') }
const target = { entry_id: 3, object_id: 4, kind: 'thumbnail' } as const
const items = [{ content_hash: 'x', asset_class: 'StaticMesh', blob_size: 1 }]
type Calls = ReturnType<typeof pushCalls>

const pairs: [name: string, call: (calls: Calls) => unknown, route: Route, input: Record<string, unknown>][] = [
  ['limits', (calls) => calls.limits(), contract.push.limits, {}],
  ['negotiate', (calls) => calls.negotiate({ items }), contract.push.negotiate, { items }],
  ['commit', (calls) => calls.commit({ items }), contract.push.commit, { items }],
  ['putBlob', (calls) => calls.putBlob('abc', bytes), contract.blobs.put, { content_hash: 'abc', bytes }],
  ['presign', (calls) => calls.presign([target]), contract.media.presign, { items: [target] }],
  [
    'finalize',
    (calls) => calls.finalize([{ ...target, artifact_id: 5 }]),
    contract.media.finalize,
    { items: [{ ...target, artifact_id: 5 }] },
  ],
  [
    'putThumbnail',
    (calls) => calls.putThumbnail(target, bytes),
    contract.media.putThumbnail,
    { entry_id: 3, object_id: 4, bytes },
  ],
  ['changes', (calls) => calls.changes(7, 9), contract.changes.list, { cursor: 7, limit: 9 }],
  ['lineage', (calls) => calls.lineage('a b'), contract.lineages.get, { lineage_id: 'a b' }],
  ['export', (calls) => calls.exportLines().next(), contract.changes.export, {}],
]

test.each(pairs)('%s is what the contract says', async (...[, call, route, input]) => {
  const peer = await startPeer(answer(200, {}))
  const http = new Http({ url: peer.url })
  await call(pushCalls(http))
  await http.close()
  const { method, path, query, json } = buildRequest(route, input)
  const search = query?.toString() ? `?${query}` : ''
  const body = json === undefined ? (route.raw ? 'ab' : '') : JSON.stringify(json)
  expect(peer.heard).toMatchObject([{ method, url: `/api/v1${path}${search}`, body }])
})

test('every POST of a push may be repeated after a cut', () => {
  for (const route of [contract.push.negotiate, contract.push.commit, contract.media.presign, contract.media.finalize])
    expect(route.repeatable).toBe(true)
})

/** How a route's input becomes a request. */
import { expect, test } from 'vitest'
import { buildRequest, createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { allRoutes, contract } from '../../contract/index.ts'
import { answer, startPeer } from '../support/peer.ts'

test('keys named in the path travel there, escaped', () => {
  const { path, json } = buildRequest(contract.lineages.get, { lineage_id: 'a/b c' })
  expect({ path, json }).toEqual({ path: '/lineages/a%2Fb%20c', json: undefined })
})

test('a GET puts the rest into the query, lists as repeated keys, and leaves out what is undefined', () => {
  const { query } = buildRequest(contract.entries.list, { type: ['mesh', 'texture'], limit: 5, q: undefined, variant: false })
  expect(query?.toString()).toBe('variant=false&type=mesh&type=texture&limit=5'.split('&').sort(byContract).join('&'))
})

const order = Object.keys(contract.entries.list.input.properties)
const byContract = (a: string, b: string) => order.indexOf(a.split('=')[0] ?? '') - order.indexOf(b.split('=')[0] ?? '')

test('a body takes what is neither in the path nor in the query, null included', () => {
  const { path, query, json } = buildRequest(contract.media.putMetadata, {
    entry_id: 3,
    object_id: 9,
    tri_count: null,
    lod_count: 2,
  })
  expect([path, query?.toString(), json]).toEqual(['/entries/3/metadata', 'object_id=9', { lod_count: 2, tri_count: null }])
})

test('raw bytes are the body, and everything beside them travels in the query', () => {
  const bytes = { size: 1, open: () => Buffer.from('x') }
  const request = buildRequest(contract.media.putThumbnail, { entry_id: 3, object_id: 9, bytes, contentType: 'image/png' })
  expect(request).toMatchObject({ path: '/entries/3/thumbnail', bytes, contentType: 'image/png' })
  expect(request.query?.toString()).toBe('object_id=9')
})

test('every route of the contract has its call', () => {
  const api = createApi(new Http({ url: 'http://127.0.0.1:1' })) as unknown as Record<string, Record<string, unknown>>
  for (const [noun, verb] of allRoutes) expect(api[noun]?.[verb]).toBeTypeOf('function')
})

test('a call whose input is all optional needs none', async () => {
  const peer = await startPeer(answer(200, { entries: [], next_cursor: null }))
  const http = new Http({ url: peer.url })
  expect((await createApi(http).entries.list()).entries).toEqual([])
  await http.close()
})

/** How a route's input becomes a request. */
import { expect, test } from 'vitest'
import { buildRequest, createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import type { Address } from '../../../contract/address.ts'
import { addresses } from '../../../contract/addresses.ts'
import { allRoutes } from '../../../contract/index.ts'
import { inputLocations } from '../../../contract/route.ts'
import { answer, startPeer } from '../../support/peer.ts'

test('keys named in the path travel there, escaped', () => {
  const { path, json } = buildRequest(addresses.lineages.get, { lineage_id: 'a/b c' })
  expect({ path, json }).toEqual({ path: '/lineages/a%2Fb%20c', json: undefined })
})

test('a GET puts the rest into the query, lists as repeated keys, and leaves out what is undefined', () => {
  const { query } = buildRequest(addresses.entries.list, { type: ['mesh', 'texture'], limit: 5, q: undefined, variant: false })
  expect(query?.toString()).toBe('type=mesh&type=texture&limit=5&variant=false')
})

test('a body takes what is neither in the path nor in the query, null included', () => {
  const { path, query, json } = buildRequest(addresses.media.putMetadata, {
    entry_id: 3,
    object_id: 9,
    tri_count: null,
    lod_count: 2,
  })
  expect([path, query?.toString(), json]).toEqual(['/entries/3/metadata', 'object_id=9', { lod_count: 2, tri_count: null }])
})

test('raw bytes are the body, and everything beside them travels in the query', () => {
  const bytes = { size: 1, open: () => Buffer.from('x') }
  const request = buildRequest(addresses.media.putThumbnail, { entry_id: 3, object_id: 9, bytes, contentType: 'image/png' })
  expect(request).toMatchObject({ path: '/entries/3/thumbnail', bytes, contentType: 'image/png' })
  expect(request.query?.toString()).toBe('object_id=9')
})

test('every key of every route travels where the contract says, in a request that is counted and repeated as it says', () => {
  for (const [noun, verb, route] of allRoutes) {
    const address = (addresses as Record<string, Record<string, Address>>)[noun]?.[verb]
    const keys = Object.keys(route.input?.properties ?? {})
    const bytes = route.raw ? { bytes: { size: 0, open: () => Buffer.alloc(0) } } : {}
    const request = address && buildRequest(address, { ...Object.fromEntries(keys.map((key) => [key, `of ${key}`])), ...bytes })
    const places = inputLocations(route)
    expect(request, `${noun}.${verb}`).toMatchObject({
      method: route.method,
      path: route.path.replaceAll(/\{(\w+)\}/g, (_, key) => encodeURIComponent(`of ${key}`)),
      budget: route.budget,
      idempotent: route.repeatable,
    })
    expect([...(request?.query?.keys() ?? [])].sort(), `${noun}.${verb}`).toEqual([...places.query].sort())
    expect(Object.keys((request?.json as object) ?? {}).sort(), `${noun}.${verb}`).toEqual([...places.body].sort())
    expect(address?.answers ?? 'json').toBe(route.answers ?? 'json')
  }
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

/** The calls of a look at a project are written down beside the contract, which takes long to load; here they are held against it. */
import { expect, test } from 'vitest'
import { buildRequest } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { type StatusCalls, statusCalls } from '../../client/http/status-calls.ts'
import { contract } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'
import { answer, startPeer } from '../support/peer.ts'

const question = { lineage_ids: ['a'], content_hashes: ['b'], origin_paths: ['c'] }

const pairs: [name: string, call: (calls: StatusCalls) => unknown, route: Route, input: Record<string, unknown>][] = [
  ['changes', (calls) => calls.changes(7, 9), contract.changes.list, { cursor: 7, limit: 9, expand: true }],
  ['findLineages', (calls) => calls.findLineages(question), contract.lineages.find, question],
  ['entries', (calls) => calls.entries('x'), contract.entries.list, { include_deprecated: true, limit: 200, cursor: 'x' }],
]

test.each(pairs)('%s is what the contract says', async (...[, call, route, input]) => {
  const peer = await startPeer(answer(200, {}))
  const http = new Http({ url: peer.url })
  await call(statusCalls(http))
  await http.close()
  const { method, path, query, json } = buildRequest(route, input)
  const [heard] = peer.heard
  const [heardPath, heardQuery] = heard?.url.split('?') ?? []
  expect([heard?.method, heardPath, heard?.body]).toEqual([
    method,
    `/api/v1${path}`,
    json === undefined ? '' : JSON.stringify(json),
  ])
  expect([...new URLSearchParams(heardQuery)].sort()).toEqual([...(query ?? [])].sort())
})

test('a read key is enough for every call of a look', () => {
  for (const route of [
    contract.changes.list,
    contract.changes.export,
    contract.lineages.find,
    contract.lineages.get,
    contract.entries.list,
  ])
    expect(route.scope).toBe('read')
})

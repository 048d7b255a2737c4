/** The calls of a pull are written down beside the contract, which takes long to load; here they are held against it. */
import { expect, test } from 'vitest'
import { buildRequest } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { type PullCalls, pullCalls } from '../../client/http/pull-calls.ts'
import { contract } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'
import { answer, startPeer } from '../support/peer.ts'

const order = { target_project: 'Tavern', target_root: '/Game', entries: [{ entry_id: 3 }] }
const report = { added: [], skipped_identical: [], conflicts: [], failed: [] }
const done = { status: 'done', report_json: report } as const
const { pullJobs, entries } = contract

const pairs: [name: string, call: (calls: PullCalls) => unknown, route: Route, input: Record<string, unknown>][] = [
  ['entries', (calls) => calls.entries({ name: ['a b'], limit: 5 }), entries.list, { name: ['a b'], limit: 5 }],
  ['entry', (calls) => calls.entry(3), entries.get, { entry_id: 3 }],
  ['lineage', (calls) => calls.lineage('lin_1'), contract.lineages.get, { lineage_id: 'lin_1' }],
  ['entryClosure', (calls) => calls.entryClosure(3), entries.closure, { entry_id: 3 }],
  ['projects', (calls) => calls.projects(), contract.projects.list, {}],
  ['members', (calls) => calls.members(), contract.members.list, {}],
  ['plan', (calls) => calls.plan(order), pullJobs.plan, order],
  ['create', (calls) => calls.create(order), pullJobs.create, order],
  ['queued', (calls) => calls.queued('T'), pullJobs.list, { target_project: 'T', status: 'queued', limit: 200 }],
  ['job', (calls) => calls.job(4), pullJobs.get, { job_id: 4 }],
  ['claim', (calls) => calls.claim(4, 'T', '5.4.0'), pullJobs.claim, { job_id: 4, project_key: 'T', engine_version: '5.4.0' }],
  ['claim without an engine', (calls) => calls.claim(4, 'T', null), pullJobs.claim, { job_id: 4, project_key: 'T' }],
  ['heartbeat', (calls) => calls.heartbeat(4, 'x'), pullJobs.heartbeat, { job_id: 4, claim_token: 'x' }],
  ['closure', (calls) => calls.closure(4, true), pullJobs.closure, { job_id: 4, urls: true }],
  ['closure of any server', (calls) => calls.closure(4, false), pullJobs.closure, { job_id: 4 }],
  ['progress', (calls) => calls.progress(4, 'x', done), pullJobs.update, { job_id: 4, claim_token: 'x', ...done }],
  ['cancel', (calls) => calls.cancel(4), pullJobs.update, { job_id: 4, status: 'cancelled' }],
]

test.each(pairs)('%s is what the contract says', async (...[, call, route, input]) => {
  const peer = await startPeer(answer(200, {}))
  const http = new Http({ url: peer.url })
  await call(pullCalls(http))
  await http.close()
  const { method, path, query, json } = buildRequest(route, input)
  const [heard] = peer.heard
  expect(heard?.method).toBe(method)
  const url = new URL(heard?.url ?? '', peer.url)
  expect(url.pathname).toBe(`/api/v1${path}`)
  const sorted = (search: URLSearchParams) => [...search].toSorted()
  expect(sorted(url.searchParams)).toEqual(sorted(query ?? new URLSearchParams()))
  expect(heard?.body === '' ? undefined : JSON.parse(heard?.body ?? '')).toEqual(json)
})

test('what a pull repeats after a cut may be repeated, and what it does not may not', () => {
  const { plan, heartbeat, create, claim, update } = pullJobs as Record<string, Route>
  expect([plan, heartbeat].map((route) => route?.repeatable)).toEqual([true, true])
  expect([create, claim, update].map((route) => route?.repeatable)).toEqual([undefined, undefined, undefined])
})

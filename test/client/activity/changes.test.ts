// Following the change feed: live and by the clock, through cuts of the network, and where the feed does not reach back.
import { expect, onTestFinished, test } from 'vitest'
import { type FollowedPage, type FollowingChanges, followChanges } from '../../../client/activity/changes.ts'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { callsTo } from '../../support/calls.ts'
import { startFront } from '../../support/http-front.ts'
import { answer, cut, startPeer } from '../../support/peer.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const server = await startTestServer()

function apiAt(url: string, key: string) {
  const http = new Http({ url, key, retryForMs: 0 })
  onTestFinished(() => http.close('destroy'))
  return createApi(http)
}

/** Follows until the test is over; what was told so far. Waits take no time but what the network takes. */
function follow(url: string, key: string, following: FollowingChanges = {}) {
  const stop = new AbortController()
  const pages: FollowedPage[] = []
  const told: string[] = []
  const tell = (state: { away: Error } | 'back') => void told.push(state === 'back' ? state : 'away')
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  const run = (async () => {
    for await (const page of followChanges(apiAt(url, key), { signal: stop.signal, tell, pause, ...following })) pages.push(page)
  })()
  const ended = run.catch((error: unknown) => error)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  const tags = () =>
    pages.flatMap(({ changes }) => changes.map(({ record, entity }) => (record as { name?: string })?.name ?? entity))
  return { pages, told, tags, ended, stop }
}

async function library() {
  const workspace = await server.addWorkspace()
  const api = callsTo(workspace, 'mia')
  const collect = (name: string) => api.collections.create({ name })
  return { ...workspace, collect }
}

test('changes come as they happen, each with its record and the cursor behind it', async () => {
  const { url, keys, collect } = await library()
  const { tags, pages } = follow(url, keys.mia, { cursor: 0, expand: true })
  for (const name of ['Lamps', 'Stools', 'Barrels']) {
    await collect(name)
    await expect.poll(tags).toContain(name)
  }
  expect(tags()).toEqual(['Lamps', 'Stools', 'Barrels'])
  expect(pages.map(({ cursor, changes }) => cursor === changes.at(-1)?.seq)).not.toContain(false)
})

test('after a cut nothing is left out; who follows is told once that the server is away and once that it is back', async () => {
  const { url, keys, collect } = await library()
  const proxy = await startProxy(url)
  const { tags, told } = follow(proxy.url(url), keys.mia, { cursor: 0, expand: true })
  await collect('Before')
  await expect.poll(tags).toContain('Before')
  proxy.leadTo('http://127.0.0.1:9')
  await expect.poll(() => told).toEqual(['away'])
  await collect('Meanwhile')
  proxy.leadTo(url)
  await expect.poll(tags).toEqual(['Before', 'Meanwhile'])
  expect(told).toEqual(['away', 'back'])
})

test('without live events, what changes from now on is asked for again and again', async () => {
  const { url, keys, collect } = await library()
  await collect('Before')
  const { url: plain, asked } = await startFront({ to: () => url, plain: true })
  const { tags } = follow(plain, keys.mia, { cursor: 1 })
  await expect.poll(() => asked.filter((one) => one.startsWith('GET /catalog/changes?')).length).toBeGreaterThan(3)
  expect(tags()).toEqual([])
  await collect('After')
  await expect.poll(tags).toEqual(['collection'])
})

test('a feed that does not reach back says so, and following goes on from its head', async () => {
  const { url, heard } = await startPeer(
    answer(404, { error: { code: 'NOT_FOUND', message: 'no', details: {} } }),
    answer(200, { changes: [], next_cursor: 900, reset: true }),
    answer(200, { changes: [], next_cursor: 900, reset: false }),
  )
  const { pages } = follow(url, 'key', { cursor: 5 })
  await expect.poll(() => heard.length).toBeGreaterThan(3)
  expect(pages).toEqual([{ changes: [], cursor: 900, epoch: undefined, reset: true }])
  expect(heard.at(-1)?.url).toContain('cursor=900')
})

test('a library that was set back to an earlier state is a reset, not silence', async () => {
  const { url, keys, collect } = await library()
  await collect('One')
  const { pages, tags } = follow(url, keys.mia, { cursor: 4000, expand: true })
  await expect.poll(() => pages).toEqual([{ changes: [], cursor: 1, epoch: expect.any(String), reset: true }])
  await collect('Two')
  await expect.poll(tags).toEqual(['Two'])
})

test('a refused key ends it, and so does its signal', async () => {
  const { url, keys } = await library()
  const refused = follow(url, 'ph_live_unknown')
  expect(await refused.ended).toMatchObject({ code: 'UNAUTHORIZED' })
  const stopped = follow(url, keys.mia, { cursor: 0 })
  stopped.stop.abort(new Error('enough'))
  expect(await stopped.ended).toMatchObject({ message: 'enough' })
  const { url: nobody } = await startPeer(cut)
  const waiting = follow(nobody, 'key')
  await expect.poll(() => waiting.told).toEqual(['away'])
})

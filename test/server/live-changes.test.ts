// The stream of changes: what it tells to whom, within what limits, and how it ends (contract-gaps 9).
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { openStream } from '../support/live.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { byHand, newKey, startTestServer } from '../support/server.ts'
import { startWiredServer } from '../support/wired-server.ts'

const server = await startTestServer({}, byHand)

async function library() {
  const made = await server.addWorkspace()
  const { url, keys } = made
  return { ...made, mia: callAs(url, keys.mia), max: callAs(url, keys.max), stream: (key: string) => openStream(url, key) }
}

const headOf = async (url: string, key: string): Promise<number> =>
  (await callAs(url, key).get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor

test('the head is told at once and after each commit, to a read key as well, and to its own workspace only', async () => {
  const [here, there] = [await library(), await library()]
  await pushed(here.mia, [item()])
  const [stream, other] = [here.stream(here.keys.miaReads), there.stream(there.keys.miaReads)]
  expect(await stream.head()).toBe(await headOf(here.url, here.keys.mia))
  expect(await other.head()).toBe(0)
  const [made] = await pushed(here.mia, [item()])
  expect(await stream.head()).toBe(await headOf(here.url, here.keys.mia))
  expect((await here.mia.patch(`/entries/${made?.entry_id}`, { name: uniqueName('New') })).status).toBe(200)
  expect(await stream.head()).toBe(await headOf(here.url, here.keys.mia))
  await pushed(there.mia, [item()])
  expect(await other.head(), 'nothing of the other workspace came before').toBe(await headOf(there.url, there.keys.mia))
})

test('who ordered a pull job hears of each of its states, with every key, and nobody else does', async () => {
  const { mia, max, keys, stream, url } = await library()
  const [made] = await pushed(mia, [item()])
  const [own, ownReads, other] = [stream(keys.mia), stream(keys.miaReads), stream(keys.max)]
  for (const one of [own, ownReads, other]) await one.head()
  const job = (status: string) => ({ event: 'job', data: { job_id: order.id, status } })
  const body = { target_project: uniqueName('Proj'), entries: [{ entry_id: made?.entry_id }], delivery: 'agent' }
  const order = (await mia.post('/pull-jobs', body)).body as Json
  expect([await own.next(), await ownReads.next()]).toEqual([job('queued'), job('queued')])
  const { claim_token } = (await max.post(`/pull-jobs/${order.id}/claim`, { project_key: body.target_project })).body
  expect([await own.next(), await ownReads.next()]).toEqual([job('claimed'), job('claimed')])
  await max.post(`/pull-jobs/${order.id}/heartbeat`, { claim_token })
  await max.patch(`/pull-jobs/${order.id}`, { status: 'running', claim_token })
  expect(await own.next(), 'a heartbeat changes nothing').toEqual(job('running'))
  await max.patch(`/pull-jobs/${order.id}`, { status: 'failed', claim_token, failure_reason: 'no room' })
  expect(await own.next()).toEqual(job('failed'))
  await pushed(mia, [item()])
  expect(await other.head()).toBe(await headOf(url, keys.mia))
})

test('who ordered a pull job hears when its claim runs out and it waits again, once, and hears of the next claim', async () => {
  const { mia, max, keys, stream } = await library()
  const [made] = await pushed(mia, [item()])
  const own = stream(keys.mia)
  await own.head()
  const body = { target_project: uniqueName('Proj'), entries: [{ entry_id: made?.entry_id }], delivery: 'agent' }
  const order = (await mia.post('/pull-jobs', body)).body as Json
  const job = (status: string) => ({ event: 'job', data: { job_id: order.id, status } })
  const claim = async () => (await max.post(`/pull-jobs/${order.id}/claim`, { project_key: body.target_project })).body
  expect(await own.next()).toEqual(job('queued'))
  const { claim_token } = await claim()
  expect(await own.next()).toEqual(job('claimed'))
  await server.work.look()
  server.clock.advance(59 * 60_000)
  await server.work.look()
  expect((await max.post(`/pull-jobs/${order.id}/heartbeat`, { claim_token })).status).toBe(200)
  server.clock.advance(59 * 60_000)
  await server.work.look()
  server.clock.advance(60_000)
  const shown = async () => (await mia.get(`/pull-jobs/${order.id}`)).body
  const before = await shown()
  await server.work.look()
  expect(await own.next()).toEqual(job('queued'))
  expect(await shown(), 'to who asks it had been so since the lease was over').toEqual(before)
  const late = await max.patch(`/pull-jobs/${order.id}`, { status: 'running', claim_token })
  expect(late.body.error).toMatchObject({ code: 'JOB_STATE', details: { status: 'queued' } })
  server.clock.advance(60_000)
  await server.work.look()
  expect((await claim()).status).toBe('claimed')
  expect(await own.next(), 'it was told once').toEqual(job('claimed'))
})

test('a key has five streams at most, each key for itself; one that ends makes room, and HEAD takes none', async () => {
  const { url, keys, stream } = await library()
  const streams = Array.from({ length: 5 }, () => stream(keys.mia))
  for (const one of streams) await one.head()
  expect(await stream(keys.mia).end()).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/has 5 streams/) })
  await stream(keys.miaReads).head()
  await streams[0]?.leave()
  await expect.poll(async () => typeof (await stream(keys.mia).head().catch(String))).toBe('number')
  const head = (key: string) =>
    fetch(`${url}/api/v1/catalog/changes/live`, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  for (let times = 0; times < 6; times++) {
    const answer = await head(keys.adam)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  }
  expect((await head(keys.mia)).status).toBe(429)
})

test('a member has a quarter of all streams, a workspace half, whatever keys they use, and others have theirs', async () => {
  // Of 64 connections half are for streams: 32 in all, 16 for a workspace, 8 for a member.
  const small = await startTestServer({}, { ...byHand, connections: 64 })
  const { slug, url, keys } = await small.addWorkspace()
  const more = Array.from({ length: 3 }, newKey)
  const email = `mia@${slug}.test`
  await small.changeWorkspace(slug, {
    members: [{ email, name: 'mia', role: 'member' }],
    keys: more.map((key, n) => ({ name: `mia ${n}`, member: email, scope: 'read', key })),
  })
  const open = async (key: string, count: number, at = url) => {
    for (let n = 0; n < count; n++) expect(await openStream(at, key).head()).toBe(0)
  }
  const refusedTo = (key: string, at = url) => openStream(at, key).end()
  await open(keys.mia, 5)
  await open(more[0] as string, 3)
  for (const key of more)
    expect(await refusedTo(key)).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/This member has 8 streams/),
    })
  await open(keys.max, 4)
  await open(keys.adam, 4)
  expect(await refusedTo(keys.olivia)).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/This workspace has 16 streams/),
  })
  for (let n = 0; n < 2; n++) {
    const other = await small.addWorkspace()
    await open(other.keys.mia, 4, other.url)
    await open(other.keys.max, 4, other.url)
  }
  const last = await small.addWorkspace()
  const answer = await callAs(last.url, last.keys.mia).get('/catalog/changes/live')
  expect([answer.status, answer.body.error.code, answer.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
  expect((await callAs(last.url, last.keys.mia).get('/catalog/changes')).status).toBe(200)
})

test('a stream ends with its key, with the membership of its person and with a workspace that is closed, and no other does', async () => {
  const { url, keys, slug, stream, mia } = await library()
  const [gone, left, stays] = [stream(keys.mia), stream(keys.max), stream(keys.miaReads)]
  for (const one of [gone, left, stays]) await one.head()
  expect((await mia.post('/auth/logout')).status).toBeLessThan(300)
  expect(await gone.end()).toBe('ended')
  const person = { email: `max@${slug}.test`, name: 'max', role: 'member', status: 'disabled' } as const
  await server.changeWorkspace(slug, { members: [person] })
  expect(await left.end()).toBe('ended')
  await pushed(callAs(url, keys.adam), [item()])
  expect(await stays.head()).toBe(await headOf(url, keys.adam))
  await server.changeWorkspace(slug, { state: 'suspended' })
  expect(await stays.end()).toBe('ended')
  expect(await stream(keys.adam).end()).toMatchObject({ status: 402 })
})

test('a server that stops ends the streams in good order', async () => {
  const stopping = await startTestServer({}, byHand)
  const { url, keys } = await stopping.addWorkspace()
  const streams = [openStream(url, keys.mia), openStream(url, keys.max)]
  for (const one of streams) await one.head()
  const ends = streams.map((one) => one.end())
  await stopping.stop()
  expect(await Promise.all(ends)).toEqual(['ended', 'ended'])
})

test('a stream that has nothing to say shows that it is alive, and outlives what is cut for its silence', async () => {
  const pace = { everyMs: 100, bytes: 1000, headersMs: 1000, silenceMs: 1000, aliveMs: 50 }
  const patient = await startTestServer({}, { ...byHand, pace })
  const { url, keys } = await patient.addWorkspace()
  const headers = { authorization: `Bearer ${keys.mia}` }
  const { body } = await fetch(`${url}/api/v1/catalog/changes/live`, { headers })
  const text = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => text.cancel())
  const until = performance.now() + 2.5 * pace.silenceMs
  let signs = 0
  while (performance.now() < until) signs += ((await text.read()).value ?? 'end').split(':\n\n').length - 1
  expect(signs).toBeGreaterThan(5)
  await pushed(callAs(url, keys.mia), [item()])
  let said = ''
  while (!said.includes('event: head')) said += (await text.read()).value ?? 'end'
})

test('a client that goes is no failure in the log, how long it stayed no time of an answer, and open streams are counted', async () => {
  const { keys, stream } = await library()
  const metrics = async () => (await fetch(server.app.metrics.url ?? '')).text()
  const open = async () => Number(/^ph_live_streams (\d+)$/m.exec(await metrics())?.[1])
  const [before, linesBefore] = [await open(), server.logLines.length]
  const one = stream(keys.mia)
  await one.head()
  expect(await open()).toBe(before + 1)
  await one.leave()
  await expect.poll(open).toBe(before)
  const line = () =>
    server.logLines.slice(linesBefore).find((text) => text.includes('/catalog/changes/live') && text.includes('"method":"GET"'))
  await expect
    .poll(() => JSON.parse(line() ?? '{}'))
    .toMatchObject({ level: 30, res: { status: 200 }, msg: 'the connection closed before the end' })
  expect(await metrics()).not.toMatch(/route="[^"]*changes\/live",method="GET",status="(2xx|closed)"/)
})

test.runIf(isPostgres)(
  'all streams share their looks at the database, and keep none of its connections',
  postgresOnly,
  async () => {
    const { server, wire } = await startWiredServer()
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => server.addWorkspace()))
    const streams = workspaces.flatMap(({ url, keys }) =>
      [keys.mia, keys.max, keys.adam, keys.miaReads].map((key) => openStream(url, key)),
    )
    for (const one of streams) await one.head()
    const [before, since] = [wire.executed.length, performance.now()]
    await Promise.all(workspaces.map(({ url, keys }) => pushed(callAs(url, keys.mia), [item()])))
    for (const one of streams) await one.head()
    const looks = wire.executed.slice(before).filter((text) => /found\.\*.*api_keys k.*feed_heads/s.test(text))
    expect(looks.length).toBeGreaterThan(0)
    // They look twice a second.
    expect(looks.length).toBeLessThan(streams.length * Math.max(1, (performance.now() - since) / 1000))
  },
)

test.runIf(isPostgres)('a client that goes before it has heard anything leaves no stream behind', postgresOnly, async () => {
  const { server, wire } = await startWiredServer()
  const { url, keys } = await server.addWorkspace()
  const headers = { authorization: `Bearer ${keys.mia}` }
  for (let times = 0; times < 5; times++) {
    const stop = wire.stopBefore(/found\.\*.*feed_heads/s)
    const leaving = new AbortController()
    const gone = fetch(`${url}/api/v1/catalog/changes/live`, { headers, signal: leaving.signal }).catch(() => {})
    await stop.reached
    leaving.abort()
    await gone
    stop.goOn()
  }
  const open = async () => /^ph_live_streams (\d+)$/m.exec(await (await fetch(server.app.metrics.url ?? '')).text())?.[1]
  await expect.poll(open).toBe('0')
  for (let times = 0; times < 5; times++) expect(await openStream(url, keys.mia).head()).toBe(0)
})

test.runIf(isPostgres)(
  'streams end when the database says nothing any more: nobody knows then what moved',
  postgresOnly,
  async () => {
    const waits = { lockMs: 1000, idleMs: 10_000, doorMs: 1000, readMs: 1000, writeMs: 1000 }
    const { server, wire } = await startWiredServer({ waits })
    const { url, keys } = await server.addWorkspace()
    const stream = openStream(url, keys.mia)
    await stream.head()
    const stop = wire.stopBefore(/found\.\*.*feed_heads/s)
    await stop.reached
    expect(await stream.end()).toBe('ended')
    stop.goOn()
  },
)

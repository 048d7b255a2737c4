// Editor sessions: heartbeats, what they say, when an editor counts as online, and the jobs that wait for it (spec 4.8).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { newProp, ok, refused } from '../support/check-out.ts'
import { uniqueName } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const hourMs = 3_600_000
const server = await startTestServer({}, byHand)
const { url, keys, workspaceId } = await server.addWorkspace()
const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
const reads = callAs(url, keys.miaReads)

const beat = (over: Json = {}): Json => ({
  session_id: uniqueName('ed').replaceAll('_', '-'),
  project_key: 'Village',
  accepts_agent_imports: false,
  heartbeat_interval_seconds: 60,
  ...over,
})
const send = (who: Caller, body: Json) => who.post('/editor-sessions/heartbeat', body)
const sessionsOf = async (who: Caller): Promise<Json[]> => ok(await who.get('/editor-sessions')).sessions
const find = async (who: Caller, { session_id }: Json): Promise<Json | undefined> =>
  (await sessionsOf(who)).find((session) => session.session_id === session_id)
const rows = (session_id: string) =>
  server.database.sql`select 1 from editor_sessions where workspace_id = ${workspaceId} and session_id = ${session_id}`

const everything = {
  engine_version: '5.4.0',
  plugin_version: '1.2',
  machine: 'forge',
  default_root: '/Game/In',
  transfer_mode: 'agent',
  desktop_agent: 'live',
  busy_job_id: 7,
  last_error: 'disk full',
}

test('a session shows what its editor said; null is what it never said', async () => {
  const [full, bare] = [beat(everything), beat({ accepts_agent_imports: true })]
  const before = server.clock.now().getTime()
  const answer = ok(await send(mia, full))
  expect(answer).toEqual({ session_id: full.session_id, server_time: expect.stringMatching(/Z$/), agent_jobs: [] })
  expect(Date.parse(answer.server_time)).toBeGreaterThanOrEqual(before)
  ok(await send(mia, bare))
  const shown = {
    started_at: expect.stringMatching(/Z$/),
    last_seen_at: expect.stringMatching(/Z$/),
    seconds_since_seen: expect.any(Number),
    online: true,
  }
  expect(await find(reads, full)).toEqual({ ...full, ...shown })
  const unsaid = Object.fromEntries(Object.keys(everything).map((name) => [name, null]))
  expect(await find(reads, bare)).toEqual({ ...bare, ...unsaid, ...shown })
})

test('a later heartbeat says anew what it holds: what is left out stays, null clears', async () => {
  const first = beat(everything)
  ok(await send(mia, first))
  const { started_at } = (await find(reads, first)) ?? {}
  server.clock.advance(5_000)
  const { session_id } = first
  ok(
    await send(
      mia,
      beat({ session_id, project_key: 'Harbour', heartbeat_interval_seconds: 5, machine: 'anvil', last_error: null }),
    ),
  )
  expect(await find(reads, first)).toMatchObject({
    ...everything,
    project_key: 'Harbour',
    heartbeat_interval_seconds: 5,
    machine: 'anvil',
    last_error: null,
    started_at,
  })
  const cleared = Object.fromEntries(Object.keys(everything).map((name) => [name, null]))
  ok(await send(mia, beat({ session_id, ...cleared })))
  expect(await find(reads, first)).toMatchObject(cleared)
})

test.each([
  { session_id: 'a'.repeat(8) },
  { session_id: `A-${'9'.repeat(62)}` },
  { project_key: '🪑'.repeat(200) },
  { heartbeat_interval_seconds: 5 },
  { heartbeat_interval_seconds: 3600 },
  { engine_version: 'x'.repeat(200), plugin_version: 'x'.repeat(200), machine: '🪑'.repeat(200) },
  { default_root: '/Game' },
  { default_root: '/Game/a-b/C_d' },
  { transfer_mode: 'legacy' },
  ...['launchable', 'unavailable', 'not_required', 'unknown'].map((desktop_agent) => ({ desktop_agent })),
  { last_error: '🪑'.repeat(500) },
])('a heartbeat may say %j', async (said) => {
  const body = beat(said)
  ok(await send(mia, body))
  expect(await find(reads, body)).toMatchObject(said)
})

test.each([
  { session_id: undefined },
  { session_id: 'a'.repeat(7) },
  { session_id: 'a'.repeat(65) },
  { session_id: 'under_score' },
  { session_id: 'line-break\n' },
  { session_id: 'ümläute-da' },
  { session_id: 12_345_678 },
  { project_key: undefined },
  { project_key: null },
  { project_key: ' ' },
  { project_key: 'p'.repeat(201) },
  { accepts_agent_imports: undefined },
  { accepts_agent_imports: null },
  { accepts_agent_imports: 'yes' },
  ...[undefined, null, 4, 3601, 60.5, '60'].map((heartbeat_interval_seconds) => ({ heartbeat_interval_seconds })),
  ...['engine_version', 'plugin_version', 'machine'].map((name) => ({ [name]: 'x'.repeat(201) })),
  ...['Game', '/Engine', '/GameX', '/Game/a b', '/Game/', `/Game/${'a'.repeat(500)}`].map((default_root) => ({ default_root })),
  { transfer_mode: 'ftp' },
  { desktop_agent: 'asleep' },
  { busy_job_id: 0 },
  { busy_job_id: 'x' },
  { last_error: 'x'.repeat(501) },
])('a heartbeat that says %j is refused and noted nowhere', async (said) => {
  const body = beat(said)
  refused(await send(mia, body), 422, 'VALIDATION')
  if (typeof body.session_id === 'string') expect(await rows(body.session_id)).toHaveLength(0)
})

test('an editor is online until three heartbeats and 15 seconds have passed', async () => {
  const body = beat({ heartbeat_interval_seconds: 100 })
  ok(await send(mia, body))
  const seen = Date.parse((await find(reads, body))?.last_seen_at)
  const goTo = (ms: number) => server.clock.advance(seen + ms - server.clock.now().getTime())
  goTo(300_000)
  const late = await find(reads, body)
  expect(late).toMatchObject({ online: true })
  expect(late?.seconds_since_seen).toBeGreaterThanOrEqual(300)
  goTo(315_001)
  expect(await find(reads, body)).toMatchObject({ online: false })
  server.clock.advance(-600_000)
  expect(await find(reads, body), 'a clock that was put back').toMatchObject({ online: true, seconds_since_seen: 0 })
  server.clock.advance(600_000)
})

test('everyone sees their own sessions of the last day, the one seen last first, admins too', async () => {
  const [older, newer, others] = [beat(), beat(), beat()]
  ok(await send(adam, older))
  ok(await send(max, others))
  server.clock.advance(600_000)
  ok(await send(adam, newer))
  const listed = async () => (await sessionsOf(adam)).map(({ session_id }) => session_id)
  expect(await listed()).toEqual([newer.session_id, older.session_id])
  server.clock.advance(24 * hourMs - 300_000)
  expect(await listed()).toEqual([newer.session_id])
  server.clock.advance(300_000)
  expect(await listed()).toEqual([])
})

test('a session id belongs to who used it first: anybody else is refused, admins too, and changes nothing', async () => {
  const body = beat({ machine: 'mine' })
  ok(await send(mia, body))
  for (const who of [max, adam]) refused(await send(who, { ...body, machine: 'theirs' }), 409, 'CONFLICT')
  expect(await find(mia, body)).toMatchObject({ machine: 'mine' })
  expect(await find(max, body)).toBeUndefined()
})

test('of several people who use a new id at once one has it', async () => {
  for (let round = 0; round < 8; round++) {
    const body = beat()
    const answers = await Promise.all([mia, max, adam].map((who) => send(who, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await rows(body.session_id)).toHaveLength(1)
  }
})

test('whoever sits there, or an admin, says that an editor is gone; the next heartbeat brings it back', async () => {
  const body = beat()
  ok(await send(mia, body))
  refused(await max.del(`/editor-sessions/${body.session_id}`), 403, 'FORBIDDEN')
  expect(await find(mia, body)).toMatchObject({ online: true })
  for (const who of [mia, mia, adam]) {
    ok(await who.del(`/editor-sessions/${body.session_id}`), 204)
    expect(await find(mia, body)).toMatchObject({ online: false })
  }
  ok(await send(mia, body))
  expect(await find(mia, body)).toMatchObject({ online: true })
  ok(await mia.del('/editor-sessions/nobody-was-here'), 204)
})

test('sessions that were unseen for seven days are removed, and their ids are free, removed or not', async () => {
  const [forgotten, taken] = [beat(), beat({ machine: 'mine' })]
  for (const body of [forgotten, taken]) ok(await send(mia, body))
  server.clock.advance(7 * 24 * hourMs - 120_000)
  await server.work.look()
  expect(await rows(forgotten.session_id)).toHaveLength(1)
  refused(await send(max, taken), 409, 'CONFLICT')
  server.clock.advance(120_000)
  ok(await send(max, beat({ session_id: taken.session_id })))
  expect(await find(max, taken)).toMatchObject({ machine: null })
  server.clock.advance(hourMs)
  await server.work.look()
  expect(await rows(forgotten.session_id)).toHaveLength(0)
  expect(await rows(taken.session_id)).toHaveLength(1)
})

test('workspaces know nothing of each other: the same id is another session there', async () => {
  const elsewhere = await server.addWorkspace()
  const stranger = callAs(elsewhere.url, elsewhere.keys.olivia)
  const body = beat({ machine: 'here' })
  ok(await send(mia, body))
  ok(await stranger.del(`/editor-sessions/${body.session_id}`), 204)
  ok(await send(stranger, { ...body, machine: 'there' }))
  expect(await find(mia, body)).toMatchObject({ machine: 'here', online: true })
  expect(await sessionsOf(stranger)).toHaveLength(1)
})

const order = async (who: Caller, target_project: string, delivery = 'agent'): Promise<Json> => {
  const { entry_id } = await newProp(mia)
  return ok(await who.post('/pull-jobs', { target_project, delivery, entries: [{ entry_id }] }), 201)
}

test('an editor that takes agent imports hears of the jobs of its person for exactly its project, the oldest first', async () => {
  const project_key = uniqueName('Proj')
  const [first, second, gone, claimed] = [
    await order(mia, project_key),
    await order(mia, project_key),
    await order(mia, project_key),
    await order(mia, project_key),
  ] as [Json, Json, Json, Json]
  await order(mia, project_key, 'manual')
  await order(max, project_key)
  await order(mia, project_key.toUpperCase())
  ok(await mia.patch(`/pull-jobs/${gone.id}`, { status: 'cancelled' }))
  ok(await mia.post(`/pull-jobs/${claimed.id}/claim`, { project_key, engine_version: '5.4.0' }))
  const body = beat({ project_key, accepts_agent_imports: true })
  const jobs = async (over: Json = {}) => ok(await send(mia, { ...body, ...over })).agent_jobs
  const shown = ok(await mia.get(`/pull-jobs?target_project=${project_key}&status=queued`)).jobs
  expect(await jobs()).toEqual([first, second].map(({ id }) => shown.find((job: Json) => job.id === id)))
  expect(await jobs({ accepts_agent_imports: false })).toEqual([])
  server.clock.advance(61 * 60_000)
  expect(
    (await jobs()).map(({ id }: Json) => id),
    'a claim whose lease is over',
  ).toEqual([first.id, second.id, claimed.id])
})

test('an editor hears apart of what others sent to its project, with who did and why, and never as its own jobs', async () => {
  const project_key = uniqueName('Proj')
  const { entry_id } = await newProp(mia)
  const sent = { target_project: project_key, delivery: 'agent', entries: [{ entry_id }], note: '  for the tavern ' }
  const job = ok(await max.post('/pull-jobs', sent), 201)
  await order(mia, project_key)
  await order(max, project_key, 'manual')
  await order(max, uniqueName('Other'))
  const body = beat({ project_key, accepts_agent_imports: true })
  const { agent_jobs, sent_jobs } = ok(await send(mia, body))
  expect(agent_jobs).toHaveLength(1)
  expect(sent_jobs).toMatchObject([
    { id: job.id, note: 'for the tavern', requested_by: job.requested_by, sender: { name: 'max' } },
  ])
  expect(ok(await send(mia, { ...body, accepts_agent_imports: false }))).not.toHaveProperty('sent_jobs')
  ok(await mia.post(`/pull-jobs/${job.id}/claim`, { project_key }))
  expect(ok(await send(mia, body))).not.toHaveProperty('sent_jobs')
})

test('twenty jobs are told of at once', async () => {
  const project_key = uniqueName('Proj')
  const made: number[] = []
  for (let at = 0; at < 21; at++) made.push((await order(mia, project_key)).id)
  const body = beat({ project_key, accepts_agent_imports: true })
  expect(ok(await send(mia, body)).agent_jobs.map(({ id }: Json) => id)).toEqual(made.slice(0, 20))
})

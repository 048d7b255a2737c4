/**
 * Two servers on one PostgreSQL and one bucket, behind one address: one is killed while a push runs, and everything agrees (design, "Scale").
 * Then all of it is removed, and a backup brings it back.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifySignature } from '../../client/webhooks/verify-signature.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { readsOf } from '../support/library-reads.ts'
import { hasObjectStorage, startObjectStorage } from '../support/object-storage.ts'
import { phProcess } from '../support/ph-process.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { emptyProject } from '../support/pull.ts'
import { sha256 } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { workspaceOf } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary, requireWholeLists } from '../support/whole-library.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000', PH_WEBHOOK_ALLOW_PRIVATE: '1' }

/** Each with a data folder of its own, as on two machines. `start` takes the place of one that was killed. */
async function twoServers() {
  const store = await startObjectStorage()
  const database = await freshPostgres()
  const { workspace, keys } = workspaceOf('acme')
  const file = join(temporaryFolder(), 'provision.json')
  const password = 'correct horse'
  const [first, ...others] = workspace.members ?? []
  writeFileSync(file, JSON.stringify({ workspaces: [{ ...workspace, members: [{ ...first, password }, ...others] }] }))
  const processes: ServerProcess[] = []
  onTestFinished(async () => {
    for (const one of processes) if (one.isAlive()) await one.kill()
    await database?.drop()
  })
  const env = { PH_DATABASE_URL: database?.url ?? '', ...lifted, ...store.env }
  const start = async (more: Record<string, string> = {}, dataDir = temporaryFolder()) => {
    const server = await startServerProcess(['--data', dataDir, '--provision', file], { env: { ...env, ...more } })
    processes.push(server)
    return server
  }
  const stopAll = async () => {
    for (const one of processes) if (one.isAlive()) await one.stop()
  }
  return { start, stopAll, keys, store, env, email: first?.email ?? '', password }
}

type Servers = Awaited<ReturnType<typeof twoServers>>

/** Ids of the events that a receiver took for genuine, as its answers say too. */
async function toldBy(admin: Caller): Promise<Set<number>> {
  const told = new Set<number>()
  let secret = ''
  const receiver = await startReceiver((_path, { bytes: body, headers, json }) => {
    if (!verifySignature({ secret, signature: String(headers['x-ph-signature']), body, nowMs: Date.now() })) return 401
    told.add(json.id)
    return 200
  })
  const made = await admin.post('/admin/webhooks', { url: receiver.url, events: null })
  expect(made.status).toBe(201)
  secret = made.body.secret
  return told
}

/** Two people at two servers: a round, an answer, and an approval. */
async function reviewed(entry: Json, { mia, max }: Record<'mia' | 'max', Caller>): Promise<void> {
  const { body: me } = await max.get('/members/me')
  const asked = { object_id: entry.object_id, reviewer_ids: [me.id] }
  const { body } = await mia.post(`/entries/${entry.id}/review-requests`, asked)
  const answer = { response: 'approved', note: 'Good.' }
  expect((await max.post(`/review-requests/${body.request.id}/respond`, answer)).status).toBe(200)
  expect((await mia.get(`/entries/${entry.id}`)).body.review_status).toBe('approved')
}

/** Everything is removed, the database, the bucket and the folders of the servers; what comes back answers as before. */
async function restoredFrom(backup: string, { start, stopAll, store, env, keys }: Servers): Promise<Record<string, unknown>> {
  await stopAll()
  for await (const page of store.bucket.list('')) await store.bucket.remove(page.map(({ key }) => key))
  const database = await freshPostgres()
  onTestFinished(() => database?.drop())
  const [dataDir, empty] = [join(temporaryFolder(), 'data'), { PH_DATABASE_URL: database?.url ?? '' }]
  const { code, stderr } = await phProcess(['server', 'restore', backup, '--data', dataDir, '--json'], {
    env: { ...env, ...empty },
  })
  expect([code, stderr]).toEqual([0, ''])
  const server = await start(empty, dataDir)
  return readsOf({ url: `${server.url}/w/acme`, key: keys.olivia })
}

test.runIf(isPostgres && hasObjectStorage)(
  'a push goes on at the other server when one is killed, all agrees at both, webhooks tell of it, and from a backup it all comes back',
  postgresOnly,
  async () => {
    const servers = await twoServers()
    const { start, keys, store, email, password } = servers
    // The second one is told to take uploads itself: both ways lead into one bucket.
    const dataDir = temporaryFolder()
    const [one, other] = [await start(), await start({ PH_DIRECT_UPLOAD: 'off' }, dataDir)]
    const adam = callAs(`${other.url}/w/acme`, keys.adam)
    const told = await toldBy(adam)
    const proxy = await startProxy(one.url)
    const library = { url: `${proxy.url(one.url)}/w/acme`, key: keys.mia }
    const project = await GrowingProject.begin(library, 'two servers')
    await project.grow()
    expect((await project.push()).summary).toMatchObject({ new: 5, failed: 0 })
    const straight = store.front.asked.filter((asked) => asked.startsWith('PUT') && asked.includes('/blobs/')).length
    expect(straight).toBe(5)

    await project.grow()
    await one.dieAt({ address: '/push/commit', before: { kind: 'wire', step: 4 } })
    void one.ended.then(() => proxy.leadTo(other.url))
    const { summary } = await project.push()
    expect([one.isAlive(), summary]).toEqual([false, expect.objectContaining({ failed: 0, held: 0, outdated: 0 })])
    await project.grow()
    expect((await project.push()).summary).toMatchObject({ failed: 0, held: 0 })

    const again = await start()
    const here = { url: `${again.url}/w/acme`, key: keys.mia }
    const there = { url: `${other.url}/w/acme`, key: keys.max }
    const lists = await requireWholeLists(here)
    project.requireComplete(lists)
    expect((await requireWholeLibrary(there)).objects).toEqual(lists.objects)

    const [mia, max] = [callAs(here.url, keys.mia), callAs(there.url, keys.max)]
    const [entry] = lists.entries as [Json]
    const found = async (caller: typeof mia) =>
      (await caller.get(`/entries?q=${entry.name}`)).body.entries.map((hit: Json) => hit.id)
    expect(await found(mia)).toEqual(await found(max))
    const lock = { lineage_id: entry.lineage_id }
    expect((await mia.post('/locks', lock)).status).toBe(201)
    expect((await max.post('/locks', lock)).body.error.code).toBe('LOCKED')
    const signed = await fetch(`${again.url}/w/acme/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    const cookie = signed.headers.get('set-cookie')?.split(';')[0] ?? ''
    const who = await fetch(`${there.url}/api/v1/auth/tokens`, { headers: { cookie } })
    expect([signed.status, who.status]).toEqual([200, 200])

    await reviewed(entry, { mia, max })
    const events = (await adam.get('/activity?limit=200&collapse=false')).body.events.map(({ id }: Json) => id)
    await expect.poll(() => [...told], { timeout: 60_000 }).toEqual(expect.arrayContaining(events))

    const target = emptyProject()
    await target.pull(there, [entry.name])
    expect(Object.values(target.files()).map(sha256)).toContain(entry.content_hash)

    const before = await readsOf({ url: there.url, key: keys.olivia })
    const backup = join(temporaryFolder(), 'backups')
    const taken = await phProcess(['server', 'backup', backup, '--data', dataDir, '--json'], { env: servers.env })
    expect([taken.code, taken.stderr]).toEqual([0, ''])
    expect(await restoredFrom(backup, servers)).toEqual(before)
  },
)

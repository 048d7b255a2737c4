// Two servers on one PostgreSQL and one bucket, behind one address: one is killed while a push runs, and everything agrees (design, "Scale").
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { hasObjectStorage, startObjectStorage } from '../support/object-storage.ts'
import { emptyProject } from '../support/pull.ts'
import { sha256 } from '../support/push.ts'
import { workspaceOf } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary, requireWholeLists } from '../support/whole-library.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }

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
  const start = async (more: Record<string, string> = {}) => {
    const env = { PH_DATABASE_URL: database?.url ?? '', ...lifted, ...store.env, ...more }
    const server = await startServerProcess(['--data', temporaryFolder(), '--provision', file], { env })
    processes.push(server)
    return server
  }
  return { start, keys, store, email: first?.email ?? '', password }
}

test.runIf(process.env.PH_TEST_DATABASE_URL && hasObjectStorage)(
  'a push goes on at the other server when one is killed, and lists, files, searches, check-outs and sign-ins agree at both',
  { timeout: 480_000 },
  async () => {
    const { start, keys, store, email, password } = await twoServers()
    // The second one is told to take uploads itself: both ways lead into one bucket.
    const [one, other] = [await start(), await start({ PH_DIRECT_UPLOAD: 'off' })]
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

    const target = emptyProject()
    await target.pull(there, [entry.name])
    expect(Object.values(target.files()).map(sha256)).toContain(entry.content_hash)
  },
)

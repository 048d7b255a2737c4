// Several server processes on one PostgreSQL, one of which stands still in the middle of a commit: the others go on, and so does it (spec 7).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Answer, type Caller, callAs } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { oneWaitsFor } from '../support/lock-waits.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { workspaceOf } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Two processes that share a database and files; `settings` are what their address of the database says of sessions. */
async function twoProcesses(settings: Record<string, string>) {
  const database = await freshPostgres()
  const url = new URL(database?.url ?? '')
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value)
  const [data, file] = [temporaryFolder(), join(temporaryFolder(), 'provision.json')]
  const made = { busy: workspaceOf('busy'), calm: workspaceOf('calm') }
  writeFileSync(file, JSON.stringify({ workspaces: [made.busy.workspace, made.calm.workspace] }))
  const admin = postgres(database?.url ?? '', { onnotice: () => {}, max: 4 })
  const processes: ServerProcess[] = []
  onTestFinished(async () => {
    for (const one of processes) await one.kill()
    await admin.end()
    await database?.drop()
  })
  const start = async () => {
    const env = { PH_DATABASE_URL: url.href, PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
    const process = await startServerProcess(['--data', data, '--provision', file], { env })
    processes.push(process)
    const as = (slug: 'busy' | 'calm') => callAs(`${process.url}/w/${slug}`, made[slug].keys.mia)
    return { process, busy: as('busy'), calm: as('calm'), ready: async () => (await fetch(`${process.url}/readyz`)).status }
  }
  return { admin, here: await start(), there: await start() }
}
type Two = Awaited<ReturnType<typeof twoProcesses>>

/** Commits at `here`, which stands still when all but the feed is written; answers with its commit still to come. */
async function standStillInCommit({ admin, here }: Two) {
  const one = item()
  await upload(here.busy, [one])
  let answer: Promise<Answer> | undefined
  await admin.begin(async (holding) => {
    await holding`select 1 from feed_heads where workspace_id = (select id from workspaces where slug = 'busy') for update`
    answer = here.busy.post('/push/commit', manifestOf([one]))
    const [{ pid } = { pid: 0 }] = await holding<{ pid: number }[]>`select pg_backend_pid() as pid`
    const waiting = () => admin`select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`
    await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1)
    here.process.signal('SIGSTOP')
  })
  return { answer: answer as Promise<Answer>, hash: one.content_hash }
}

const isKnown = async (caller: Caller, hash: string) => (await caller.get(`/blobs/${hash}/url`)).status === 200

async function expectOthersGoOn({ there }: Two): Promise<void> {
  const reads = [
    ...['/auth/me', '/entries', '/packs', '/catalog/changes'].flatMap((path) => [there.busy.get(path), there.calm.get(path)]),
  ]
  expect((await Promise.all(reads)).map((answer) => answer.status)).toEqual(reads.map(() => 200))
  expect(await there.ready()).toBe(200)
  expect((await pushed(there.calm, [item()]))[0]?.status).toBe('new')
}

describe.runIf(isPostgres)('a process that stands still in the middle of a commit', postgresOnly, () => {
  test('keeps no reader and no other workspace waiting, and the database ends its session, so that writers go on', async () => {
    const two = await twoProcesses({ idle_in_transaction_session_timeout: '4000' })
    const { here, there, admin } = two
    const writes = Array.from({ length: 12 }, () => item())
    await upload(there.busy, writes)
    const { answer, hash } = await standStillInCommit(two)
    const writing = writes.map((one) => there.busy.post('/push/commit', manifestOf([one])))
    await oneWaitsFor(admin, { key: 7410 })
    await expectOthersGoOn(two)
    expect((await Promise.all(writing)).map(({ status }) => status)).toEqual(writes.map(() => 200))
    here.process.signal('SIGCONT')
    const { status, body } = await answer
    expect([status, body.error.code, body.error.details.reason]).toEqual([503, 'UNAVAILABLE', 'database_away'])
    expect(await isKnown(there.busy, hash)).toBe(false)
    await expect.poll(here.ready, { timeout: 60_000 }).toBe(200)
    expect((await pushed(here.busy, [item()]))[0]?.status).toBe('new')
  })

  test('is waited for by writers of its workspace for ten seconds, told so, and commits when it goes on in time', async () => {
    const two = await twoProcesses({ idle_in_transaction_session_timeout: '60000', lock_timeout: '3000' })
    const { here, there } = two
    const [made] = await pushed(there.busy, [item()])
    const { answer, hash } = await standStillInCommit(two)
    const one = item()
    await upload(there.busy, [one])
    // First those who wait for the lock of the workspace, then those who wait for a row.
    const commits = () => there.busy.post('/push/commit', manifestOf([one]))
    const changes = () => there.busy.patch(`/entries/${made?.entry_id}`, { category: 'Late' })
    for (const write of [commits, changes]) {
      const writing = Array.from({ length: 12 }, write)
      await expectOthersGoOn(two)
      for (const { status, headers, body } of await Promise.all(writing)) {
        expect([status, body.error?.code, body.error?.details]).toEqual([503, 'UNAVAILABLE', { reason: 'busy' }])
        expect(headers.get('retry-after')).toBe('2')
      }
    }
    await expectOthersGoOn(two)
    here.process.signal('SIGCONT')
    expect((await answer).status).toBe(200)
    expect(await isKnown(there.busy, hash)).toBe(true)
    expect((await there.busy.post('/push/commit', manifestOf([one]))).status).toBe(200)
  })
})

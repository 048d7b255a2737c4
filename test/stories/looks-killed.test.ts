/** Vectors of thumbnails are made behind all requests: servers that are killed in the middle of it, and a second server on one database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { migratedDatabase } from '../support/fresh-postgres.ts'
import { putThumbnail } from '../support/looking-server.ts'
import { noisyPng } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { workspaceOf } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }

/** A library whose servers all end with the test. */
async function library() {
  const dataDir = mkdtempSync(join(tmpdir(), 'ph-looks-'))
  const database = await migratedDatabase(join(dataDir, 'database'))
  const { workspace, keys } = workspaceOf('acme')
  const provision = join(dataDir, 'provision.json')
  writeFileSync(provision, JSON.stringify({ workspaces: [workspace] }))
  const servers: ServerProcess[] = []
  onTestFinished(async () => {
    for (const server of servers) await server.kill()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })
  const start = async (embedder: 'off' | 'descriptor') => {
    const env = { ...lifted, PH_EMBEDDER: embedder, ...(database && { PH_DATABASE_URL: database.url }) }
    const server = await startServerProcess(['--data', dataDir, '--provision', provision], { env })
    servers.push(server)
    return { server, mia: callAs(`${server.url}/w/acme`, keys.mia) }
  }
  /** On PostgreSQL others wait three minutes for a server that was killed: as if they had passed. The embedded database has no others. */
  const leaseRunsOut = async () => {
    if (!database) return
    const sql = postgres(database.url, { max: 1 })
    await sql`update background_jobs set leased_until = now() where leased_by is not null`
    await sql.end()
  }
  return { start, leaseRunsOut }
}

async function pictured(mia: Caller, count: number): Promise<number[]> {
  const results = await pushed(
    mia,
    Array.from({ length: count }, () => item()),
  )
  await Promise.all(results.map(async (result) => putThumbnail(mia, result, await noisyPng(40, 40))))
  return results.map(({ entry_id }) => entry_id as number)
}

/** How many others are compared with an entry: all that have a vector. */
async function compared(mia: Caller, id: number): Promise<number> {
  const { status, body } = await mia.get(`/entries?similar_to=${id}&limit=1`)
  expect([200, 409], JSON.stringify(body)).toContain(status)
  return status === 200 ? body.total : -1
}

async function allLike(mia: Caller, id: number): Promise<number[]> {
  const { body } = await mia.get(`/entries?similar_to=${id}&limit=200`)
  return body.entries.map((entry: Json) => entry.id).sort((a: number, b: number) => a - b)
}

test('a server that is killed while it makes vectors loses none and doubles none: the next ones go on to the end', async () => {
  const { start, leaseRunsOut } = await library()
  const { server, mia } = await start('off')
  const ids = await pictured(mia, 195)
  const [first = 0, ...others] = ids
  await server.stop()
  let made = -1
  for (let deaths = 0; deaths < 2; deaths++) {
    const next = await start('descriptor')
    // A step's vectors are there: it is at the next ones.
    const before = made
    await expect
      .poll(async () => (made = await compared(next.mia, first)), { timeout: 120_000, interval: 5 })
      .toBeGreaterThan(before)
    expect(await next.server.kill()).toMatchObject({ signal: 'SIGKILL' })
    expect(made, 'some are left').toBeLessThan(others.length)
    await leaseRunsOut()
  }
  const last = await start('descriptor')
  expect(await compared(last.mia, first), 'what was there before the kill still is').toBeGreaterThanOrEqual(made)
  await expect.poll(() => compared(last.mia, first), { timeout: 120_000 }).toBe(others.length)
  expect(await allLike(last.mia, first)).toEqual(others)
  const late = await pictured(last.mia, 1)
  await expect.poll(() => compared(last.mia, first), { timeout: 120_000 }).toBe(ids.length)
  expect(await allLike(last.mia, late[0] ?? 0)).toEqual(ids)
})

test.runIf(isPostgres)(
  'a second server process on one database finds what the first has looked at, and goes on when that is killed',
  postgresOnly,
  async () => {
    const { start, leaseRunsOut } = await library()
    const [one, other] = [await start('descriptor'), await start('descriptor')]
    const [first = 0, ...others] = await pictured(one.mia, 10)
    for (const { mia } of [other, one]) {
      await expect.poll(() => compared(mia, first), { timeout: 120_000 }).toBe(others.length)
      expect(await allLike(mia, first)).toEqual(others)
    }
    const more = await pictured(one.mia, 70)
    await one.server.kill()
    await leaseRunsOut()
    await expect.poll(() => compared(other.mia, first), { timeout: 120_000 }).toBe(others.length + more.length)
    expect(await allLike(other.mia, first)).toEqual([...others, ...more])
  },
)

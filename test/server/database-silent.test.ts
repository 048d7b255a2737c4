// A PostgreSQL that takes what it is told and says nothing, and clients of it that stop in the middle of what they say: nobody waits without end.

import { once } from 'node:events'
import { connect } from 'node:net'
import postgres from 'postgres'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { hashSecret } from '../../server/accounts/secrets.ts'
import { callAs } from '../support/api.ts'
import { wireTo } from '../support/database-wire.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

/** So little that a test can wait for it; statements of a busy machine take less. */
const waits = { lockMs: 3000, idleMs: 3000, doorMs: 3000, readMs: 3000, writeMs: 3000 }

describe.runIf(isPostgres)('PostgreSQL', postgresOnly, async () => {
  const database = await freshPostgres()
  if (!database) return
  const wire = await wireTo(database.url)
  const server = await startTestServer({ databaseUrl: wire.url }, { waits })
  const { url, keys, slug, workspaceId } = await server.addWorkspace()
  const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]
  const admin = postgres(database.url, { onnotice: () => {}, max: 4 })
  afterEach(async () => {
    await wire.repair()
    await isBack()
  })
  afterAll(async () => {
    await wire.cut()
    await admin.end()
    await database.drop()
  })
  const readiness = async () => (await fetch(`${server.url}/readyz`)).status
  const isBack = () => expect.poll(readiness, { timeout: 60_000 }).toBe(200)

  test('a database that falls silent is told by the front door and by /readyz, and is there again when it speaks', async () => {
    expect((await mia.get('/entries')).status).toBe(200)
    wire.swallow()
    const answers = await Promise.all([mia.get('/auth/me'), mia.post('/push/negotiate', {}), max.get('/entries')])
    for (const { status, headers, body } of answers)
      expect([status, headers.get('retry-after'), typeof body.error]).toEqual([503, '2', 'string'])
    expect(await readiness()).toBe(503)
    await wire.repair()
    await isBack()
    expect((await pushed(mia, [item()]))[0]?.status).toBe('new')
  })

  test('a commit whose database falls silent ends, and the next one goes through', async () => {
    const one = item()
    await upload(mia, [one])
    const asked = await admin.begin(async (holding) => {
      await holding`select 1 from feed_heads where workspace_id = ${workspaceId} for update`
      const [{ pid } = { pid: 0 }] = await holding<{ pid: number }[]>`select pg_backend_pid() as pid`
      const answer = mia.post('/push/commit', manifestOf([one]))
      await expect.poll(() => admin`select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`).toHaveLength(1)
      wire.swallow()
      return { answer }
    })
    const { status, body } = await asked.answer
    expect([status, body.error.code, body.error.details]).toEqual([503, 'UNAVAILABLE', { reason: 'database_away' }])
    await wire.repair()
    await isBack()
    const sessions = () =>
      admin`select 1 from pg_stat_activity where state = 'idle in transaction' and datname = ${database.url.split('/').at(-1) ?? ''}`
    await expect.poll(sessions, { timeout: 60_000 }).toHaveLength(0)
    expect((await pushed(mia, [one]))[0]?.status).toBe('new')
  })

  test('a row that one key needs and someone holds keeps the requests of that key waiting, and no others', async () => {
    expect([(await mia.get('/auth/me')).status, (await max.get('/auth/me')).status]).toEqual([200, 200])
    await admin.begin(async (holding) => {
      await holding`
        select 1 from request_windows r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
         where k.key_hash = ${hashSecret(keys.mia)} for update of r`
      const both = Array.from({ length: 40 }, () => [mia.get('/auth/me'), max.get('/auth/me')])
      const answers = await Promise.all(both.map((pair) => Promise.all(pair)))
      expect(new Set(answers.map(([ofMia, ofMax]) => `${ofMia?.status} ${ofMax?.status}`))).toEqual(new Set(['503 200']))
      expect(answers[0]?.[0]?.headers.get('retry-after')).toBe('2')
    })
    await expect.poll(async () => (await mia.get('/auth/me')).status).toBe(200)
  })

  test('a session that stops in the middle of a statement, where the database waits on, is ended by whichever server is there', async () => {
    const stopped = await beginAndStop(database.url, `select pg_advisory_xact_lock(7410, ${workspaceId})`)
    await once(stopped, 'close')
    expect((await pushed(callAs(`${server.url}/w/${slug}`, keys.mia), [item()]))[0]?.status).toBe('new')
  })
})

/** A session named as the server's are, which executes `statement` in a transaction, and then says only the beginning of the next. */
async function beginAndStop(databaseUrl: string, statement: string) {
  const { hostname, port, pathname } = new URL(databaseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const says = async (message: Buffer) => {
    socket.write(message)
    await once(socket, 'data')
  }
  const settings = ['user', 'postgres', 'database', pathname.slice(1), 'application_name', 'prop-house']
  const own = ['idle_in_transaction_session_timeout', '1000', '']
  await says(message('', Buffer.concat([Buffer.from([0, 3, 0, 0]), text(...settings, ...own)])))
  await says(message('Q', text(`begin; ${statement}`)))
  // Parse, and Flush instead of Sync: the statement goes on with a message that never comes.
  await says(
    Buffer.concat([message('P', Buffer.concat([text('', 'select 1'), Buffer.from([0, 0])])), message('H', Buffer.alloc(0))]),
  )
  return socket
}

const text = (...parts: string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(''))

/** PostgreSQL's protocol 3: a letter, but for the first message, then the length of what follows, itself included. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

// Files that nobody took over for a day go: from the disk, from the rows and from what is counted; and those that someone takes over stay.
import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/main.ts'
import { blobKey } from '../../server/storage/storage.ts'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { someoneWaits } from '../support/lock-waits.ts'
import { pngOf } from '../support/media.ts'
import { type Item, item, manifestOf, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'
import type { StatementWire } from '../support/statement-wire.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const hourMs = 3_600_000
const isShared = process.env.PH_TEST_DATABASE_URL !== undefined
const race = test.runIf(isShared)
let server: TestServer
let wire: StatementWire

beforeAll(async () => {
  if (isShared) ({ server, wire } = await startWiredServer(byHand))
  else server = await startTestServer({}, byHand)
})

async function freshLibrary() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  return { mia: callAs(url, keys.mia), olivia: callAs(url, keys.olivia), workspaceId }
}
const pathOf = (workspaceId: number, { content_hash }: Json) =>
  join(server.dataDir, 'storage', blobKey(workspaceId, content_hash))
const areThere = (workspaceId: number, files: readonly Json[]) => files.map((file) => existsSync(pathOf(workspaceId, file)))
const sizeOf = (files: readonly Item[]) => files.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** What is counted, and the sizes of the files on the disk that wait. */
async function countOf(workspaceId: number) {
  await server.ledger.written(workspaceId)
  const [row] = await server.database.sql<{ stored: number; loose: number }[]>`
    select stored_bytes as stored, (select count(*) from loose_files l where l.workspace_id = w.id)::int as loose
      from workspaces w where id = ${workspaceId}`
  return row
}
async function uploaded(mia: Caller, workspaceId: number, files: Item[]): Promise<void> {
  await upload(mia, files)
  await server.ledger.written(workspaceId)
}
const commit = (mia: Caller, files: Item[]) => mia.post('/push/commit', manifestOf(files))
const ok = (answer: Answer, status = 200): Json => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  return answer.body
}

test('uploads that nobody commits for a day go with their rows and their bytes in the count, and no others', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const [kept, forgotten, late] = [[item(), item()], Array.from({ length: 120 }, () => item()), [item()]]
  await uploaded(mia, workspaceId, [...kept, ...forgotten])
  ok(await commit(mia, kept))
  server.clock.advance(hourMs)
  await uploaded(mia, workspaceId, late)
  server.clock.advance(23 * hourMs - 60_000)
  await server.work.look()
  expect(await countOf(workspaceId)).toEqual({ stored: sizeOf([...kept, ...forgotten, ...late]), loose: 121 })
  server.clock.advance(hourMs)
  await server.work.look()
  expect(areThere(workspaceId, forgotten)).not.toContain(true)
  expect(areThere(workspaceId, [...kept, ...late])).not.toContain(false)
  expect(await countOf(workspaceId)).toEqual({ stored: sizeOf([...kept, ...late]), loose: 1 })
})

test('what was swept can come again and be committed, and counts once', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const file = item()
  await uploaded(mia, workspaceId, [file])
  server.clock.advance(25 * hourMs)
  await server.work.look()
  expect(ok(await commit(mia, [file]), 409).error).toMatchObject({
    code: 'BLOB_MISSING',
    details: { missing: [file.content_hash] },
  })
  await pushed(mia, [file])
  expect(await countOf(workspaceId)).toEqual({ stored: file.bytes.length, loose: 0 })
})

test('a push that asks about old files has them for another day', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const files = [item(), item()]
  await uploaded(mia, workspaceId, files)
  server.clock.advance(24 * hourMs - 60_000)
  expect(ok(await mia.post('/push/negotiate', manifestOf(files))).missing_hashes).toEqual([])
  server.clock.advance(2 * hourMs)
  await server.work.look()
  expect(ok(await commit(mia, files)).summary).toMatchObject({ new: 2 })
  expect(await countOf(workspaceId)).toEqual({ stored: sizeOf(files), loose: 0 })
})

test('bytes of a deleted entry go a day later, though they stopped counting at once', async () => {
  const { mia, olivia, workspaceId } = await freshLibrary()
  const [file, other] = [item(), item()]
  const [made = {}] = await pushed(mia, [file, other])
  await server.ledger.written(workspaceId)
  ok(await olivia.del(`/entries/${made.entry_id}`), 204)
  server.clock.advance(23 * hourMs)
  await server.work.look()
  expect(areThere(workspaceId, [file])).toEqual([true])
  server.clock.advance(2 * hourMs)
  await server.work.look()
  expect(areThere(workspaceId, [file, other])).toEqual([false, true])
  expect(await countOf(workspaceId)).toEqual({ stored: other.bytes.length, loose: 0 })
})

test('the word of an upload that is written down after its entry was deleted counts nothing', async () => {
  const { mia, olivia, workspaceId } = await freshLibrary()
  const file = item()
  const [made = {}] = await pushed(mia, [file])
  ok(await olivia.del(`/entries/${made.entry_id}`), 204)
  server.ledger.note({ key: blobKey(workspaceId, file.content_hash), size: file.bytes.length, storedAt: new Date(0) })
  expect(await countOf(workspaceId)).toEqual({ stored: 0, loose: 1 })
})

test('bytes that came back into the library after a deletion stay', async () => {
  const { mia, olivia, workspaceId } = await freshLibrary()
  const file = item()
  const [made = {}] = await pushed(mia, [file])
  ok(await olivia.del(`/entries/${made.entry_id}`), 204)
  await pushed(mia, [file])
  server.clock.advance(25 * hourMs)
  await server.work.look()
  expect(areThere(workspaceId, [file])).toEqual([true])
  expect(await countOf(workspaceId)).toEqual({ stored: file.bytes.length, loose: 0 })
})

/** A picture that is in the store and waits for its finalize. */
async function waitingPicture(mia: Caller, workspaceId: number) {
  const [made = {}] = await pushed(mia, [item()])
  const wish = { entry_id: made.entry_id, object_id: made.object_id, kind: 'thumbnail' }
  const { targets } = ok(await mia.post('/entries/media/presign', { items: [wish] }))
  const { upload_url, headers, artifact_id } = targets[0]
  const body = new Uint8Array(await pngOf(3, 3))
  ok({ ...(await fetch(upload_url, { method: 'PUT', headers, body })), status: 200, body: {} } as Answer)
  await server.ledger.written(workspaceId)
  return { finalize: () => mia.post('/entries/media/finalize', { items: [{ ...wish, artifact_id }] }), size: body.length }
}

test('a picture that nobody finalizes for a day goes, and finalizing it then says that it is not there', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const { finalize, size } = await waitingPicture(mia, workspaceId)
  const stored = (await countOf(workspaceId))?.stored ?? 0
  server.clock.advance(25 * hourMs)
  await server.work.look()
  expect(await countOf(workspaceId)).toEqual({ stored: stored - size, loose: 0 })
  expect((await finalize()).status).toBe(404)
})

test('a file that is gone from the disk already goes from the rows and the count', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const file = item()
  await uploaded(mia, workspaceId, [file])
  rmSync(pathOf(workspaceId, file))
  server.clock.advance(25 * hourMs)
  await server.work.look()
  expect(await countOf(workspaceId)).toEqual({ stored: 0, loose: 0 })
})

test('bytes that come again where a sweep was cut off after the first ones went are as good as new', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const file = item()
  await uploaded(mia, workspaceId, [file])
  server.clock.advance(25 * hourMs)
  rmSync(pathOf(workspaceId, file))
  await uploaded(mia, workspaceId, [file])
  await server.work.look()
  expect(areThere(workspaceId, [file])).toEqual([true])
  expect(await countOf(workspaceId)).toEqual({ stored: file.bytes.length, loose: 1 })
})

test('one workspace whose files cannot be removed keeps no other from its sweep, and is swept when they can', async () => {
  const [stuck, free] = [await freshLibrary(), await freshLibrary()]
  const [first, second] = [item(), item()]
  await uploaded(stuck.mia, stuck.workspaceId, [first])
  await uploaded(free.mia, free.workspaceId, [second])
  const path = pathOf(stuck.workspaceId, first)
  rmSync(path)
  mkdirSync(path)
  server.clock.advance(25 * hourMs)
  await server.work.look()
  expect(areThere(free.workspaceId, [second])).toEqual([false])
  expect(await countOf(stuck.workspaceId)).toEqual({ stored: first.bytes.length, loose: 1 })
  rmdirSync(path)
  server.clock.advance(5_000)
  await server.work.look()
  expect(await countOf(stuck.workspaceId)).toEqual({ stored: 0, loose: 0 })
})

/** A second server on the same library, as another process would be. */
async function secondServer() {
  const other = await startServer({ settings: { ...server.settings, port: 0 }, clock: server.clock, log: 'none', ...byHand })
  onTestFinished(() => other.stop())
  return other
}

race('a commit that has seen a day-old file keeps it, though another server sweeps before it takes the file over', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const other = await secondServer()
  const [wanted, forgotten] = [item(), item()]
  await uploaded(mia, workspaceId, [wanted, forgotten])
  server.clock.advance(25 * hourMs)
  const answer = await interrupted(wire, {
    request: () => commit(mia, [wanted]),
    before: /pg_try_advisory_xact_lock/,
    meanwhile: () => other.work.look(),
  })
  expect(ok(answer).summary).toMatchObject({ new: 1 })
  expect(areThere(workspaceId, [wanted, forgotten])).toEqual([true, false])
  expect(await countOf(workspaceId)).toEqual({ stored: wanted.bytes.length, loose: 0 })
})

race('a commit that comes while the sweep is at the file is told that it is missing', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const file = item()
  await uploaded(mia, workspaceId, [file])
  server.clock.advance(25 * hourMs)
  let committing: Promise<Answer> | undefined
  await interrupted(wire, {
    request: () => server.work.look(),
    // It has chosen, and removed nothing yet.
    before: /select content_hash from objects/,
    meanwhile: async () => {
      committing = commit(mia, [file])
      await someoneWaits(server.database.sql)
    },
  })
  expect(ok(await (committing as Promise<Answer>), 409).error.code).toBe('BLOB_MISSING')
  expect(areThere(workspaceId, [file])).toEqual([false])
  expect(await countOf(workspaceId)).toEqual({ stored: 0, loose: 0 })
})

race('a file that a commit finds only under its lock is not swept before the commit ends', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const other = await secondServer()
  const file = item()
  const writing = wire.stopBefore(/insert into objects/)
  let sweeping: Promise<void> | undefined
  const committing = interrupted(wire, {
    request: () => commit(mia, [file]),
    before: /pg_try_advisory_xact_lock/,
    meanwhile: async () => {
      await uploaded(mia, workspaceId, [file])
      const dayAgo = new Date(server.clock.now().getTime() - 25 * hourMs).toISOString()
      await server.database.sql`update loose_files set loose_since = ${dayAgo} where workspace_id = ${workspaceId}`
    },
  })
  await writing.reached
  try {
    server.clock.advance(2 * hourMs)
    sweeping = other.work.look()
    await someoneWaits(server.database.sql)
  } finally {
    writing.goOn()
  }
  expect(ok(await committing).summary).toMatchObject({ new: 1 })
  await sweeping
  expect(areThere(workspaceId, [file])).toEqual([true])
  expect(await countOf(workspaceId)).toEqual({ stored: file.bytes.length, loose: 0 })
})

race('a picture that is finalized at the moment of the sweep stays', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const { finalize } = await waitingPicture(mia, workspaceId)
  const before = await countOf(workspaceId)
  server.clock.advance(25 * hourMs)
  const answer = await interrupted(wire, {
    request: finalize,
    before: /update artifacts a set/,
    meanwhile: () => server.work.look(),
  })
  ok(answer)
  expect(await countOf(workspaceId)).toEqual({ stored: before?.stored, loose: 0 })
})

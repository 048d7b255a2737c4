// The storage limit: every byte that a workspace keeps is counted once, no matter how many bring it at the same moment; at the limit no more come in.
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { type Item, item, manifestOf, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const bytesOf = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(Math.random() * 256)))
const sized = (size: number) => item({ bytes: bytesOf(size) })
const reasonOf = ({ status, body }: Answer) => [status, body.error?.details?.reason]

/** What is counted, and what the rows of everything that is kept come to. */
async function counted(slug: string) {
  const [workspace] = await server.database.sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`
  await server.ledger.written(workspace?.id)
  const [row] = await server.database.sql<{ stored: number; kept: number }[]>`
    select w.stored_bytes as stored,
           (select coalesce(sum(o.blob_size), 0) from objects o where o.workspace_id = w.id)::bigint
           + (select coalesce(sum(a.size), 0) from artifacts a where a.workspace_id = w.id and a.finished_at is not null)::bigint
           + (select coalesce(sum(l.size), 0) from loose_files l where l.workspace_id = w.id and l.is_counted)::bigint as kept
      from workspaces w where w.slug = ${slug}`
  return row
}

test('at the limit new bytes are refused as ingest_blocked, exactly reaching it is allowed, and all else goes on', async () => {
  const { url, keys, slug } = await server.addWorkspace({ storage_limit_bytes: 1000 })
  const mia = callAs(url, keys.mia)
  const [first, second, third] = [sized(400), sized(600), sized(1)]
  const [{ entry_id, object_id }] = await pushed(mia, [first])
  expect(await counted(slug)).toEqual({ stored: 400, kept: 400 })
  await upload(mia, [second])
  expect(await counted(slug), 'before it is committed').toEqual({ stored: 1000, kept: 1000 })
  expect(reasonOf(await mia.post('/push/negotiate', manifestOf([third])))).toEqual([403, 'ingest_blocked'])
  expect(reasonOf(await mia.put(`/blobs/${third.content_hash}`, third.bytes))).toEqual([403, 'ingest_blocked'])
  expect(reasonOf(await mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, await pngOf(2, 2)))).toEqual([
    403,
    'ingest_blocked',
  ])
  expect((await mia.post('/push/commit', manifestOf([first, second]))).status).toBe(200)
  expect(await counted(slug)).toEqual({ stored: 1000, kept: 1000 })
  await server.changeWorkspace(slug, { storage_limit_bytes: 1001 })
  expect((await mia.put(`/blobs/${third.content_hash}`, third.bytes)).status).toBe(201)
  await server.changeWorkspace(slug, { storage_limit_bytes: null })
  await pushed(mia, [sized(5000)])
  expect(await counted(slug)).toEqual({ stored: 6001, kept: 6001 })
})

test('many pushes at once, of the same files and of others, by API and by presigned address, leave the right count', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const callers = [keys.mia, keys.max, keys.adam, keys.olivia].map((key) => callAs(url, key))
  const shared = Array.from({ length: 5 }, () => sized(100))
  const pushes = callers.flatMap((caller, index) =>
    Array.from({ length: 4 }, async (_, round) => {
      const items = [...shared, ...Array.from({ length: 4 }, () => sized(10 + index))]
      await (round % 2 === 0 ? uploadDirect(caller, items) : upload(caller, items))
      const answer = await caller.post('/push/commit', manifestOf(items))
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      await thumbnailFor(caller, answer.body.results.at(-1))
    }),
  )
  await Promise.all(pushes)
  const { stored, kept } = (await counted(slug)) ?? {}
  expect(stored).toBe(kept)
  expect(stored).toBe(5 * 100 + 4 * 4 * (10 + 11 + 12 + 13) + 16 * (await pngOf(3, 3)).length)
  expect(
    await server.database.sql`select 1 from loose_files l join workspaces w on w.id = l.workspace_id where w.slug = ${slug}`,
  ).toHaveLength(0)
})

async function uploadDirect(caller: Caller, items: Item[]): Promise<void> {
  const { missing } = (await caller.post('/push/negotiate', manifestOf(items))).body
  await Promise.all(
    missing.map(async ({ hash, upload_url, headers }: Json) => {
      const bytes = items.find((one) => one.content_hash === hash)?.bytes
      const { status } = await fetch(upload_url, { method: 'PUT', headers, body: new Uint8Array(bytes ?? []) })
      expect([200, 412]).toContain(status)
    }),
  )
}

async function thumbnailFor(caller: Caller, entry: Json): Promise<void> {
  const items = [await sentMedia(caller, entry, await pngOf(3, 3))]
  for (const answer of await Promise.all([finalize(caller, items), finalize(caller, items)])) expect(answer.status).toBe(200)
}

const finalize = (caller: Caller, items: Json[]) => caller.post('/entries/media/finalize', { items })

/** A picture that lies in the store and waits for its finalize, as that names it. */
async function sentMedia(caller: Caller, { entry_id, object_id }: Json, picture: Buffer): Promise<Json> {
  const { targets } = (await caller.post('/entries/media/presign', { items: [{ entry_id, object_id, kind: 'thumbnail' }] })).body
  const { upload_url, headers, artifact_id } = targets[0]
  expect((await fetch(upload_url, { method: 'PUT', headers, body: new Uint8Array(picture) })).status).toBe(200)
  return { artifact_id, entry_id, object_id, kind: 'thumbnail' }
}

test('media that a finalize names again and again is counted once, used where it is named last, and answered once', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const [entry] = await pushed(mia, [sized(100)])
  const [one, two] = [await sentMedia(mia, entry, await pngOf(3, 3)), await sentMedia(mia, entry, await pngOf(4, 4))]
  const { status, body } = await finalize(mia, [one, ...Array.from({ length: 500 }, () => two), one])
  expect([status, body.results.map(({ artifact_id }: Json) => artifact_id)]).toEqual([200, [two.artifact_id, one.artifact_id]])
  expect((await mia.get(`/entries/${entry.entry_id}`)).body.thumbnail_artifact_id).toBe(one.artifact_id)
  const bytes = 100 + (await pngOf(3, 3)).length + (await pngOf(4, 4)).length
  expect(await counted(slug)).toEqual({ stored: bytes, kept: bytes })
  expect((await finalize(mia, [one, { ...one, kind: 'image' }])).status).toBe(404)
})

test('media that is finalized twice, by several at once, beside fresh media, and replaced, is counted once', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]
  const [entry] = await pushed(mia, [sized(100)])
  const picture = await pngOf(3, 3)
  const sent = await Promise.all(Array.from({ length: 4 }, () => sentMedia(mia, entry, picture)))
  const bytes = async (files: number) => {
    const total = 100 + files * picture.length
    expect(await counted(slug)).toEqual({ stored: total, kept: total })
  }
  await bytes(4)
  const [first, second] = sent
  for (let again = 0; again < 2; again++) expect((await finalize(mia, [first])).status).toBe(200)
  await bytes(4)
  const calls = [mia, max, mia, max].map((caller, index) =>
    finalize(caller, index % 2 ? [second, second, first] : [first, second]),
  )
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  await bytes(4)
  expect((await finalize(max, [...sent, ...sent])).status).toBe(200)
  await bytes(4)
})

test('of a finalize and a deletion of its entry at once, what is counted is what is kept', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const adam = callAs(url, keys.adam)
  for (let round = 0; round < 6; round++) {
    const [entry] = await pushed(adam, [sized(100)])
    const item = await sentMedia(adam, entry, await pngOf(3, 3))
    const [deleted, finalized] = await Promise.all([adam.del(`/entries/${entry.entry_id}`), finalize(adam, [item, item])])
    expect(deleted.status).toBe(204)
    expect([200, 404]).toContain(finalized.status)
    const { stored, kept } = (await counted(slug)) ?? {}
    expect(stored).toBe(kept)
  }
})

test('uploads at once into a workspace that is nearly full: the count is right at every answer, so that nobody who comes later gets in', async () => {
  const { url, keys, slug } = await server.addWorkspace({ storage_limit_bytes: 1000 })
  const callers = [keys.mia, keys.max].map((key) => callAs(url, key))
  const files = Array.from({ length: 30 }, () => sized(100))
  const answers = await Promise.all(
    files.map((file, index) => callers[index % 2]?.put(`/blobs/${file.content_hash}`, file.bytes)),
  )
  const taken = answers.filter((answer) => answer?.status === 201).length
  expect(taken).toBeGreaterThanOrEqual(10)
  expect(await counted(slug)).toEqual({ stored: taken * 100, kept: taken * 100 })
  for (const caller of callers)
    expect(reasonOf(await caller.put(`/blobs/${sized(1).content_hash}`, Buffer.from('x')))).toEqual([403, 'ingest_blocked'])
})

test('a media file that is refused is not counted, nor are bytes that come again', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const file = sized(100)
  const [{ entry_id, object_id }] = await pushed(mia, [file])
  expect((await mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, Buffer.from('no picture'))).status).toBe(422)
  await upload(mia, [file])
  await pushed(mia, [file])
  expect(await counted(slug)).toEqual({ stored: 100, kept: 100 })
})

test('deleting makes room at once, and bytes that come back after it count again', async () => {
  const { url, keys, slug } = await server.addWorkspace({ storage_limit_bytes: 1000 })
  const adam = callAs(url, keys.adam)
  const [file, other] = [sized(1000), sized(300)]
  const [{ entry_id, object_id }] = await pushed(adam, [file])
  await server.changeWorkspace(slug, { storage_limit_bytes: 100_000 })
  const picture = await pngOf(2, 2)
  expect((await adam.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, picture)).status).toBe(200)
  expect(await counted(slug)).toEqual({ stored: 1000 + picture.length, kept: 1000 + picture.length })
  await server.changeWorkspace(slug, { storage_limit_bytes: 1000 })
  expect(reasonOf(await adam.put(`/blobs/${other.content_hash}`, other.bytes))).toEqual([403, 'ingest_blocked'])
  expect((await adam.del(`/entries/${entry_id}`)).status).toBe(204)
  expect(await counted(slug)).toEqual({ stored: 0, kept: 0 })
  await pushed(adam, [other])
  await pushed(adam, [file])
  expect(await counted(slug)).toEqual({ stored: 1300, kept: 1300 })
})

test('versions that a commit names as needs again and again, and packs that go, leave the right count', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const adam = callAs(url, keys.adam)
  const needed = sized(50)
  const needs = Array.from({ length: 20 }, () => ({ content_hash: needed.content_hash }))
  const [, { entry_id }] = await pushed(adam, [needed, { ...sized(70), dependencies: needs }])
  expect(await counted(slug)).toEqual({ stored: 120, kept: 120 })
  const closure = (await adam.get(`/entries/${entry_id}/closure`)).body
  expect([closure.total_objects, closure.total_bytes]).toEqual([2, 120])
  const { pack } = (await adam.get(`/entries/${entry_id}`)).body
  expect((await adam.del(`/packs/${pack.id}`)).body).toMatchObject({
    deleted_objects: 2,
    storage: { unused_files: 2, unused_bytes: 120 },
  })
  expect(await counted(slug)).toEqual({ stored: 0, kept: 0 })
})

test('files that were uploaded before a restart are counted after it', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  await upload(callAs(url, keys.mia), [sized(123)])
  await server.restart()
  expect(await counted(slug)).toEqual({ stored: 123, kept: 123 })
})

test('a count that an older server left too high is put right when this one takes the library over', async () => {
  const { url, keys, slug } = await server.addWorkspace({ storage_limit_bytes: 1000 })
  const mia = callAs(url, keys.mia)
  const [entry] = await pushed(mia, [sized(100)])
  const item = await sentMedia(mia, entry, await pngOf(3, 3))
  await upload(mia, [sized(23)])
  expect((await finalize(mia, [item])).status).toBe(200)
  const before = await counted(slug)
  const { sql } = server.database
  await sql`update workspaces set stored_bytes = 1000000 where slug = ${slug}`
  await sql`delete from schema_migrations where number = 12`
  await server.restart()
  expect(await counted(slug)).toEqual(before)
  await pushed(callAs(`${server.url}/w/${slug}`, keys.mia), [sized(1)])
})

test.runIf(isPostgres)(
  'an upload to a limited workspace waits for who holds that workspace, and not for who holds another',
  postgresOnly,
  async () => {
    const [held, free] = [
      await server.addWorkspace({ storage_limit_bytes: 1000 }),
      await server.addWorkspace({ storage_limit_bytes: 1000 }),
    ]
    const put = ({ url, keys }: typeof held) => {
      const one = sized(10)
      return callAs(url, keys.mia).put(`/blobs/${one.content_hash}`, one.bytes)
    }
    const other = postgres(server.settings.databaseUrl ?? '', { max: 1, onnotice: () => {} })
    onTestFinished(() => other.end())
    let waiting: Promise<Answer> | undefined
    await other.begin(async (sql) => {
      const [self] = await sql<
        { pid: number }[]
      >`select pg_backend_pid() as pid from workspaces where slug = ${held.slug} for update`
      waiting = put(held)
      const blocked = () =>
        server.database.sql`select 1 from pg_stat_activity where ${self?.pid ?? 0} = any(pg_blocking_pids(pid))`
      await expect.poll(blocked).toHaveLength(1)
      expect((await put(free)).status).toBe(201)
      expect(await counted(free.slug)).toEqual({ stored: 10, kept: 10 })
      expect(await blocked()).toHaveLength(1)
    })
    expect((await waiting)?.status).toBe(201)
  },
)

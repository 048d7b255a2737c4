/** Sweeps that an admin asks for (contract-gaps 7): a dry run says what would go, and only then it goes. */
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/main.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { type Item, item, manifestOf, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'
import type { StatementWire } from '../support/statement-wire.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const asPng = { 'content-type': 'image/png' }
const nothingDenied = { files: 0, bytes: 0, listed: [] }
const isShared = process.env.PH_TEST_DATABASE_URL !== undefined
let server: TestServer
let wire: StatementWire

beforeAll(async () => {
  if (isShared) ({ server, wire } = await startWiredServer(byHand))
  else server = await startTestServer({}, byHand)
})

async function freshLibrary() {
  const { url, slug, keys, workspaceId } = await server.addWorkspace()
  const [mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
  const asked = (kind: string, dry_run: boolean) => adam.post('/admin/sweeps', { kind, dry_run })
  const sweep = async (kind: string, dry_run: boolean): Promise<Json> => {
    const { status, body } = await asked(kind, dry_run)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const uploaded = async (files: Item[]) => {
    await upload(mia, files)
    await server.ledger.written(workspaceId)
  }
  return { mia, adam, asked, sweep, uploaded, workspaceId, slug, keys }
}
const sizeOf = (files: readonly Item[]) => files.reduce((sum, { bytes }) => sum + bytes.length, 0)
const missingOf = async (mia: Caller, files: Item[]): Promise<string[]> =>
  (await mia.post('/push/negotiate', manifestOf(files))).body.missing_hashes.toSorted()
const hashesOf = (files: readonly Item[]) => files.map((file) => file.content_hash).toSorted()

test('a dry run counts the files that nothing took over for a day and removes none; the real run removes those and no others', async () => {
  const { mia, sweep, uploaded } = await freshLibrary()
  const [kept, left, late] = [item(), [item(), item()], item()]
  await uploaded([kept, ...left])
  await mia.post('/push/commit', manifestOf([kept]))
  server.clock.advance(dayMs + 60_000)
  await uploaded([late])
  const found = { kind: 'orphan_blobs', candidates: 2, bytes: sizeOf(left), denylisted: nothingDenied }
  expect(await sweep('orphan_blobs', true)).toEqual({ ...found, dry_run: true, deleted: 0 })
  expect(await missingOf(mia, [kept, late])).toEqual([])
  expect(await sweep('orphan_blobs', false)).toEqual({ ...found, dry_run: false, deleted: 2 })
  expect(await missingOf(mia, [kept, ...left, late])).toEqual(hashesOf(left))
})

test('a real run needs a dry run of its own kind and workspace, not older than 15 minutes', async () => {
  const [own, other] = [await freshLibrary(), await freshLibrary()]
  const refused = { status: 409, body: { error: { code: 'DRY_RUN_REQUIRED' } } }
  await own.sweep('expired_records', true)
  await other.sweep('orphan_blobs', true)
  expect(await own.asked('orphan_blobs', false)).toMatchObject(refused)
  server.clock.advance(14 * 60_000)
  await own.sweep('expired_records', false)
  server.clock.advance(2 * 60_000)
  expect(await own.asked('expired_records', false)).toMatchObject(refused)
  expect((await own.mia.post('/admin/sweeps', { kind: 'orphan_blobs', dry_run: true })).status).toBe(403)
  for (const wrong of [{ kind: 'orphan_blobs' }, { dry_run: true }, { kind: 'everything', dry_run: true }])
    expect((await own.adam.post('/admin/sweeps', wrong)).status).toBe(422)
})

test('a picture that was replaced stays under its artifact id, whatever is swept', async () => {
  const { mia, sweep } = await freshLibrary()
  const [made = {}] = await pushed(mia, [item()])
  const path = `/entries/${made.entry_id}/thumbnail?object_id=${made.object_id}`
  const [first, second] = [await pngOf(4, 4), await pngOf(5, 5)]
  const before = await mia.put(path, first, asPng)
  await mia.put(path, second, asPng)
  server.clock.advance(2 * dayMs)
  expect(await sweep('orphan_blobs', true)).toMatchObject({ candidates: 0, bytes: 0 })
  expect(await sweep('orphan_blobs', false)).toMatchObject({ deleted: 0 })
  const { headers } = await mia.get(`/previews/artifacts/${before.body.artifact_id}`)
  expect(Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer())).toEqual(first)
})

test('pictures that were attached to nothing for a day go with their strokes, and their bytes a day later', async () => {
  const { mia, sweep } = await freshLibrary()
  const [made = {}] = await pushed(mia, [item()])
  const picture = await pngOf(6, 6)
  const send = async () => (await mia.post('/attachments', picture, asPng)).body.id
  const [used, left] = [await send(), await send()]
  const strokes = Buffer.from('{"strokes":[]}')
  await mia.put(`/attachments/${left}/strokes`, strokes, { 'content-type': 'application/json' })
  await mia.post(`/entries/${made.entry_id}/comments`, { body: 'look', attachment_ids: [used] })
  server.clock.advance(dayMs + 60_000)
  const late = await send()
  const found = { candidates: 1, bytes: picture.length + strokes.length }
  expect(await sweep('unattached_attachments', true)).toEqual({
    kind: 'unattached_attachments',
    dry_run: true,
    ...found,
    deleted: 0,
  })
  expect((await mia.get(`/attachments/${left}`)).status).toBe(302)
  expect(await sweep('unattached_attachments', false)).toMatchObject({ ...found, deleted: 1 })
  const statuses = [left, used, late].map(async (id) => (await mia.get(`/attachments/${id}`)).status)
  expect(await Promise.all(statuses)).toEqual([404, 302, 302])
  expect(await sweep('orphan_blobs', true)).toMatchObject({ candidates: 0 })
  server.clock.advance(dayMs)
  expect(await sweep('orphan_blobs', true)).toMatchObject({ candidates: 2, bytes: found.bytes })
})

/** One of everything that expires, just beyond its time and just within it. Gives what is left of each. */
async function addExpiring(workspaceId: number, memberId: number) {
  const { sql } = server.database
  const ago = (ms: number) => new Date(server.clock.now().getTime() - ms).toISOString()
  const ages = (ms: number) => [ago(ms + hourMs), ago(ms - hourMs)] as const
  const now = server.clock.now()
  const yearAges = ages(now.getTime() - new Date(now).setUTCFullYear(now.getUTCFullYear() - 1))
  for (const [at, created] of yearAges.entries()) {
    await sql`insert into activity (workspace_id, id, event_type, created_at) values (${workspaceId}, ${at + 1}, 'push.commit', ${created})`
    await sql`
      insert into notifications (workspace_id, member_id, reason, entry_id, lineage_id, created_at, read_at)
      values (${workspaceId}, ${memberId}, 'comment.new', 1, 'l', ${created}, ${created})`
  }
  for (const [at, created] of ages(30 * dayMs).entries())
    await sql`
      insert into changes (workspace_id, seq, entity, entity_id, op, created_at) values (${workspaceId}, ${at + 1}, 'entry', 1, 'upsert', ${created})`
  for (const [at, seen] of ages(7 * dayMs).entries())
    await sql`
      insert into editor_sessions (workspace_id, session_id, user_id, project_key, accepts_agent_imports, heartbeat_interval_seconds, started_at, last_seen_at)
      values (${workspaceId}, ${`session-${at}`}, ${memberId}, 'Tavern', false, 60, ${seen}, ${seen})`
  for (const [at, expires] of ages(hourMs).entries())
    await sql`insert into spent_plans (workspace_id, plan_id, expires_at) values (${workspaceId}, ${`plan-${at}`}, ${expires})`
  const [webhook] = await sql<{ id: number }[]>`
    insert into webhooks (workspace_id, url, secret, format, active, cursor, delivered, created_by, created_at)
    values (${workspaceId}, 'https://a.test', 'secret', 'json', false, 2, 2, ${memberId}, ${ago(0)}) returning id`
  for (const created of ages(30 * dayMs))
    await sql`
      insert into webhook_deliveries (workspace_id, webhook_id, event_id, event_type, status, delivered_at, created_at)
      values (${workspaceId}, ${webhook?.id ?? 0}, 1, 'push.commit', 'delivered', ${created}, ${created})`
  await sql`update feed_heads set change_seq = 2, activity_id = 2 where workspace_id = ${workspaceId}`
}

async function recordsOf(workspaceId: number) {
  const { sql } = server.database
  const tables = ['activity', 'notifications', 'changes', 'editor_sessions', 'spent_plans', 'webhook_deliveries']
  const counts = tables.map(async (table) => {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)} where workspace_id = ${workspaceId}`
    return [table, row?.n]
  })
  return Object.fromEntries(await Promise.all(counts))
}

test('records go when their time is over: activity, changes, read notifications, sessions, plans and deliveries, and none sooner', async () => {
  const { mia, adam, sweep, workspaceId } = await freshLibrary()
  await addExpiring(workspaceId, (await mia.get('/members/me')).body.id)
  const each = (n: number) => ({
    activity: n,
    notifications: n,
    changes: n,
    editor_sessions: n,
    spent_plans: n,
    webhook_deliveries: n,
  })
  expect(await recordsOf(workspaceId)).toEqual(each(2))
  expect(await sweep('expired_records', true)).toEqual({
    kind: 'expired_records',
    dry_run: true,
    candidates: 6,
    bytes: 0,
    deleted: 0,
  })
  expect(await recordsOf(workspaceId)).toEqual(each(2))
  expect(await sweep('expired_records', false)).toMatchObject({ candidates: 6, deleted: 6 })
  expect(await recordsOf(workspaceId)).toEqual(each(1))
  expect((await adam.get('/admin/webhooks')).body.webhooks[0].deliveries).toEqual({ pending: 0, delivered: 1, failed: 0 })
  expect((await mia.get('/catalog/changes?cursor=0')).body.reset).toBe(true)
})

test('stored files that are on the denylist are listed with their entries, by hash and by GUID, and stay', async () => {
  const { mia, adam, sweep, uploaded, workspaceId } = await freshLibrary()
  const guid = 'A'.repeat(31)
  const [byHash, byGuid, loose, free] = [item(), item({ package_guid: `${guid}1` }), item(), item({ package_guid: `${guid}2` })]
  const [first = {}, second = {}] = await pushed(mia, [byHash, byGuid, free])
  await uploaded([loose])
  const deny = async (kind: string, value: string) => (await adam.post('/admin/denylist', { kind, value })).body.id
  const ids = [
    await deny('content_hash', byHash.content_hash),
    await deny('package_guid', `${guid.toLowerCase()}1`),
    await deny('content_hash', loose.content_hash),
  ]
  await deny('content_hash', item().content_hash)
  // Denied in both ways, it is one file.
  await deny('content_hash', byGuid.content_hash)
  const { denylisted } = await sweep('orphan_blobs', true)
  const files = [byHash, byGuid, loose]
  const lineOf = (index: number, kind: string, made: Json = {}) => ({
    content_hash: files[index]?.content_hash,
    bytes: files[index]?.bytes.length,
    denylist_id: ids[index],
    denylist_kind: kind,
    object_id: made.object_id ?? null,
    entry_id: made.entry_id ?? null,
    name: made.entry_id ? files[index]?.asset_name : null,
  })
  expect(denylisted).toMatchObject({ files: 3, bytes: sizeOf(files) })
  expect(denylisted.listed).toHaveLength(3)
  expect(denylisted.listed).toEqual(
    expect.arrayContaining([lineOf(0, 'content_hash', first), lineOf(1, 'package_guid', second), lineOf(2, 'content_hash')]),
  )
  expect(await sweep('orphan_blobs', false)).toMatchObject({ deleted: 0, denylisted })
  expect((await mia.get(`/blobs/${byHash.content_hash}`)).status).toBe(302)
  const [row] = await server.database.sql`select 1 from loose_files where workspace_id = ${workspaceId}`
  expect(row).toBeDefined()
})

test('a sweep of many steps lets pushes through between them, two at once share the work, and what is pushed meanwhile stays', async () => {
  const { mia, sweep, uploaded } = await freshLibrary()
  const [left, wanted] = [Array.from({ length: 180 }, () => item()), Array.from({ length: 12 }, () => item())]
  await uploaded([...left, ...wanted])
  server.clock.advance(dayMs + hourMs)
  expect(await sweep('orphan_blobs', true)).toMatchObject({ candidates: 192 })
  const pushes = wanted.map((file) => pushed(mia, [file]))
  const swept = await Promise.all([sweep('orphan_blobs', false), sweep('orphan_blobs', false)])
  await Promise.all(pushes)
  expect(await missingOf(mia, wanted)).toEqual([])
  expect(await missingOf(mia, left)).toEqual(hashesOf(left))
  const deleted = swept.reduce((sum, { deleted }) => sum + deleted, 0)
  expect(deleted).toBeGreaterThanOrEqual(left.length)
  expect(deleted).toBeLessThanOrEqual(192)
  const answers = await Promise.all(wanted.map((file) => mia.get(`/blobs/${file.content_hash}`)))
  const bytes = answers.map(async ({ headers }) => (await fetch(headers.get('location') ?? '')).status)
  expect(new Set(await Promise.all(bytes))).toEqual(new Set([200]))
})

test.runIf(isShared)(
  'a commit that has seen old files keeps them, though an admin sweeps on another server before it takes them over',
  async () => {
    const { mia, sweep, uploaded, slug, keys } = await freshLibrary()
    // On its own server the sweep would wait for the commit, which has the workspace there.
    const other = await startServer({ settings: { ...server.settings, port: 0 }, clock: server.clock, log: 'none', ...byHand })
    onTestFinished(() => other.stop())
    const adam = callAs(`${other.url}/w/${slug}`, keys.adam)
    const sweepThere = async () => (await adam.post('/admin/sweeps', { kind: 'orphan_blobs', dry_run: false })).body
    const [wanted, left] = [item(), item()]
    await uploaded([wanted, left])
    server.clock.advance(dayMs + hourMs)
    await sweep('orphan_blobs', true)
    const answer = await interrupted(wire, {
      request: () => mia.post('/push/commit', manifestOf([wanted])),
      before: /pg_try_advisory_xact_lock/,
      meanwhile: async () => expect(await sweepThere()).toMatchObject({ deleted: 1 }),
    })
    expect(answer).toMatchObject({ status: 200, body: { summary: { new: 1 } } })
    expect(await missingOf(mia, [wanted, left])).toEqual([left.content_hash])
  },
)

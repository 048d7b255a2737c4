// Previews that the server makes by itself: of what was pushed without, one file at a time, and nothing for ever.
import { beforeEach, expect, test } from 'vitest'
import { openLog } from '../../server/monitoring/log.ts'
import { startPreviews } from '../../server/work/previews.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { wavOf } from '../support/media.ts'
import { commitOf, type Item, item } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({ previews: true }, byHand)
let workspace: Awaited<ReturnType<typeof server.addWorkspace>>
let caller: Caller

beforeEach(async () => {
  workspace = await server.addWorkspace()
  caller = callAs(workspace.url, workspace.keys.olivia)
})

const hut = (height: number) => Buffer.from(`v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 ${height}\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`)
const source = (asset_class: string, source_ext: string, bytes: Buffer) => {
  const entry = { entry_type: asset_class.replace('Source', 'source_').toLowerCase() }
  return item({ bytes, asset_class, source_ext, origin_path: undefined, engine_version: undefined, entry })
}
const mesh = (height: number) => source('SourceMesh', 'obj', hut(height))

async function pushed(...items: Item[]): Promise<void> {
  const { status, body } = await commitOf(caller, items)
  expect(status, JSON.stringify(body)).toBe(200)
}
const look = () => server.lookForPreviews?.()
const entries = async (): Promise<Json[]> => (await caller.get('/entries?limit=200')).body.entries
const attempts = () => server.database.sql<{ tries: number; reason: string | null }[]>`
  select tries, reason from preview_attempts where workspace_id = ${workspace.workspaceId}`
const said = () =>
  server.logLines.filter(
    (line) => line.includes('no preview could be made') && line.includes(`"workspace_id":${workspace.workspaceId},`),
  )

test('what was pushed without previews gets them, with a thumbnail, and mirrors are told', async () => {
  await pushed(mesh(1), mesh(2), source('SourceAudio', 'wav', wavOf({ frames: 700 })))
  const { next_cursor } = (await caller.get('/catalog/changes?limit=1000')).body
  await look()
  const all = await entries()
  expect(all.map((entry) => entry.preview_status)).toEqual(['ready', 'ready', 'ready'])
  expect(all.every((entry) => entry.has_thumbnail)).toBe(true)
  expect(await attempts()).toEqual([])
  const { changes } = (await caller.get(`/catalog/changes?cursor=${next_cursor}`)).body
  expect(new Set(changes.map((change: Json) => change.entity_id)).size).toBe(3)
  const rows = await server.database.sql`
    select distinct producer ->> 'tier' as tier, created_by from artifacts where workspace_id = ${workspace.workspaceId}`
  expect([...rows]).toEqual([{ tier: 'server', created_by: null }])
  expect((await caller.get(`/entries/${all[0]?.id}/preview`)).status).toBe(302)
})

test('what has nothing to show is said to be unavailable, and is not read again', async () => {
  await pushed(item())
  await look()
  expect((await entries())[0]?.preview_status).toBe('unavailable')
  const [attempt] = await attempts()
  expect(attempt?.reason).toEqual(expect.any(String))
  await look()
  expect((await attempts())[0]?.tries).toBe(1)
})

/** A server on the same library whose threads have a millisecond for each file. */
function impatient() {
  const { database, clock, storage } = server
  const log = openLog({ write: (line) => server.logLines.push(line) })
  return startPreviews({ database, clock, log, storage, threads: { limitMs: 1 } }, byHand.lookMs)
}

test('a file that ends its thread is named once in the log and not tried again; the others are made', async () => {
  await pushed(mesh(3))
  const other = impatient()
  await other.look()
  expect(said()).toHaveLength(1)
  expect(JSON.parse(said()[0] ?? '{}')).toMatchObject({
    name: expect.stringContaining('SM'),
    reason: expect.stringContaining('longer'),
  })
  await pushed(mesh(4))
  server.clock.advance(20_000)
  await look()
  await other.stop()
  expect((await entries()).map((entry) => entry.preview_status).sort()).toEqual(['none', 'ready'])
  expect(said()).toHaveLength(1)
})

test('a maker of another version tries again what was given up', async () => {
  await pushed(mesh(5))
  const other = impatient()
  await other.look()
  await other.stop()
  await server.database.sql`update preview_attempts set maker = 'older' where workspace_id = ${workspace.workspaceId}`
  await pushed(mesh(6))
  server.clock.advance(20_000)
  await look()
  expect((await entries()).map((entry) => entry.preview_status)).toEqual(['ready', 'ready'])
})

test('a file at which a server ended twice is the last thing it was at', async () => {
  await pushed(mesh(7))
  const [{ object_id = 0 } = {}] = await entries()
  await server.database.sql`
    insert into preview_attempts (workspace_id, object_id, maker, tries, tried_at)
    select ${workspace.workspaceId}, ${object_id}, '1', 2, ${server.clock.now().toISOString()}`
  await look()
  expect((await entries())[0]?.preview_status).toBe('none')
})

test('a workspace that takes no new files gets no previews, and gets them when it takes them again', async () => {
  await pushed(mesh(8))
  await server.changeWorkspace(workspace.slug, { state: 'read_only' })
  await look()
  expect(await attempts()).toEqual([])
  await server.changeWorkspace(workspace.slug, { state: 'active' })
  server.clock.advance(20_000)
  await look()
  expect((await entries())[0]?.preview_status).toBe('ready')
})

test('a server without the setting makes none', async () => {
  const plain = await startTestServer({}, byHand)
  expect(plain.lookForPreviews).toBeUndefined()
})

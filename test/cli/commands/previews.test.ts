/** ph previews: work that others left, by one machine or several, and how much there is. */
import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { MediaReport } from '../../../client/previews/report.ts'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { wavOf } from '../../support/media.ts'
import { type Outcome, ph, signedIn } from '../../support/ph.ts'
import { commitOf, item } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
let workspace: Awaited<ReturnType<typeof server.addWorkspace>>
let caller: Caller

beforeEach(async () => {
  workspace = await server.addWorkspace()
  caller = callAs(workspace.url, workspace.keys.olivia)
})

/** A machine of its own, with nothing in its cache. */
const machine = () => ({
  ...signedIn(workspace.url, workspace.keys.mia),
  PH_STATE_DIR: temporaryFolder(),
  PH_CACHE_DIR: temporaryFolder(),
  NO_COLOR: '1',
})
const work = (env: Record<string, string>, line = 'previews work --json'): Promise<Outcome> => ph(line, { env })
const reportOf = (outcome: Outcome) => outcome.json() as MediaReport

const hut = (height: number) => Buffer.from(`v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 ${height}\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`)
const source = (asset_class: string, source_ext: string, bytes: Buffer) => {
  const entry = { entry_type: asset_class.replace('Source', 'source_').toLowerCase() }
  return item({ bytes, asset_class, source_ext, origin_path: undefined, engine_version: undefined, entry })
}

/** Pushed by another program, which makes no previews. */
async function pushOthers(huts = 3): Promise<void> {
  const meshes = Array.from({ length: huts }, (_, at) => source('SourceMesh', 'obj', hut(at + 1)))
  const items = [...meshes, source('SourceAudio', 'wav', wavOf({ frames: 900 })), item()]
  const { status, body } = await commitOf(caller, items)
  expect(status, JSON.stringify(body)).toBe(200)
}

const entries = async (): Promise<Json[]> => (await caller.get('/entries?limit=200')).body.entries
const states = async () => (await entries()).map((entry) => entry.preview_status).sort()

test('a worker makes what others left, source files too, which no queue lists; of the rest the library is told', async () => {
  await pushOthers()
  const env = machine()
  const outcome = await work(env)
  expect(reportOf(outcome)).toMatchObject({ made: 4, thumbnails: 4, failed: [], unavailable: [{ reason: expect.any(String) }] })
  expect(outcome.code).toBe(0)
  expect(await states()).toEqual(['ready', 'ready', 'ready', 'ready', 'unavailable'])
  expect(reportOf(await work(env))).toMatchObject({ made: 0, thumbnails: 0, unavailable: [], failed: [] })
  expect((await work(env, 'previews work')).stdout).toContain('Nothing is wanted that can be made here.')
})

test('two workers side by side make everything, and neither fails', async () => {
  await pushOthers(12)
  const reports = (await Promise.all([work(machine()), work(machine())])).map(reportOf)
  expect(reports.flatMap(({ failed }) => failed)).toEqual([])
  expect(await states()).toEqual([...Array.from({ length: 13 }, () => 'ready'), 'unavailable'])
})

test('a thumbnail that is asked for anew is made anew, and the one before stays reachable by its id', async () => {
  await pushOthers(1)
  const env = machine()
  await work(env)
  const [entry] = (await entries()).filter(({ entry_type }) => entry_type === 'source_mesh')
  const before = (await caller.get(`/entries/${entry?.id}`)).body.thumbnail_artifact_id
  const { workspaceId } = workspace
  const { sql } = server.database
  await sql`update objects set refresh_requested_at = now() where workspace_id = ${workspaceId} and id = ${entry?.object_id}`
  await sql`update entries set wants_thumbnail = true where workspace_id = ${workspaceId} and id = ${entry?.id}`
  expect(reportOf(await work(env))).toMatchObject({ made: 0, thumbnails: 1 })
  const after = (await caller.get(`/entries/${entry?.id}`)).body.thumbnail_artifact_id
  expect(after).not.toBe(before)
  expect((await caller.get(`/previews/artifacts/${before}`)).status).toBe(302)
})

test('bytes that are gone from the storage are named, and the others are made all the same', async () => {
  await pushOthers(2)
  const lost = createHash('sha256').update(hut(1)).digest('hex')
  await server.storage.remove([`${workspace.workspaceId}/blobs/${lost.slice(0, 2)}/${lost}`])
  const outcome = await work(machine())
  expect(outcome.code).toBe(6)
  expect(reportOf(outcome)).toMatchObject({ made: 2, failed: [{ given_up: false }] })
})

test('a key that only reads is refused before anything is fetched', async () => {
  const { code, stderr } = await ph('previews work', { env: { ...machine(), PH_API_KEY: workspace.keys.miaReads } })
  expect(code).not.toBe(0)
  expect(stderr).toContain('read-only')
})

test('status counts by type what is wanted, there and impossible, and the thumbnails that are missing', async () => {
  await pushOthers(1)
  const env = machine()
  expect((await ph('previews status --json', { env })).json()).toMatchObject({
    pending: { mesh: 1 },
    total_pending: 1,
    thumbnails_wanted: 3,
  })
  await work(env)
  expect((await ph('previews status', { env })).stdout).toMatch(/mesh\t0\t0\t1\n/)
})

test('--watch goes on when something new comes, until it is stopped', async () => {
  const stopping = new AbortController()
  let looks = 0
  const pause = async (_ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    if (++looks === 1) await pushOthers(1)
    else stopping.abort('interrupted')
    signal?.throwIfAborted()
  }
  const { code, stdout } = await ph('previews work --watch --json', { env: machine(), signal: stopping.signal, pause })
  expect(code).toBe(130)
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ made: 2, thumbnails: 2 }])
})

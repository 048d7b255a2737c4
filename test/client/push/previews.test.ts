// The previews behind a push: made after the commit, gone on with by the next push, and never in its way.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { findFolders, projectStateFile } from '../../../client/folders.ts'
import { ProjectMemory } from '../../../client/memory/project-memory.ts'
import { makeProjectMedia } from '../../../client/previews/project-previews.ts'
import type { MediaReport } from '../../../client/previews/report.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { writePackage } from '../../../sample/package.ts'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { pngOf, wavOf } from '../../support/media.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { toHdr } from '../../support/pictures.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
let workspace: Awaited<ReturnType<typeof server.addWorkspace>>
let env: Record<string, string>
let caller: Caller

beforeEach(async () => {
  workspace = await server.addWorkspace()
  env = { ...signedIn(workspace.url, workspace.keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_PREVIEWS: 'on', NO_COLOR: '1' }
  caller = callAs(workspace.url, workspace.keys.olivia)
})

const pyramid = (height: number) => `v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 ${height}\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`

async function scans(meshes = 1): Promise<string> {
  const files = Array.from({ length: meshes }, (_, at) => [`Art/Hut${at}.obj`, pyramid(at + 5)] as const)
  return temporaryFolder({
    ...Object.fromEntries(files),
    'Art/Bell.wav': wavOf({ frames: 2000 }),
    'Art/Rust.png': await pngOf(40, 30),
  })
}

const push = (cwd: string, line = '', more: Setting = {}): Promise<Outcome> =>
  ph(['push', '--yes', ...line.split(' ').filter(Boolean), cwd], { cwd, ...more, env: { ...env, ...more.env } })
type Told = PushReport & { previews?: MediaReport & { stopped?: { code: string } } }
const reportOf = (outcome: Outcome) => outcome.json() as Told

async function entries(): Promise<Json[]> {
  const { body } = await caller.get('/entries?limit=200')
  return body.entries
}
const previewsOf = async () => Object.fromEntries((await entries()).map((entry) => [entry.name, entry.preview_kind]))
const ready = async () => (await entries()).filter((entry) => entry.preview_status === 'ready').length

/** Addresses of the requests that the server has answered so far. */
const addresses = (): string[] =>
  server.logLines.flatMap((line) => (line.includes(workspace.slug) ? [String(JSON.parse(line).req?.path)] : []))

test('what was pushed has previews and thumbnails afterwards, and the push is told first and as before', async () => {
  const cwd = await scans()
  const { code, stdout } = await push(cwd)
  expect(code).toBe(0)
  expect(stdout).toMatch(/3 new[\s\S]*3 previews and \d thumbnails? made/)
  expect(await previewsOf()).toEqual({ Hut0: 'glb', Bell: 'audio', Rust: 'image' })
  expect((await entries()).every((entry) => entry.has_thumbnail)).toBe(true)
})

test('the report of a push has what became of the previews', async () => {
  const report = reportOf(await push(await scans(), '--json'))
  expect(report).toMatchObject({
    summary: { new: 3, failed: 0 },
    previews_due: false,
    previews: { made: 3, failed: [], unavailable: [] },
  })
})

test('a push with nothing changed and nothing wanted makes no request for previews', async () => {
  const cwd = await scans()
  await push(cwd)
  // With its answers all those of the push before are in the log.
  expect(reportOf(await push(cwd, '--json --no-previews')).unchanged).toBe(3)
  const before = addresses().length
  const report = reportOf(await push(cwd, '--json'))
  expect(report).not.toHaveProperty('previews')
  const since = addresses().slice(before)
  expect(since.length).toBeGreaterThan(0)
  expect(since.filter((address) => /preview|media/.test(address))).toEqual([])
})

test('--no-previews and PH_PREVIEWS=off leave them to the next push, which sends nothing else', async () => {
  const cwd = await scans()
  expect(reportOf(await push(cwd, '--json --no-previews'))).toMatchObject({ summary: { new: 3 }, previews_due: true })
  await push(cwd, '', { env: { PH_PREVIEWS: 'off' } })
  expect(await ready()).toBe(0)
  expect(reportOf(await push(cwd, '--json'))).toMatchObject({ summary: { new: 0 }, previews: { made: 3 } })
  expect(await ready()).toBe(3)
})

test('a picture of light has its thumbnail from the push itself, as a PNG has', async () => {
  const cwd = temporaryFolder({ 'Art/Sky.hdr': toHdr({ width: 8, height: 1 }, new Uint8Array(32).fill(100), false) })
  await push(cwd, '--no-previews')
  expect(await entries()).toMatchObject([{ name: 'Sky', has_thumbnail: true, preview_status: 'none' }])
})

test('a setting that is neither on nor off is refused before anything is pushed', async () => {
  const { code, stderr } = await push(await scans(), '', { env: { PH_PREVIEWS: 'maybe' } })
  expect(code).toBe(2)
  expect(stderr).toContain('PH_PREVIEWS is "maybe"')
  expect(await entries()).toEqual([])
})

test('Ctrl-C while previews are made leaves the push done, with its exit code, and the next one goes on', async () => {
  const cwd = await scans()
  const stopping = new AbortController()
  const isAsked = () => server.logLines.some((line) => line.includes(workspace.slug) && line.includes('entries/find'))
  // The display asks for the time whenever it is told something.
  const now = () => {
    if (isAsked()) stopping.abort('interrupted')
    return new Date()
  }
  const { code, stdout, stderr } = await push(cwd, '', { signal: stopping.signal, now })
  expect(stopping.signal.aborted).toBe(true)
  expect(code).toBe(0)
  expect(stdout).toMatch(/3 new/)
  expect(stderr).toContain('The push is done; the next push makes the previews that are missing.')
  expect(await ready()).toBeLessThan(3)
  expect(reportOf(await push(cwd, '--json'))).toMatchObject({
    summary: { new: 0 },
    previews_due: false,
    previews: { failed: [] },
  })
  expect(await ready()).toBe(3)
})

test('a file that changed after the push is left out, and what it was keeps no wrong preview', async () => {
  const cwd = await scans()
  await push(cwd, '--no-previews')
  writeFileSync(join(cwd, 'Art/Hut0.obj'), pyramid(99))
  const { url, keys } = workspace
  const made = await makeProjectMedia({ url, key: keys.olivia, folders: findFolders(env), root: cwd })
  expect(made).toMatchObject({ isDue: false, report: { made: 2, left: 1, failed: [] } })
  expect(await previewsOf()).toMatchObject({ Hut0: null })
  // Its new bytes are pushed like any other, and have a preview of their own.
  expect(reportOf(await push(cwd, '--json --held attach'))).toMatchObject({ previews: { made: 1 } })
})

test.each([
  { how: 'is read-only', full: { state: 'read_only' }, free: { state: 'active' }, word: /read-only/g },
  { how: 'is full', full: { storage_limit_bytes: 1 }, free: { storage_limit_bytes: null }, word: /is full/g },
] as const)('a workspace that $how is named once, the push stays done, and the next one makes the previews', async (state) => {
  const cwd = await scans(4)
  await push(cwd, '--no-previews')
  await server.changeWorkspace(workspace.slug, state.full)
  const { code, stderr } = await push(cwd)
  expect(code).toBe(0)
  expect(stderr.match(state.word), stderr).toHaveLength(1)
  expect(stderr).toContain('The push is done')
  expect(await ready()).toBe(0)
  await server.changeWorkspace(workspace.slug, state.free)
  expect(reportOf(await push(cwd, '--json'))).toMatchObject({ previews: { made: 6, failed: [] } })
})

test('of a package that has nothing to show the library is told so, and it is not asked about again', async () => {
  const barrel = await writePackage({ packageName: '/Game/Inn/SM_Barrel', assetClass: 'StaticMesh' })
  const cwd = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}', 'Content/Inn/SM_Barrel.uasset': barrel })
  const report = reportOf(await push(cwd, '--json'))
  expect(report.previews).toMatchObject({ made: 0, failed: [], unavailable: [{ name: 'SM_Barrel' }] })
  expect((await entries())[0]?.preview_status).toBe('unavailable')
  expect(reportOf(await push(cwd, '--json'))).not.toHaveProperty('previews')
})

test('what previews changed in the library is taken in with them: the next push begins at the end of the feed', async () => {
  const cwd = await scans()
  await push(cwd)
  const { body } = await caller.get('/catalog/changes?cursor=0&limit=1000')
  const memory = new ProjectMemory(projectStateFile(findFolders(env), workspace.url, cwd), { address: workspace.url, root: cwd })
  try {
    expect(memory.recall('feed')).toMatchObject({ cursor: body.changes.at(-1).seq })
  } finally {
    memory.close()
  }
  expect(reportOf(await push(cwd, '--json'))).toMatchObject({ unchanged: 3, items: [] })
})

test('of many packages that have nothing to show the library is told in one request', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `SM_Barrel${at}`)
  const files = await Promise.all(
    names.map(async (name) => [
      `Content/Inn/${name}.uasset`,
      await writePackage({ packageName: `/Game/Inn/${name}`, assetClass: 'StaticMesh' }),
    ]),
  )
  const cwd = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}', ...Object.fromEntries(files) })
  const { previews } = reportOf(await push(cwd, '--json'))
  expect(previews?.unavailable.map(({ name }) => name).sort()).toEqual([...names].sort())
  expect((await entries()).every((entry) => entry.preview_status === 'unavailable')).toBe(true)
  expect(addresses().filter((path) => path.endsWith('unavailable'))).toHaveLength(1)
})

test('previews of many versions go through presigned addresses', async () => {
  const report = reportOf(await push(await scans(4), '--json'))
  expect(report.previews).toMatchObject({ made: 6, failed: [], left: 0 })
  expect(server.logLines.some((line) => line.includes(workspace.slug) && line.includes('media/finalize'))).toBe(true)
})

/** Previews behind a push that is killed or cut off, overtaken by another version, or out of room: nothing wrong is kept, and the next run goes on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import { makeProjectMedia } from '../../../client/previews/project-previews.ts'
import { push } from '../../../client/push/push.ts'
import { writePackage } from '../../../sample/package.ts'
import { callAs, type Json } from '../../support/api.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { type OnWay, startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const processFile = fileURLToPath(new URL('../../support/push-process.ts', import.meta.url))

const pyramid = (height: number) => `v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 ${height}\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`

/** Five meshes, which go through presigned addresses, pushed over a wire that a test can hold up. */
async function huts(onWay: OnWay) {
  const { url, keys, slug } = await server.addWorkspace()
  const wire = await startProxy(server.url, onWay)
  const meshes = Array.from({ length: 5 }, (_, at) => [`Art/Hut${at}.obj`, pyramid(at + 5)])
  const root = temporaryFolder(Object.fromEntries(meshes))
  const state = temporaryFolder()
  const options = { paths: [root], url: wire.url(url), key: keys.mia }
  const folders = findFolders({ PH_STATE_DIR: state })
  const caller = callAs(url, keys.mia)
  const entries = async (): Promise<Json[]> => (await caller.get('/entries?limit=200')).body.entries
  const make = () => makeProjectMedia({ ...options, folders, root })
  return { options, state, folders, caller, entries, make, slug }
}

const shown = (entries: Json[]) => entries.filter((one) => one.preview_status === 'ready' && one.has_thumbnail).length

test.each([
  ['addresses are asked for', /^POST \S*\/media\/presign/],
  ['a file is on its way', /^PUT \S*\/media\//],
  ['they are put to use', /^POST \S*\/media\/finalize/],
])('killed when %s, a push is done, and the next run makes what is missing', async (_, moment) => {
  let onMoment = () => {}
  let isDead = false
  const library = await huts((sent) => {
    if (isDead || !moment.test(sent)) return undefined
    onMoment()
    return 'cut'
  })
  const { options, state } = library
  const child = spawn(process.execPath, [processFile, JSON.stringify({ ...options, state, previews: true })], { stdio: 'ignore' })
  onMoment = () => {
    isDead = child.kill('SIGKILL')
  }
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
  const before = await library.entries()
  expect([before.length, shown(before)]).toEqual([5, 0])
  expect(await library.make()).toMatchObject({ isDue: false, report: { made: 5, thumbnails: 5, failed: [] } })
  expect(shown(await library.entries())).toBe(5)
})

test('a wire that is cut in the middle of the uploads is taken up again within the same run', async () => {
  let cuts = 0
  const library = await huts((sent) => (/^PUT \S*\/media\//.test(sent) && cuts++ < 3 ? 'cut' : undefined))
  const { options, folders } = library
  await push({ ...options, folders })
  const made = await library.make()
  expect(cuts).toBeGreaterThanOrEqual(3)
  expect(made).toMatchObject({ isDue: false, report: { made: 5, thumbnails: 5, failed: [], left: 0 } })
  expect(made).not.toHaveProperty('error')
  expect(shown(await library.entries())).toBe(5)
})

test.each([
  ['addresses are asked for', /^POST \S*\/media\/presign/],
  ['they are put to use', /^POST \S*\/media\/finalize/],
])('a version that is registered just before %s gets no preview of the one before; the others get theirs', async (_, moment) => {
  let replacing: Promise<Json[]> | undefined
  let replace = async (): Promise<Json[]> => []
  const library = await huts(async (sent) => {
    if (!moment.test(sent)) return undefined
    replacing ??= replace()
    await replacing
    return undefined
  })
  const { options, folders, caller } = library
  await push({ ...options, folders })
  const [hut] = (await library.entries()).filter(({ name }) => name === 'Hut2')
  const { lineage_id, content_hash } = (await caller.get(`/entries/${hut?.id}`)).body
  const stamped = {
    stamped_lineage_id: lineage_id,
    stamped_base_hash: content_hash,
    origin_path: undefined,
    engine_version: undefined,
  }
  const next = item({
    ...stamped,
    bytes: Buffer.from(pyramid(99)),
    asset_class: 'SourceMesh',
    source_ext: 'obj',
    entry: { entry_type: 'source_mesh' },
  })
  replace = () => pushed(caller, [next])
  const made = await library.make()
  expect(await replacing).toMatchObject([{ status: 'new', entry_id: hut?.id }])
  // Its preview and its thumbnail.
  expect(made).toMatchObject({ report: { made: 4, thumbnails: 4, left: 2, failed: [] } })
  const entries = await library.entries()
  expect(shown(entries)).toBe(4)
  expect(entries.find(({ id }) => id === hut?.id)).toMatchObject({ preview_status: 'none', has_thumbnail: false })
})

test.each([
  ['addresses are asked for', /^POST \S*\/media\/presign/],
  ['a file is on its way', /^PUT \S*\/media\//],
])('when the storage limit is reached as %s, the rest is made once there is room again', async (_, moment) => {
  let reached: Promise<void> | undefined
  const library = await huts(async (sent) => {
    if (!moment.test(sent)) return undefined
    reached ??= server.changeWorkspace(library.slug, { storage_limit_bytes: 1 })
    await reached
    return undefined
  })
  const { options, folders } = library
  await push({ ...options, folders })
  const first = await library.make()
  expect(first).toMatchObject({ isDue: true, report: { failed: [], unavailable: [] } })
  expect(first.error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'ingest_blocked' } })
  expect(shown(await library.entries())).toBeLessThan(5)
  await server.changeWorkspace(library.slug, { storage_limit_bytes: null })
  const second = await library.make()
  expect(second).toMatchObject({ isDue: false, report: { failed: [], left: 0 } })
  expect(second).not.toHaveProperty('error')
  expect(shown(await library.entries())).toBe(5)
})

test('what is found to have no preview is told also when another file was refused', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  let refused: Promise<void> | undefined
  const wire = await startProxy(server.url, async (sent) => {
    if (!/^POST \S*\/media\/presign/.test(sent)) return undefined
    refused ??= server.changeWorkspace(slug, { storage_limit_bytes: 1 })
    await refused
    return undefined
  })
  // More than go in one batch: the first is refused while others are still made.
  const meshes = Array.from({ length: 24 }, (_, at) => [`Art/Hut${at}.obj`, pyramid(at + 5)] as const)
  const bare = await writePackage({ packageName: '/Game/Art/SM_Bare', assetClass: 'StaticMesh' })
  const root = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}', 'Content/Art/SM_Bare.uasset': bare })
  const folders = findFolders({ PH_STATE_DIR: temporaryFolder() })
  const options = { paths: [root], url: wire.url(url), key: keys.mia }
  await push({ ...options, folders })
  mkdirSync(join(root, 'Art'))
  for (const [path, text] of meshes) writeFileSync(join(root, path), text)
  await push({ ...options, folders })
  const made = await makeProjectMedia({ ...options, folders, root })
  expect(made.error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'ingest_blocked' } })
  expect(made.report.unavailable).toMatchObject([{ name: 'SM_Bare' }])
  const { entries } = (await callAs(url, keys.mia).get('/entries?limit=200')).body
  expect(entries.find(({ name }: Json) => name === 'SM_Bare').preview_status).toBe('unavailable')
})

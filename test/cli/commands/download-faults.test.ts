/** ph download of many where something is in its way: damaged bytes, addresses that run out, files and links that are there, entries that are not. */
import { chmodSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import type { ClientDeath } from '../../support/client-death.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { phProcess } from '../../support/ph-process.ts'
import { filesBelow } from '../../support/pull.ts'
import { item, pushed, sha256 } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const linkless = new URL('../../support/disk-without-links.ts', import.meta.url).href
const deathPoint = new URL('../../support/client-death.ts', import.meta.url).href
const server = await startTestServer()
let url: string
let keys: Awaited<ReturnType<typeof server.addWorkspace>>['keys']
let mia: Caller

beforeEach(async () => {
  const workspace = await server.addWorkspace()
  url = workspace.url
  keys = workspace.keys
  mia = callAs(url, keys.mia)
})
const machine = () => ({ PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' })
const run = (line: string, cwd: string, address = url) =>
  ph(line, { env: { ...signedIn(address, keys.olivia), ...machine() }, cwd })

/** Pushed from another machine. */
async function push(files: Record<string, string>): Promise<void> {
  const folder = temporaryFolder(files)
  const { code, stderr } = await ph(['push', folder, '--yes'], { env: { ...signedIn(url, keys.mia), ...machine() }, cwd: folder })
  expect(code, stderr).toBe(0)
}
const texts = (folder: string) =>
  Object.fromEntries(Object.entries(filesBelow(folder)).map(([path, bytes]) => [path, bytes.toString()]))
const rocks = { 'rocks/cliff.obj': 'v 0 0 0\n', 'rocks/small.obj': 'v 1 0 0\n' }

/** Lets something happen when the first file is asked for, before it comes. */
async function onFirstFile(happens: () => void): Promise<string> {
  let isFirst = true
  const wire = await startProxy(server.url, (sent) => {
    if (isFirst && sent.startsWith('GET /storage/')) {
      isFirst = false
      happens()
    }
    return undefined
  })
  return wire.url(url)
}

test('where the bytes of one file are damaged in the library, none is placed, and it is named', async () => {
  await push(rocks)
  const [stored = ''] = globSync(`**/${sha256(Buffer.from(rocks['rocks/small.obj']))}`, { cwd: server.dataDir })
  chmodSync(join(server.dataDir, stored), 0o644)
  writeFileSync(join(server.dataDir, stored), 'v 9 9 9\n')
  const cwd = temporaryFolder()
  const { code, stderr } = await run('download cliff small', cwd)
  expect([code, filesBelow(cwd)]).toEqual([1, {}])
  expect(stderr).toMatch(/Nothing was placed\. What arrives for small\S* is not the file with the hash/)
})

test('addresses that run out in the middle are asked for again', async () => {
  await push(rocks)
  const cwd = temporaryFolder()
  const wire = await onFirstFile(() => server.clock.advance(20 * 60_000))
  expect(await run('download cliff small', cwd, wire)).toMatchObject({ code: 0 })
  expect(texts(cwd)).toEqual(rocks)
})

test.each(['obj', 'png'])('a .%s that someone saves while the download runs is left alone, with exit code 5', async (ext) => {
  await push({ [`rocks/cliff.${ext}`]: 'v 0 0 0\n', [`rocks/small.${ext}`]: 'v 1 0 0\n' })
  const cwd = temporaryFolder({ 'rocks/keep': '' })
  const place = join(cwd, `rocks/small.${ext}`)
  const wire = await onFirstFile(() => writeFileSync(place, 'mine'))
  const { code, stderr } = await run('download cliff small', cwd, wire)
  expect([code, readFileSync(place, 'utf8')]).toEqual([5, 'mine'])
  expect(stderr).toContain(`small.${ext} is there already and holds something else`)
})

test('a file that someone saves at the last moment, just before the download would place its own, is left alone', async () => {
  await push(rocks)
  const to = temporaryFolder()
  const saved = join(to, 'rocks/small.obj')
  const moment: ClientDeath = { kind: 'disk', step: 1, at: '^(link|rename)(Sync)? .*/small\\.obj$', how: 'save', saved }
  const preload = { NODE_OPTIONS: `--import ${deathPoint}`, PH_TEST_DEATH: JSON.stringify(moment) }
  const { code, stderr } = await phProcess(['download', 'cliff', 'small', '--to', to], {
    env: { ...signedIn(url, keys.olivia), ...machine(), ...preload },
  })
  expect([code, readFileSync(saved, 'utf8')]).toEqual([5, 'mine'])
  expect(stderr).toContain('small.obj is there already and holds something else')
})

test('on a disk without hard links, of which Windows says EISDIR, what is free is filled and what is there stays', async () => {
  await push(rocks)
  const to = temporaryFolder()
  const preload = { NODE_OPTIONS: `--import ${linkless}`, PH_TEST_LINK_CODE: 'EISDIR' }
  const env = { ...signedIn(url, keys.olivia), ...machine(), ...preload }
  const { code, stderr } = await phProcess(['download', 'cliff', 'small', '--to', to], { env })
  expect([code, texts(to)], stderr).toEqual([0, rocks])
  const single = temporaryFolder({ 'rocks/small.obj': 'mine' })
  expect((await phProcess(['download', 'small', '--to', single], { env })).code).toBe(5)
  expect(texts(single)).toEqual({ 'rocks/small.obj': 'mine' })
})

test('--force replaces no file that is read-only, and then none at all', async () => {
  await push(rocks)
  const cwd = temporaryFolder({ 'rocks/small.obj': 'mine' })
  chmodSync(join(cwd, 'rocks/small.obj'), 0o444)
  const { code, stderr } = await run('download cliff small --force', cwd)
  expect([code, texts(cwd)]).toEqual([1, { 'rocks/small.obj': 'mine' }])
  expect(stderr).toContain('rocks/small.obj is read-only and would be replaced')
})

test.each([
  ['the file', 'rocks/small.obj', 'file'],
  ['its folder', 'rocks', 'dir'],
] as const)('where %s is a symbolic link, nothing is written behind it', async (_what, path, kind) => {
  await push(rocks)
  const outside = temporaryFolder({ 'small.obj': 'v 1 0 0\n' })
  const cwd = temporaryFolder(kind === 'file' ? { 'rocks/keep': '' } : {})
  symlinkSync(kind === 'file' ? join(outside, 'small.obj') : outside, join(cwd, path), kind)
  const { code, stderr } = await run('download cliff small --force', cwd)
  expect([code, texts(outside)]).toEqual([1, { 'small.obj': 'v 1 0 0\n' }])
  expect(stderr).toContain(`${path} is a symbolic link`)
})

test('one entry that is not there stops all of it', async () => {
  await push(rocks)
  const cwd = temporaryFolder()
  const { code, stderr } = await run('download cliff 999999', cwd)
  expect([code, filesBelow(cwd)]).toEqual([1, {}])
  expect(stderr).toContain('There is no entry 999999')
})

test('the same bytes come to each of their places', async () => {
  const uris = ['a/wood.png', 'b/wood.png', 'wood.png']
  const gltf = JSON.stringify({ asset: { version: '2.0' }, images: uris.map((uri) => ({ uri })) })
  const model = { 'model.gltf': gltf, ...Object.fromEntries(uris.map((uri) => [uri, 'one texture'])) }
  await push(model)
  const cwd = temporaryFolder()
  expect((await run('download model.gltf --with-deps', cwd)).code).toBe(0)
  expect(texts(cwd)).toEqual(model)
})

test('the library hears of each entry that it was downloaded', async () => {
  await push(rocks)
  expect((await run('download cliff small', temporaryFolder())).code).toBe(0)
  for (const { id } of (await mia.get('/entries')).body.entries as Json[])
    expect((await mia.get(`/entries/${id}`)).body.ever_pulled).toBe(true)
})

test('of a server whose closures say neither where files were pushed nor where their bytes are, everything comes all the same', async () => {
  const gltf = JSON.stringify({ asset: { version: '2.0' }, images: [{ uri: 'textures/wood.png' }] })
  const model = { 'chair/model.gltf': gltf, 'chair/textures/wood.png': 'wood' }
  await push(model)
  const front = await startFront({ to: () => url, lacking: { asked: /\/closure/, fields: ['source_path', 'url'] } })
  const cwd = temporaryFolder()
  expect((await run('download model.gltf --with-deps', cwd, front.url)).code).toBe(0)
  expect(texts(cwd)).toEqual(model)
})

test('a file that was pushed without a path comes under the name of its entry, also with what it needs', async () => {
  const { origin_path: _, ...sound } = item({ asset_class: 'SourceAudio', asset_name: null, source_ext: 'wav' })
  const [result] = await pushed(mia, [{ ...sound, entry: { entry_type: 'audio', name: 'roll' } } as never])
  for (const how of ['--to .', '--with-deps']) {
    const cwd = temporaryFolder()
    expect((await run(`download ${result?.entry_id} ${how}`, cwd)).code).toBe(0)
    expect([how, Object.keys(filesBelow(cwd))]).toEqual([how, ['roll.wav']])
  }
})

test('what a model names and the library has not is told with the model that names it, and the rest comes', async () => {
  const named = { images: [{ uri: 'wood.png' }], buffers: [{ uri: 'gone.bin', byteLength: 4 }] }
  const model = { 'chair/model.gltf': JSON.stringify({ asset: { version: '2.0' }, ...named }), 'chair/wood.png': 'wood' }
  await push(model)
  const cwd = temporaryFolder()
  const { code, stdout } = await run('download model.gltf --with-deps', cwd)
  expect([code, texts(cwd)]).toEqual([0, model])
  expect(stdout).toContain('Named, and not in the library:\n    gone.bin  named in chair/model.gltf\n')
  expect(stdout).not.toContain('wood.png  named in')
})

test('a file that gets the bytes of the only one of its kind is told, with the name that those were pushed by', async () => {
  const named = { images: [{ uri: 'oak.png' }, { uri: 'lost.png' }] }
  await push({ 'guess/desk.gltf': JSON.stringify({ asset: { version: '2.0' }, ...named }), 'guess/oak.png': 'oak' })
  const cwd = temporaryFolder()
  const { code, stdout } = await run('download desk.gltf --with-deps', cwd)
  expect([code, texts(cwd)['guess/lost.png']]).toEqual([0, 'oak'])
  expect(stdout).toContain('lost.png  has the bytes of oak.png, named in guess/desk.gltf')
})

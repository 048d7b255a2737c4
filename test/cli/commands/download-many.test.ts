/** ph download of many: source files come back as they were pushed, with what they need, and packages by their /Game path. */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { filesBelow } from '../../support/pull.ts'
import { item, plainFile, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
let env: Record<string, string>
let url: string
let key: string
let mia: Caller

/** Of another person, on another machine. */
beforeEach(async () => {
  const workspace = await server.addWorkspace()
  url = workspace.url
  key = workspace.keys.mia
  mia = callAs(url, key)
  env = { ...signedIn(url, workspace.keys.olivia), ...machine() }
})
const machine = () => ({ PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' })
const run = (line: string, cwd: string, more: Setting = {}) => ph(line, { env, cwd, ...more })
const push = async (folder: string) => {
  const { code, stderr } = await ph(['push', folder, '--yes'], { env: { ...signedIn(url, key), ...machine() }, cwd: folder })
  expect([code, stderr]).toEqual([0, expect.any(String)])
}
const sha256 = /^[0-9a-f]{64}$/
/** Longer ago than any download is taken to run. */
const yesterday = () => new Date(Date.now() - 25 * 3_600_000)

/** A glTF beside a buffer and, in a folder of its own, a texture. */
const model = (marker: string, texture = `texture of ${marker}`) => ({
  'model.gltf': JSON.stringify({
    asset: { version: '2.0', generator: marker },
    buffers: [{ uri: 'model.bin', byteLength: 4 }],
    images: [{ uri: 'textures/wood%20old.png' }],
  }),
  'model.bin': `bin ${marker}`,
  'textures/wood old.png': texture,
})
const below = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
const texts = (folder: string) =>
  Object.fromEntries(Object.entries(filesBelow(folder)).map(([path, bytes]) => [path, bytes.toString()]))

/** Every file that a glTF names is there. */
function expectOpenable(path: string): void {
  const { buffers = [], images = [] } = JSON.parse(readFileSync(path, 'utf8'))
  for (const { uri } of [...buffers, ...images] as { uri?: string }[])
    if (uri && !uri.startsWith('data:')) readFileSync(join(dirname(path), decodeURIComponent(uri)))
}

test.runIf(process.env.PH_FIXTURES)('a real glTF comes back on another machine byte for byte, and can be opened', async () => {
  const folder = temporaryFolder()
  cpSync(join(process.env.PH_FIXTURES ?? '', 'source/gltf/BoxTextured-glTF'), join(folder, 'scans/box'), { recursive: true })
  await push(folder)
  const cwd = temporaryFolder()
  const { code, stdout, stderr } = await run('download BoxTextured.gltf --with-deps --to out', cwd)
  expect([stderr, code]).toEqual(['', 0])
  expect(stdout).toContain('Downloaded 3 files')
  expect(filesBelow(join(cwd, 'out'))).toEqual(filesBelow(folder))
  expectOpenable(join(cwd, 'out/scans/box/BoxTextured.gltf'))
})

test('--json lists files with paths, hashes and versions; what is there already is not fetched again', async () => {
  const folder = temporaryFolder(below('chair', model('chair')))
  await push(folder)
  const cwd = temporaryFolder()
  const report = (await run('download model.gltf --with-deps --json', cwd)).json() as Json
  expect(report.files.map(({ file }: Json) => file).toSorted()).toEqual(Object.keys(below('chair', model('chair'))).toSorted())
  for (const one of report.files)
    expect(one).toMatchObject({
      path: join(cwd, one.file),
      outcome: 'downloaded',
      version: 1,
      content_hash: expect.stringMatching(sha256),
    })
  expect((await run('download model.gltf --with-deps', cwd)).stdout).toContain('holds these 3 files already.')
})

test('one without --with-deps says what it needs; several come into the folders that they had', async () => {
  const folder = temporaryFolder({
    ...below('chair', model('chair')),
    'rocks/big/cliff.obj': 'v 0 0 0\n',
    'rocks/small.obj': 'v 1 0 0\n',
  })
  await push(folder)
  const cwd = temporaryFolder()
  const { stdout } = await run('download model.gltf cliff small', cwd)
  expect(Object.keys(texts(cwd))).toEqual(['chair/model.gltf', 'rocks/big/cliff.obj', 'rocks/small.obj'])
  expect(stdout).toContain('Needed, and not downloaded:')
  expect(stdout).toContain('--with-deps')
})

test('companions lie where their model looks for them, also when their bytes were pushed elsewhere before', async () => {
  const texture = 'one texture for all'
  await push(temporaryFolder({ 'library/oak.png': texture, 'library/table/model.bin': 'bin table' }))
  const folder = temporaryFolder(model('table', texture))
  await push(folder)
  const cwd = temporaryFolder()
  expect((await run('download model.gltf --with-deps', cwd)).code).toBe(0)
  expect(texts(cwd)).toEqual(texts(folder))
})

test('two props that were pushed as one path are told apart by folders, and named', async () => {
  const [one, two] = [temporaryFolder(model('one')), temporaryFolder(model('two'))]
  await push(one)
  const [first] = (await mia.get('/entries?name=model')).body.entries
  await push(two)
  const second = (await mia.get('/entries')).body.entries.find(
    (entry: Json) => entry.source_ext === 'gltf' && entry.id !== first.id,
  )
  const cwd = temporaryFolder()
  const { stdout } = await run(`download ${first.id} ${second.id} --with-deps`, cwd)
  expect(stdout).toContain('In a folder of their own:')
  const [apart = ''] = Object.keys(texts(cwd)).flatMap((path) => /^([^/]+-\d+)\//.exec(path)?.[1] ?? [])
  expect(stdout).toContain(`${apart}/`)
  expect(texts(join(cwd, apart))).toEqual(texts(two))
  expect(texts(cwd)).toMatchObject(model('one'))
})

test('packages come by their /Game path below Content, also of an earlier version', async () => {
  const project = await makeProject({
    'Content/Inn/SM_Barrel.uasset': { imports: ['/Game/Inn/M_Oak'] },
    'Content/Inn/M_Oak.uasset': {},
  })
  await project.push({ url, key })
  const before = filesBelow(join(project.root, 'Content'))
  await project.save({ 'Content/Inn/M_Oak.uasset': { payload: Buffer.from('new') } })
  await project.save({ 'Content/Inn/SM_Barrel.uasset': { imports: ['/Game/Inn/M_Oak'], payload: Buffer.from('new') } })
  await project.push({ url, key })
  const cwd = temporaryFolder()
  await run('download SM_Barrel --with-deps --to new', cwd)
  expect(filesBelow(join(cwd, 'new/Content'))).toEqual(filesBelow(join(project.root, 'Content')))
  await run('download SM_Barrel --with-deps --version v1 --to old', cwd)
  expect(filesBelow(join(cwd, 'old/Content'))).toEqual(before)
  expect((await run('download SM_Barrel M_Oak --version v1', cwd)).code).toBe(2)
  expect((await run('download SM_Barrel M_Oak -o x', cwd)).code).toBe(2)
})

test('a file that holds something else stops all of it with exit code 5, unless --force', async () => {
  const folder = temporaryFolder(model('chair'))
  await push(folder)
  const cwd = temporaryFolder({ 'model.bin': 'mine' })
  const refused = await run('download model.gltf --with-deps', cwd)
  expect([refused.code, texts(cwd)]).toEqual([5, { 'model.bin': 'mine' }])
  expect(refused.stderr).toContain('model.bin is there already and holds something else')
  expect((await run('download model.gltf --with-deps --force', cwd)).code).toBe(0)
  expect(texts(cwd)).toEqual(texts(folder))
})

test('names that hide a file, or that no disk has, are left out and named, and the others come; one that is asked for alone is refused', async () => {
  const { origin_path: _, ...good } = item({ asset_class: 'SourceMesh', source_ext: 'fbx', source_path: 'good.fbx' })
  for (const source_path of ['.bashrc', 'a/.git/hooks', `${'x'.repeat(300)}.fbx`]) {
    const { origin_path: _path, ...hostile } = item({ asset_class: 'SourceMesh', source_ext: 'fbx', source_path })
    const results = await pushed(mia, [hostile as never, good as never])
    const cwd = temporaryFolder()
    const { code, stdout } = await run(`download ${results.map((one: Json) => one.entry_id).join(' ')}`, cwd)
    expect([source_path, code, Object.keys(filesBelow(cwd))]).toEqual([source_path, 6, ['good.fbx']])
    expect(stdout.replaceAll(/\s+/g, '')).toContain(source_path.slice(0, 200))
    const alone = await run(`download ${results[0].entry_id} --to alone`, cwd)
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('Nothing was placed.')])
    expect(Object.keys(filesBelow(cwd))).toEqual(['good.fbx'])
  }
})

test('a folder that is there in other letters is the one that files go to', async () => {
  const folder = temporaryFolder(below('Textures', { 'a.obj': 'v 0 0 0\n' }))
  await push(folder)
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'textures'))
  writeFileSync(join(cwd, 'textures/keep'), '')
  const { code, stdout } = await run('download a --to .', cwd)
  expect([code, Object.keys(texts(cwd))]).toEqual([0, ['textures/a.obj', 'textures/keep']])
  expect(stdout).toContain('+ textures/a.obj')
})

test('a pull of source files says the download that brings them', async () => {
  const folder = temporaryFolder(below('chair', model('chair')))
  await push(folder)
  const cwd = temporaryFolder({ 'Tavern.uproject': '{}' })
  for (const more of ['', ' --plan']) {
    const { code, stderr } = await run(`pull model.gltf${more}`, cwd)
    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('ph download model.gltf --with-deps --to <folder>')
    expect(stderr).not.toContain('plugin')
  }
})

test('many entries are read from standard input', async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`set/part${at}.obj`, `v ${at} 0 0\n`]))
  const folder = temporaryFolder()
  writeFiles(folder, files)
  await push(folder)
  const cwd = temporaryFolder()
  const stdin = Object.keys(files)
    .map((_, at) => `part${at}`)
    .join('\n')
  expect((await run('download - --to all', cwd, { stdin })).code).toBe(0)
  expect(texts(join(cwd, 'all'))).toEqual(files)
})

test('two downloads into one folder at once leave what the other one gathers alone, however long that takes', async () => {
  await push(temporaryFolder(below('chair', model('chair'))))
  await push(temporaryFolder({ 'rocks/cliff.obj': 'v 0 0 0\n' }))
  let [began, goOn] = [() => {}, () => {}]
  const isBegun = new Promise<void>((resolve) => (began = resolve))
  const isFree = new Promise<void>((resolve) => (goOn = resolve))
  const wire = await startProxy(server.url, async (sent) => {
    if (!sent.startsWith('GET /storage/')) return undefined
    began()
    await isFree
    return undefined
  })
  const cwd = temporaryFolder()
  const first = run('download model.gltf --with-deps', cwd, { env: { ...env, ...machine(), PH_URL: wire.url(url) } })
  await isBegun
  const staging = readdirSync(cwd)
  expect(staging).toEqual([expect.stringMatching(/^\.ph-download-/)])
  // A slow one, that has been gathering since yesterday.
  for (const name of staging) utimesSync(join(cwd, name), yesterday(), yesterday())
  expect((await run('download cliff --to .', cwd)).code).toBe(0)
  expect(readdirSync(cwd)).toEqual([...staging, 'rocks'])
  goOn()
  expect((await first).code).toBe(0)
  expect(texts(cwd)).toEqual({ ...below('chair', model('chair')), 'rocks/cliff.obj': 'v 0 0 0\n' })
})

test('what a killed download gathered is removed by the next one; what may belong to a running one is old first', async () => {
  await push(temporaryFolder({ 'cliff.obj': 'v 0 0 0\n' }))
  const names = ['a', 'b', 'c'].map((letter) => `.ph-download-${randomUUID().replace(/^./, letter)}`)
  const [killed = '', unlocked = '', old = ''] = names
  const cwd = temporaryFolder({
    [`${killed}/lock`]: '',
    [`${killed}/half`]: 'x',
    [`${unlocked}/half`]: 'x',
    [`${old}/half`]: 'x',
  })
  utimesSync(join(cwd, old), yesterday(), yesterday())
  expect((await run('download cliff --to .', cwd)).code).toBe(0)
  expect(readdirSync(cwd)).toEqual([unlocked, 'cliff.obj'])
})

test('twenty packages with what they need take few requests, and as many files where the library or the key allows none of that', async () => {
  const { url: at, keys: own } = await server.addWorkspace()
  const who = callAs(at, own.mia)
  const texture = plainFile({ asset_name: 'T_Shared' })
  const dependencies = [{ content_hash: texture.content_hash }]
  const made = await pushed(who, [texture, ...Array.from({ length: 20 }, () => item({ dependencies }))])
  const stdin = made.flatMap(({ entry_id }) => entry_id ?? []).join('\n')
  const countOf = async (plain: boolean, key: string) => {
    const front = await startFront({ to: () => at, plain })
    const env = { ...signedIn(front.url, key), PH_CACHE_DIR: temporaryFolder() }
    const { code, stdout, json } = await ph('download - --with-deps --json', { env, stdin, cwd: temporaryFolder() })
    expect(code, stdout).toBe(0)
    expect((json() as Json).files).toHaveLength(21)
    return front.asked.filter((asked) => !asked.includes('/storage/')).length
  }
  expect(await countOf(false, own.mia)).toBeLessThan(8)
  expect(await countOf(true, own.mia)).toBeGreaterThan(40)
  expect(await countOf(false, own.miaReads)).toBeLessThan(30)
})

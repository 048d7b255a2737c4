/** ph download into Unreal projects: props in Content folders and nothing else, whichever way a path leads there; elsewhere everything. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs } from '../../support/api.ts'
import { heldBefore, meshThatNeeds } from '../../support/held-before.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { filesBelow } from '../../support/pull.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
let mia: Caller
let env: Record<string, string>

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
})

const run = (line: string, cwd: string) => ph(line, { env, cwd })
const project = () => temporaryFolder({ 'Inn.uproject': '{}', 'Plugins/Kit/Kit.uplugin': '{}', 'Plugins/NoKit/readme.txt': 'x' })

async function expectRefused(line: string, cwd: string, root: string): Promise<string> {
  const before = Object.keys(filesBelow(root))
  const { code, stderr } = await run(line, cwd)
  expect([line, code], stderr).toEqual([line, 1])
  expect(stderr).toContain('Nothing was placed.')
  expect(stderr).toContain('Choose a folder outside of the project')
  expect(Object.keys(filesBelow(root))).toEqual(before)
  return stderr
}

/** What an editor would run, each at the path at which it would. */
const code = [
  { origin_path: '/Game/Python/init_unreal', source_ext: 'py' },
  { origin_path: '/Game/Python/fast', source_ext: 'pyd' },
  { origin_path: '/Game/A/Evil', source_ext: 'uplugin', source_path: 'Plugins/Evil/Evil.uplugin' },
  { origin_path: '/Game/A/Default', source_ext: 'ini', source_path: 'Config/DefaultEngine.ini' },
  { origin_path: '/Game/A/evil', source_ext: 'dll', source_path: 'Binaries/Win64/evil.dll' },
  { origin_path: '/Game/A/harmless', source_ext: 'png', source_path: 'Plugins/Kit/Content/Python/init_unreal.py' },
  { origin_path: '/Game/A/dotted', source_ext: 'png', source_path: 'Content/Python/init_unreal.py.' },
]

test.each(code)(
  'a mesh that needs $source_path $origin_path.$source_ext places nothing in a project, and all of it outside',
  async (as) => {
    const { held } = await heldBefore(server, mia, as)
    const { asset_name } = await meshThatNeeds(mia, [held])
    const root = project()
    const said = await expectRefused(`download ${asset_name} --with-deps`, root, root)
    expect(said).toContain(as.source_path?.split('/').at(-1)?.replace(/\.$/, '') ?? as.origin_path.split('/').at(-1))
    const away = temporaryFolder()
    const { code: exit, stderr } = await run(`download ${asset_name} --with-deps --to out`, away)
    expect([exit, stderr]).toEqual([0, ''])
    expect(Object.keys(filesBelow(join(away, 'out')))).toHaveLength(2)
  },
)

test('one file is refused in a project by its kind, its place and the name that is given to it', async () => {
  await heldBefore(server, mia, { origin_path: '/Game/Python/init_unreal', source_ext: 'py' })
  const [wood] = await pushed(mia, [item({ asset_name: 'wood', source_ext: 'png', asset_class: 'SourceTexture' })])
  const root = project()
  mkdirSync(join(root, 'Content/Python'), { recursive: true })
  for (const output of ['Content/Python/', 'Content/', './']) await expectRefused(`download init_unreal -o ${output}`, root, root)
  for (const output of [
    'wood.png',
    'Config/wood.png',
    'Content/wood.py',
    'Content/wood.PY.',
    'Content/wood.png::$DATA',
    'Content/COM1.png',
    'Content/WOOD~1.png',
    'Content/.wood.png',
    'Content/Python/wood.png',
    'content/python/wood.png',
    'Plugins/Kit/wood.png',
    'Plugins/Kit/Content/Python/wood.png',
    'Plugins/NoKit/Content/wood.png',
    'Plugins/Kit/Content/wood',
  ])
    await expectRefused(`download ${wood.entry_id} -o ${output}`, root, root)
  for (const output of ['Content/wood.png', 'Content/A/B/wood.png', 'Plugins/Kit/Content/wood.png'])
    expect((await run(`download ${wood.entry_id} -o ${output}`, root)).code, output).toBe(0)
  expect(Object.keys(filesBelow(root)).filter((file) => file.endsWith('.png'))).toHaveLength(3)
})

test('links lead into a project as well as folders do, and so do folders above it', async () => {
  const { held } = await heldBefore(server, mia, {
    origin_path: '/Game/A/x',
    source_ext: 'png',
    source_path: 'Inn/Content/Python/init_unreal.py',
  })
  const { asset_name } = await meshThatNeeds(mia, [held])
  const [text] = await pushed(mia, [item({ asset_name: 'notes', source_ext: 'txt', asset_class: 'SourceFile' })])
  const above = temporaryFolder()
  const root = join(above, 'Inn')
  mkdirSync(join(root, 'Content', 'Deep'), { recursive: true })
  writeFileSync(join(root, 'Inn.uproject'), '{}')
  await expectRefused(`download ${asset_name} --with-deps --to .`, above, above)
  const links = temporaryFolder()
  symlinkSync(join(root, 'Content', 'Deep'), join(links, 'deep'))
  await expectRefused(`download ${text.entry_id} -o deep/`, links, root)
  await expectRefused(`download ${text.entry_id} --to deep/not/there/yet`, links, root)
  const away = temporaryFolder()
  symlinkSync(away, join(root, 'Content', 'Away'))
  await expectRefused(`download ${text.entry_id} -o Content/Away/`, root, root)
  expect(readdirSync(away)).toEqual([])
})

test('a plugin by itself is a project too, and a download that brings a descriptor along is held to it', async () => {
  const [text] = await pushed(mia, [item({ asset_name: 'notes', source_ext: 'txt', asset_class: 'SourceFile' })])
  const plugin = temporaryFolder({ 'Kit.uplugin': '{}' })
  await expectRefused(`download ${text.entry_id} -o Content/`, plugin, plugin)
  await expectRefused(`download ${text.entry_id} -o Resources/`, plugin, plugin)
  const whole = [
    { origin_path: '/Game/A/p', source_ext: 'uproject', source_path: 'Evil/Evil.uproject' },
    { origin_path: '/Game/A/i', source_ext: 'py', source_path: 'Evil/Content/Python/init_unreal.py' },
  ]
  const held = await Promise.all(whole.map((as) => heldBefore(server, mia, as)))
  const { asset_name } = await meshThatNeeds(
    mia,
    held.map((one) => one.held),
  )
  const away = temporaryFolder()
  await expectRefused(`download ${asset_name} --with-deps --to .`, away, away)
})

test('packages with all they need go into a project as before', async () => {
  const oak = item({ asset_class: 'Material' })
  await pushed(mia, [oak])
  const { asset_name, origin_path } = await meshThatNeeds(mia, [oak])
  const root = project()
  expect((await run(`download ${asset_name} --with-deps`, root)).code).toBe(0)
  expect(existsSync(join(root, `Content${origin_path.slice('/Game'.length)}.uasset`))).toBe(true)
})

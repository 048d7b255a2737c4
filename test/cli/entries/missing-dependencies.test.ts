/** Missing dependencies, as pull, pull --plan, send and jobs show them: packages that are not in the library, plugins that a project lacks. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
let env: Record<string, string>

/** A mesh whose material refers to what was never pushed. */
beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
  const source = await makeProject({
    'Content/Inn/SM_Barrel.uasset': { imports: ['/Game/Inn/M_Oak', '/Water/M_Sea'] },
    'Content/Inn/M_Oak.uasset': {
      imports: ['/Game/Gone/T_Oak', '/Game/Gone/T_Rust', '/CesiumForUnreal/M_Globe'],
      softReferences: ['/Game/Gone/S_Creak'],
    },
    'Content/Inn/SM_Plain.uasset': {},
  })
  await source.push({ url, key: keys.olivia })
})

const run = (line: string, cwd = temporaryFolder()) => ph(line, { env, cwd })
const project = (plugins: unknown, more: Record<string, string> = {}) =>
  temporaryFolder({ 'Tavern.uproject': JSON.stringify({ EngineAssociation: '5.4', Plugins: plugins }), ...more })

const packages = [
  { name: '/Game/Gone/S_Creak', entries: ['M_Oak'] },
  { name: '/Game/Gone/T_Oak', entries: ['M_Oak'] },
  { name: '/Game/Gone/T_Rust', entries: ['M_Oak'] },
]
const plugins = (cesium: boolean | null, water: boolean | null) => [
  { name: 'CesiumForUnreal', present: cesium, entries: ['M_Oak'] },
  { name: 'Water', present: water, entries: ['SM_Barrel'] },
]

test('a pull and its plan name the packages and the plugins that are missing, of all that comes', async () => {
  for (const more of [' --plan', '']) {
    const { code, stdout } = await run(`pull SM_Barrel${more}`, project([]))
    expect(code).toBe(0)
    expect(stdout).toContain(
      [
        'Missing dependencies:',
        '  3 packages it references are not in the library:',
        '    /Game/Gone/S_Creak  used by M_Oak',
        '    /Game/Gone/T_Oak  used by M_Oak',
        '    /Game/Gone/T_Rust  used by M_Oak',
      ].join('\n'),
    )
    expect(stdout).toContain('It needs the plugins CesiumForUnreal, Water; the .uproject does not enable them.')
    const answer = (await run(`pull SM_Barrel${more} --json`, project([]))).json() as Json
    const [job] = answer.jobs ?? answer.plans
    expect(job).toMatchObject({ missing_dependencies: packages, plugins: plugins(false, false) })
  }
})

test('nothing is said of plugins that the project enables or has in its Plugins folder, and a disabled one is named', async () => {
  const enabled = [{ Name: 'cesiumforunreal', Enabled: true }, { Name: 'Odd' }, null, 'text']
  const own = { 'Plugins/Sets/Deep/Water/Water.uplugin': '{}' }
  const { stdout } = await run('pull SM_Barrel', project(enabled, own))
  expect(stdout).toContain('3 packages it references')
  expect(stdout).not.toMatch(/plugin/i)
  const disabled = [...enabled, { Name: 'Water', Enabled: false }]
  const one = await run('pull SM_Barrel', project(disabled, own))
  expect(one.stdout).toContain('It needs the plugin Water; the .uproject does not enable it.')
  const several = (await run('pull SM_Barrel --plan --json', project('none', own))).json() as Json
  expect(several.plans[0].plugins).toEqual(plugins(false, true))
})

test('where there is no .uproject, plugins are only named', async () => {
  const folder = temporaryFolder()
  const { stdout } = await run(`pull SM_Barrel --project Tavern --into ${join(folder, 'new')}`)
  expect(stdout).toContain('  It needs the plugins CesiumForUnreal, Water.\n')
  expect(stdout).not.toContain('.uproject does not')
})

test('send, send --plan and jobs show name them; a project of that name here is asked for its plugins', async () => {
  const send = 'send SM_Barrel SM_Plain --project Tavern --create'
  const { id } = (await run(`${send} --json`)).json() as Json
  for (const { stdout } of [await run(send), await run(`${send} --plan`), await run(`jobs show ${id}`)]) {
    expect(stdout).toContain('3 packages they reference are not in the library:')
    expect(stdout).toContain('They need the plugins CesiumForUnreal, Water.')
  }
  for (const line of [`${send} --json`, `${send} --plan --json`, `jobs show ${id} --json`]) {
    const answer = (await run(line)).json() as Json
    expect(answer).toMatchObject({ target_project: 'Tavern', missing_dependencies: packages, plugins: plugins(null, null) })
  }
  const there = project([{ Name: 'Water' }, { Name: 'CesiumForUnreal' }])
  for (const line of [send, `${send} --plan`, `jobs show ${id}`]) expect((await run(line, there)).stdout).not.toContain('plugin')
})

test('a prop that lacks nothing says nothing', async () => {
  for (const line of ['pull SM_Plain', 'pull SM_Plain --plan', 'send SM_Plain --project Tavern --create'])
    expect((await run(line, project([]))).stdout).not.toContain('Missing')
})

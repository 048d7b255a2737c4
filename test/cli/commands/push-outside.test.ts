/** ph push outside of projects, and without a path inside of one. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { PushReport } from '../../../client/push/report.ts'
import { type Caller, callAs } from '../../support/api.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { packageAt } from '../../support/unreal-project.ts'

const server = await startTestServer()
let env: Record<string, string>
let api: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.mia), PH_STATE_DIR: temporaryFolder(), NO_COLOR: '1' }
  api = callAs(url, keys.mia)
})

const push = (cwd: string, line: string, more: Setting = {}) => ph(`push ${line}`, { cwd, env, ...more })
const entries = async (): Promise<string[]> =>
  (await api.get('/entries')).body.entries.map(({ name }: { name: string }) => name).sort()
const scans = () => temporaryFolder({ 'rock.obj': 'v 0 0 0\n', 'sub/moss.obj': 'v 0 0 1\n' })

test('without a terminal a folder outside of projects is refused before anything is sent, and --yes pushes it', async () => {
  const folder = scans()
  const refused = await push(folder, '. --json')
  expect(refused.code).toBe(2)
  expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'OUTSIDE_PROJECT', hint: expect.stringContaining('--yes') })
  expect(await entries()).toEqual([])
  expect((await push(folder, '. --dry-run')).code).toBe(0)
  expect((await push(folder, '. --yes')).code).toBe(0)
  expect(await entries()).toEqual(['moss', 'rock'])
})

test('on a terminal the plan is shown and asked about; only yes pushes', async () => {
  const folder = scans()
  for (const typed of [['n\n'], ['\n'], []]) {
    const { code, stdout, stderr } = await push(folder, '.', { columns: 80, typed })
    expect(code).toBe(0)
    expect(stdout).toContain('+ rock')
    expect(stdout).toMatch(/2 new\n/)
    expect(stderr).toContain('lies in no Unreal project or plugin. Push it')
    expect(stderr).toContain('[y/N]')
    expect(await entries()).toEqual([])
  }
  expect((await push(folder, '.', { columns: 80, typed: ['y\n'] })).stdout).toContain('2 new entries')
  expect(await entries()).toEqual(['moss', 'rock'])
})

test('a project or plugin above, in or below the folder, and a single file, are not asked about', async () => {
  const house = temporaryFolder({
    'Games/Inn/Inn.uproject': '{}',
    'Games/Inn/Content/SM_A.uasset': await packageAt('Content/SM_A.uasset', {}),
    'Tools/Tools.uplugin': '{}',
    'Tools/Content/Deep/SM_B.uasset': await packageAt('Content/SM_B.uasset', {}),
    'Loose/rock.obj': 'v 0 0 0\n',
  })
  for (const line of ['Games', 'Games/Inn', 'Games/Inn/Content', 'Tools/Content/Deep', 'Loose/rock.obj'])
    expect(await push(house, line), line).toMatchObject({ code: 0 })
})

test('without a path the Content folders of the project go that one stands in, from wherever in it', async () => {
  const project = temporaryFolder({
    'Inn.uproject': '{}',
    'Content/Props/SM_A.uasset': await packageAt('Content/Props/SM_A.uasset', {}),
    'Plugins/Tools/Tools.uplugin': '{}',
    'Plugins/Tools/Content/SM_B.uasset': await packageAt('Plugins/Tools/Content/SM_B.uasset', {}),
    'SourceArt/rock.obj': 'v 0 0 0\n',
  })
  const report = (await push(join(project, 'Content/Props'), '--json')).json() as PushReport
  expect(report.items.map(({ file }) => file).sort()).toEqual(['Content/Props/SM_A.uasset', 'Plugins/Tools/Content/SM_B.uasset'])
  const outside = await push(temporaryFolder(), '')
  expect(outside.code).toBe(2)
  expect(outside.stderr.replaceAll(/\s+/g, ' ')).toContain('lies in no Unreal project or plugin.')
})

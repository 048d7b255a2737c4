/** Programs and scripts among what is pushed: they are left out in every way, named and counted, and a look at the project says the same. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import type { Problem } from '../../../client/project/problem.ts'
import { status } from '../../../client/status/status.ts'
import { callAs, type Json } from '../../support/api.ts'
import { heldBefore } from '../../support/held-before.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { makeProject, picture, type Target, type TestProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function library(): Promise<Target> {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia }
}

const executablesOf = (problems: readonly Problem[]): Problem[] => problems.filter(({ kind }) => kind === 'executable')
const entriesOf = async ({ url, key }: Target): Promise<string[]> =>
  (await callAs(url, key).get('/entries')).body.entries.map(({ name }: Json) => name).toSorted()
const statusOf = (project: TestProject, { url, key }: Target, paths: string[] = []) =>
  status({ url, key, folders: findFolders({ PH_STATE_DIR: project.state }), cwd: project.root, paths, all: true })

const code = {
  'Content/Python/init_unreal.py': 'import os',
  'Content/Python/fast.PYD': 'MZ',
  'Content/Tools/run.bat': 'echo',
  'Content/Tools/libm.so.6': 'ELF',
  'Content/Tools/odd.py.': 'import os',
}
const amongScripts = {
  'Content/Python/icon.png': picture,
  'Content/python2/icon.png': Buffer.concat([picture, Buffer.from('2')]),
}

test.each([{}, { all: true }])(
  'a push with %j leaves them out in one note that names and counts them, and takes the rest',
  async (options) => {
    const target = await library()
    const project = await makeProject({ 'Content/Town/SM_Wall.uasset': {}, 'Content/Python/BP_Tool.uasset': {} })
    project.write({ ...code, ...amongScripts, 'Content/notes.txt': 'hello' })
    const { problems, summary } = await project.push(target, options)
    expect(executablesOf(problems)).toEqual([
      expect.objectContaining({
        weight: 'left-out',
        files: expect.arrayContaining([...Object.keys(code), 'Content/Python/icon.png']),
        message: expect.stringMatching(/^6 files that programs run/),
      }),
    ])
    expect(summary).toMatchObject({ failed: 0, left_out: 'all' in options ? 6 : 7 })
    expect(await entriesOf(target)).toEqual(['BP_Tool', 'SM_Wall', 'icon', ...('all' in options ? ['notes'] : [])].toSorted())
    const again = await project.push(target, options)
    expect(executablesOf(again.problems)[0]?.files).toHaveLength(6)
  },
)

test('the words of ph push name them with what to do, and nothing else of them', async () => {
  const target = await library()
  const project = await makeProject({ 'Content/Town/SM_Wall.uasset': {} })
  project.write({ 'Content/Python/init_unreal.py': 'x', 'Content/Python/fast.pyd': 'y' })
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: project.state, NO_COLOR: '1' }
  const pushed = await ph('push Content --all', { env, cwd: project.root })
  expect([pushed.code, pushed.stderr]).toEqual([0, ''])
  expect(pushed.stdout).toMatch(/2 files that programs run: scripts, programs.*\n?.*fast\.pyd/)
  expect(pushed.stdout).not.toContain('--all')
  const looked = await ph('status', { env, cwd: project.root })
  expect(looked.stdout).toMatch(/Not for the library:\n {2}2 files that programs run/)
  expect(looked.stdout).toContain('Content/Python/init_unreal.py')
})

test('a model that is named takes no script along, whatever it calls it', async () => {
  const target = await library()
  const project = await makeProject()
  const gltf = {
    asset: { version: '2.0' },
    buffers: [
      { uri: 'evil.py', byteLength: 4 },
      { uri: 'model.bin', byteLength: 4 },
    ],
  }
  project.write({ 'Content/A/model.gltf': JSON.stringify(gltf), 'Content/A/evil.py': 'evil', 'Content/A/model.bin': 'buff' })
  const { items, problems } = await project.push(target, { paths: ['Content/A/model.gltf'] })
  expect(items.map(({ file, status }) => [file, status]).toSorted()).toEqual([
    ['Content/A/model.bin', 'new'],
    ['Content/A/model.gltf', 'new'],
  ])
  expect(executablesOf(problems)).toMatchObject([{ files: ['Content/A/evil.py'] }])
})

test('a folder of scripts alone is nothing to push', async () => {
  const project = await makeProject()
  project.write({ 'Content/Python/init_unreal.py': 'x' })
  await expect(project.push(await library(), { all: true })).rejects.toMatchObject({ code: 'NOTHING_TO_PUSH' })
})

test('a status names the same files and counts them as left out', async () => {
  const target = await library()
  const project = await makeProject({ 'Content/Town/SM_Wall.uasset': {} })
  project.write({ ...code, 'Content/Python/icon.png': picture, 'Source/Game.Build.cs': 'x', 'Tools/build.sh': 'x' })
  await project.push(target)
  const report = await statusOf(project, target)
  expect(executablesOf(report.problems)).toMatchObject([{ files: expect.arrayContaining(Object.keys(code)) }])
  expect(report.summary).toMatchObject({ current: 1, untracked: 0, left_out: 6, failed: 0 })
  const one = await statusOf(project, target, [join(project.root, 'Tools')])
  expect(executablesOf(one.problems)).toMatchObject([{ files: ['Tools/build.sh'] }])
})

test('a script that an earlier library took is left out all the same, and the push does not fail', async () => {
  const target = await library()
  const project = await makeProject({ 'Content/Town/SM_Wall.uasset': {} })
  const { held } = await heldBefore(server, callAs(target.url, target.key), {
    origin_path: '/Game/Python/init_unreal',
    source_ext: 'py',
  })
  project.write({ 'Content/Python/init_unreal.py': held.bytes })
  const { summary } = await project.push(target, { all: true })
  expect(summary).toMatchObject({ new: 1, dedup: 0, left_out: 1, failed: 0 })
})

test('outside of projects scripts are left out as well', async () => {
  const target = await library()
  const folder = temporaryFolder({ 'wood.png': picture, 'tool.sh': 'x', 'run.exe': 'MZ' })
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: temporaryFolder(), NO_COLOR: '1' }
  const { code: exit, json } = await ph('push . --yes --all --json', { env, cwd: folder })
  expect(exit).toBe(0)
  expect(executablesOf((json() as Json).problems)).toMatchObject([{ files: ['run.exe', 'tool.sh'] }])
  expect(await entriesOf(target)).toEqual(['wood'])
})

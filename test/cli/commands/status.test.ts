/** ph status, as a person and as a script run it, against a real library. */
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { StatusReport } from '../../../client/status/report.ts'
import { writePackage } from '../../../sample/package.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { phProcess } from '../../support/ph-process.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const server = await startTestServer()
let env: Record<string, string>
let reading: Record<string, string>

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  const state = { PH_STATE_DIR: temporaryFolder(), NO_COLOR: '1' }
  env = { ...signedIn(url, keys.olivia), ...state }
  reading = { ...signedIn(url, keys.miaReads), ...state }
})

const mesh = (name: string, payload = ''): Promise<Buffer> =>
  writePackage({ packageName: `/Game/Tavern/${name}`, assetClass: 'StaticMesh', payload: Buffer.from(payload) })
const project = async (): Promise<string> =>
  temporaryFolder({
    'Inn.uproject': '{"EngineAssociation": "5.3"}',
    'Content/Tavern/SM_Barrel.uasset': await mesh('SM_Barrel'),
    'Content/Tavern/SM_Stool.uasset': await mesh('SM_Stool'),
    'Content/Tavern/SM_Lamp.uasset': await mesh('SM_Lamp'),
  })
const inTavern = (folder: string, name: string): string => join(folder, 'Content/Tavern', `${name}.uasset`)
const status = (cwd: string, line = '', more: Setting = {}): Promise<Outcome> =>
  ph(`status ${line}`, { cwd, ...more, env: { ...reading, ...more.env } })
const push = (cwd: string, over: Record<string, string> = {}) =>
  ph('push Content --held attach', { cwd, env: { ...env, ...over } })

/** A pushed project in which each kind of difference is there once. */
async function divided(): Promise<string> {
  const [mine, theirs] = [await project(), await project()]
  await push(mine)
  writeFileSync(inTavern(theirs, 'SM_Stool'), await mesh('SM_Stool', 'theirs'))
  expect((await push(theirs, { PH_STATE_DIR: temporaryFolder() })).code).toBe(0)
  writeFileSync(inTavern(mine, 'SM_Barrel'), await mesh('SM_Barrel', 'mine'))
  writeFileSync(inTavern(mine, 'SM_Chair'), await mesh('SM_Chair'))
  rmSync(inTavern(mine, 'SM_Lamp'))
  return mine
}

test('a project that is as the library has it takes two lines', async () => {
  const folder = await project()
  await push(folder)
  const { code, stdout, stderr } = await status(folder)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('compared with http'), '  3 current'])
})

test('in a Content folder that is a link to another disk it is about the project around the link', async () => {
  const folder = await project()
  const disk = join(temporaryFolder(), 'Inn Content')
  renameSync(join(folder, 'Content'), disk)
  symlinkSync(disk, join(folder, 'Content'))
  await push(folder)
  const cwd = join(folder, 'Content/Tavern')
  const comparedFrom = async (PWD: string) => (await phProcess(['status'], { cwd, env: { ...reading, PWD } })).stdout
  expect(await comparedFrom(cwd)).toContain(`${basename(folder)} compared with`)
  // What the shell says is another folder by now.
  expect(await comparedFrom(folder)).toContain('Tavern compared with')
})

test('differences are grouped, each with its sign and what to do next, by paths from where one stands', async () => {
  const folder = await divided()
  const { code, stdout } = await status(join(folder, 'Content'))
  expect(code).toBe(0)
  expect(stdout).toMatch(/Modified here:\n {2}M Tavern\/SM_Barrel\.uasset\n\s+→ ph push Tavern\/SM_Barrel\.uasset/)
  expect(stdout).toMatch(/Outdated, newer in the library:\n {2}< Tavern\/SM_Stool\.uasset\n\s+→ ph pull \d+ --project Inn/)
  expect(stdout).toMatch(/Untracked, not in the library:\n {2}\? Tavern\/SM_Chair\.uasset/)
  expect(stdout).toMatch(/Missing here:\n {2}- Tavern\/SM_Lamp\.uasset\n\s+→ ph pull \d+ --project Inn/)
})

test('pull jobs that wait for the project show, with who sent them and what brings them', async () => {
  const folder = await project()
  await push(folder)
  const send = (name: string) => ph(`send ${name} --project Inn --create`, { env })
  await send('SM_Barrel')
  await ph('send SM_Stool --project inn --create', { env })
  const { stdout } = await status(join(folder, 'Content'))
  expect(stdout).toMatch(
    /3 current\n\n1 pull job waits for Inn:\n {2}job \d+ from olivia, just now: 1 entry, 1 file, \d+ B\n {4}→ ph pull --project Inn\n$/,
  )
  expect((await status(folder, '--json')).json()).toMatchObject({
    project: 'Inn',
    waiting: [{ target_project: 'Inn', status: 'queued', requested_by_name: 'olivia' }],
  })
  for (let at = 0; at < 6; at++) await send('SM_Lamp')
  expect((await status(folder)).stdout).toContain('  and 2 more (ph jobs list --project Inn --status queued)')
})

test('what is printed as the next step does what it says', async () => {
  const folder = await divided()
  const [, line = ''] = /→ ph (push \S+Barrel\S+)/.exec((await status(folder)).stdout) ?? []
  expect((await ph(line, { cwd: folder, env })).stdout).toMatch(/1 new version/)
  expect((await status(folder)).stdout).not.toContain('SM_Barrel')
})

test('of more files than a command line takes the command brings the first, and says that there are others', async () => {
  const folder = await project()
  const names = Array.from({ length: 53 }, (_, at) => `SM_Crate_${at}`)
  writeFiles(
    folder,
    Object.fromEntries(await Promise.all(names.map(async (name) => [`Content/Tavern/${name}.uasset`, await mesh(name)]))),
  )
  expect((await push(folder)).code).toBe(0)
  for (const name of names) rmSync(inTavern(folder, name))
  const first = (await status(folder)).stdout
  expect(first).not.toContain('<entries>')
  expect(first).toContain('Then `ph status` again names the other 3.')
  expect((await ph(advised(first)[0] ?? '', { cwd: folder, env })).stdout).toContain('50 added')
  const second = (await status(folder)).stdout
  expect((await ph(advised(second)[0] ?? '', { cwd: folder, env })).stdout).toContain('3 added')
  expect((await status(folder)).stdout).not.toContain('missing')
})

test('a file that was changed on both sides is named with the command that shows both versions', async () => {
  const folder = await divided()
  writeFileSync(inTavern(folder, 'SM_Stool'), await mesh('SM_Stool', 'mine'))
  const { stdout } = await status(folder)
  expect(stdout).toMatch(/! Content\/Tavern\/SM_Stool\.uasset\n/)
  const [, line = ''] = /`ph (diff [^`]+)`/.exec(stdout.replaceAll(/\s+/g, ' ')) ?? []
  expect((await ph(line, { cwd: folder, env })).stdout).toMatch(/v2[\s\S]*file/)
})

test('--exit-code tells a script whether anything differs; without it differences are no failure', async () => {
  const folder = await divided()
  expect((await status(folder)).code).toBe(0)
  expect((await status(folder, '--exit-code')).code).toBe(6)
  const clean = await project()
  await push(clean)
  expect((await status(clean, '--exit-code Content/Tavern/SM_Barrel.uasset')).code).toBe(0)
})

test('--json holds every file with its state and its versions, and the sums', async () => {
  const folder = await divided()
  const outcome = await status(folder, '--json')
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  const { root, files, summary } = outcome.json() as StatusReport
  expect(root).toBe(folder)
  expect(summary).toMatchObject({ current: 0, modified: 1, outdated: 1, untracked: 1, missing: 1, diverged: 0 })
  expect(files.map(({ file, state }) => `${state} ${file.split('/').at(-1)}`)).toEqual([
    'modified SM_Barrel.uasset',
    'untracked SM_Chair.uasset',
    'missing SM_Lamp.uasset',
    'outdated SM_Stool.uasset',
  ])
  expect(files[0]).toMatchObject({ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/), lineage_id: expect.any(String) })
})

test('--all names current files too', async () => {
  const folder = await project()
  await push(folder)
  expect((await status(folder, '--all')).stdout).toMatch(/Current:\n {2}= Content\/Tavern\/SM_Barrel\.uasset/)
})

test('an edit on both sides says that a push leaves it alone', async () => {
  const folder = await divided()
  writeFileSync(inTavern(folder, 'SM_Stool'), await mesh('SM_Stool', 'mine'))
  expect((await status(folder)).stdout).toMatch(/Diverged, modified here and outdated:\n {2}! Content\/Tavern\/SM_Stool\.uasset/)
})

test('a file that cannot be looked at is told, with exit code 6', async () => {
  const folder = await project()
  await push(folder)
  symlinkSync('nowhere', inTavern(folder, 'SM_Ghost'))
  const { code, stdout } = await status(folder)
  expect(code).toBe(6)
  expect(stdout).toMatch(/Could not be looked at:\n.*SM_Ghost/)
})

test('a path that is not there is wrong usage, and nobody signed in is told to', async () => {
  const folder = await project()
  expect((await status(folder, 'Nowhere')).code).toBe(2)
  expect((await ph('status', { cwd: folder, env: { PH_URL: server.url } })).code).toBe(4)
})

test('no line is wider than the terminal, except for paths', async () => {
  const folder = await divided()
  for (const columns of [50, 80]) {
    const { stdout } = await status(folder, '', { columns })
    for (const line of stdout.split('\n'))
      if (!/Content\/|http/.test(line)) expect(line.length, line).toBeLessThanOrEqual(columns)
  }
})

/** What `ph status` says brings the files of a group, as typed behind `ph `. */
const advised = (stdout: string): string[] =>
  [...stdout.replaceAll(/\n {4,}(?!→)/g, ' ').matchAll(/→ ph ((?:pull|download) [^\n]+)/g)].map(([, line = '']) => line.trim())
const elsewhere = () => ({ ...env, PH_STATE_DIR: temporaryFolder() })

test('of source files in a folder that is no project it never advises a pull, and the download that it advises brings them', async () => {
  const [mine, theirs] = [temporaryFolder(), temporaryFolder()]
  const first = { 'rocks/cliff.obj': 'v 0 0 0\n', 'rocks/small.obj': 'v 1 0 0\n' }
  for (const folder of [mine, theirs]) writeFiles(folder, first)
  expect((await ph('push . --yes', { cwd: mine, env })).code).toBe(0)
  const env2 = elsewhere()
  expect((await ph('push . --yes', { cwd: theirs, env: env2 })).code).toBe(0)
  writeFiles(theirs, { 'rocks/cliff.obj': 'v 0 0 1\n' })
  expect((await ph('push . --yes', { cwd: theirs, env: env2 })).stdout).toContain('1 new version')
  rmSync(join(mine, 'rocks/small.obj'))
  const { stdout } = await status(mine)
  expect(stdout).toMatch(/Outdated, newer in the library:\n {2}< rocks\/cliff\.obj/)
  expect(stdout).toMatch(/Missing here:\n {2}- rocks\/small\.obj/)
  const lines = advised(stdout)
  expect(lines).toEqual(lines.map(() => expect.stringMatching(/^download \d+ --with-deps --to <folder>$/)))
  const to = temporaryFolder()
  for (const line of lines) expect((await ph(line.replace('<folder>', to), { env: elsewhere() })).code).toBe(0)
  expect(readFileSync(join(to, 'rocks/cliff.obj'), 'utf8')).toBe('v 0 0 1\n')
  expect(readFileSync(join(to, 'rocks/small.obj'), 'utf8')).toBe('v 1 0 0\n')
})

test('in a project it advises a pull of what has a place under /Game or in a plugin that is there, and that pull brings it', async () => {
  const folder = await project()
  const hinge = 'Plugins/Tools/Content/SM_Hinge.uasset'
  writeFiles(folder, {
    'Plugins/Tools/Tools.uplugin': '{}',
    [hinge]: await writePackage({ packageName: '/Tools/SM_Hinge', assetClass: 'StaticMesh' }),
  })
  expect((await ph('push --yes', { cwd: folder, env })).code).toBe(0)
  for (const path of [hinge, 'Content/Tavern/SM_Lamp.uasset']) rmSync(join(folder, path))
  const { stdout } = await status(folder)
  expect(stdout).toContain('2 missing here')
  const lines = advised(stdout)
  expect(lines).toEqual([expect.stringMatching(/^pull \d+ \d+ --project Inn$/)])
  expect((await ph(lines[0] ?? '', { cwd: folder, env })).code).toBe(0)
  expect((await status(folder)).stdout).not.toContain('missing here')
})

test('of a file in Content whose prop has no place in the library it advises a download', async () => {
  // Before 5.1 a package does not say its own path, so in a folder without a project it has none.
  const old = { packageName: '/Game/Tavern/SM_Well', assetClass: 'StaticMesh', engine: '4.22.3' }
  const bare = temporaryFolder({ 'SM_Well.uasset': await writePackage(old) })
  const env2 = elsewhere()
  expect((await ph('push . --yes', { cwd: bare, env: env2 })).code).toBe(0)
  writeFileSync(join(bare, 'SM_Well.uasset'), await writePackage({ ...old, payload: Buffer.from('second') }))
  expect((await ph('push . --yes', { cwd: bare, env: env2 })).stdout).toContain('1 new version')
  const folder = await project()
  writeFileSync(inTavern(folder, 'SM_Well'), await writePackage(old))
  const { stdout } = await status(folder)
  expect(stdout).toMatch(/Outdated, newer in the library:\n {2}< Content\/Tavern\/SM_Well\.uasset/)
  expect(advised(stdout)).toEqual([expect.stringMatching(/^download \d+ --with-deps --to <folder>$/)])
  expect((await status(folder, '--json')).json()).toMatchObject({
    files: expect.arrayContaining([expect.objectContaining({ state: 'outdated', face_origin_path: null })]),
  })
})

test('of a file in Content that is missing here, and whose prop has no place in the library any more, it advises a download', async () => {
  const old = { packageName: '/Game/Tavern/SM_Well', assetClass: 'StaticMesh', engine: '4.22.3' }
  const [folder, bare] = [await project(), temporaryFolder({ 'SM_Well.uasset': await writePackage(old) })]
  writeFileSync(inTavern(folder, 'SM_Well'), await writePackage(old))
  expect((await push(folder)).code).toBe(0)
  const env2 = elsewhere()
  expect((await ph('push . --yes', { cwd: bare, env: env2 })).code).toBe(0)
  writeFileSync(join(bare, 'SM_Well.uasset'), await writePackage({ ...old, payload: Buffer.from('second') }))
  expect((await ph('push . --yes', { cwd: bare, env: env2 })).stdout).toContain('1 new version')
  rmSync(inTavern(folder, 'SM_Well'))
  const { stdout } = await status(folder)
  expect(stdout).toMatch(/Missing here:\n {2}- Content\/Tavern\/SM_Well\.uasset/)
  expect(advised(stdout)).toEqual([expect.stringMatching(/^download \d+ --with-deps --to <folder>$/)])
})

test('in a folder that is no project it advises a download also of what has a place under /Game', async () => {
  const [mine, theirs] = [temporaryFolder(), temporaryFolder()]
  for (const folder of [mine, theirs]) writeFileSync(join(folder, 'SM_Well.uasset'), await mesh('SM_Well'))
  expect((await ph('push . --yes', { cwd: mine, env })).code).toBe(0)
  const env2 = elsewhere()
  expect((await ph('push . --yes', { cwd: theirs, env: env2 })).code).toBe(0)
  writeFileSync(join(theirs, 'SM_Well.uasset'), await mesh('SM_Well', 'second'))
  expect((await ph('push . --yes', { cwd: theirs, env: env2 })).stdout).toContain('1 new version')
  expect(advised((await status(mine)).stdout)).toEqual([expect.stringMatching(/^download \d+ --with-deps --to <folder>$/)])
  expect((await status(mine, '--json')).json()).toMatchObject({
    files: [expect.objectContaining({ state: 'outdated', face_origin_path: '/Game/Tavern/SM_Well' })],
  })
})

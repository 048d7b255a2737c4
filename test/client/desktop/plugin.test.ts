/** The plugin for the Unreal editor in a project: put there, updated, left alone where people changed it; never half there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installPlugin, removePlugin } from '../../../client/desktop/plugin-install.ts'
import { broughtPlugin, filesIn, pluginPlace, pluginStanding, recordFile } from '../../../client/desktop/plugin-standing.ts'
import { root as repository } from '../../house/project.ts'
import { projectFolder } from '../../support/agent.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const now = new Date('2026-11-23T14:05:00Z')
const plain = { now, force: false }
const forced = { now, force: true }
const folderIn = (project: string): string => join(project, pluginPlace)
const textIn = (project: string, path: string): string => readFileSync(join(folderIn(project), path), 'utf8')
const code = 'Content/Python/prophouse/plugin.py'

/** The plugin as another ph brings it. */
function otherPlugin(version: number, name: string): string {
  const folder = join(temporaryFolder(), 'PropHouse')
  cpSync(broughtPlugin, folder, { recursive: true, filter: (path) => !path.endsWith('__pycache__') })
  const descriptor = join(folder, 'PropHouse.uplugin')
  const said = JSON.parse(readFileSync(descriptor, 'utf8'))
  writeFileSync(descriptor, JSON.stringify({ ...said, Version: version, VersionName: name }))
  writeFiles(folder, { [code]: `# ${name}\n`, [`Content/Python/prophouse/only_${version}.py`]: '' })
  return folder
}
const older = () => otherPlugin(0, '0.9')
const newer = () => otherPlugin(99, '9.9')

test('a project without it gets every file as this ph brings it; a second time nothing is done', async () => {
  const project = projectFolder('Tavern')
  expect(pluginStanding(project)).toMatchObject({ state: 'missing', version: null, available: '1.0' })
  expect(await installPlugin(project, plain)).toMatchObject({ isDone: true, copy: null })
  expect(filesIn(folderIn(project)).toSorted()).toEqual(filesIn(broughtPlugin).toSorted())
  for (const path of filesIn(broughtPlugin)) expect(textIn(project, path)).toBe(readFileSync(join(broughtPlugin, path), 'utf8'))
  expect(pluginStanding(project)).toMatchObject({ state: 'current', version: '1.0' })
  expect(await installPlugin(project, plain)).toMatchObject({ isDone: false })
  expect(readdirSync(join(project, 'Saved', 'PropHouse'))).toEqual([])
})

test('an older one is updated; what others put beside it stays, what it no longer has goes', async () => {
  const project = projectFolder('Tavern')
  await installPlugin(project, { ...plain, brought: older() })
  writeFiles(folderIn(project), { 'Content/Python/studio.py': 'ours', 'Content/Python/__pycache__/x.pyc': '' })
  expect(pluginStanding(project)).toMatchObject({ state: 'old', version: '0.9', changed: [] })
  expect(await installPlugin(project, plain)).toMatchObject({ isDone: true, copy: null, before: { version: '0.9' } })
  expect(textIn(project, 'Content/Python/studio.py')).toBe('ours')
  expect(filesIn(folderIn(project)).filter((path) => path.includes('only_0') || path.includes('.pyc'))).toEqual([])
  expect(pluginStanding(project)).toMatchObject({ state: 'current' })
})

test('line ends that version control changed are no change, and a file that is missing comes back', async () => {
  const project = projectFolder('Tavern')
  await installPlugin(project, { ...plain, brought: older() })
  for (const path of filesIn(folderIn(project)))
    writeFiles(folderIn(project), { [path]: textIn(project, path).replaceAll('\n', '\r\n') })
  expect(pluginStanding(project)).toMatchObject({ state: 'old', changed: [] })
  await installPlugin(project, plain)
  rmSync(join(folderIn(project), code))
  expect(pluginStanding(project)).toMatchObject({ state: 'old', changed: [] })
  await installPlugin(project, plain)
  expect(pluginStanding(project)).toMatchObject({ state: 'current' })
})

test('a file that someone changed is replaced with force only, and then a copy of it is kept', async () => {
  for (const brought of [older(), broughtPlugin]) {
    const project = projectFolder('Tavern')
    await installPlugin(project, { ...plain, brought })
    writeFiles(folderIn(project), { [code]: '# mine' })
    expect(pluginStanding(project)).toMatchObject({ state: 'changed', changed: [code] })
    await expect(installPlugin(project, plain)).rejects.toMatchObject({ code: 'PLUGIN_CHANGED', details: { changed: [code] } })
    expect(textIn(project, code)).toBe('# mine')
    const { copy } = await installPlugin(project, forced)
    expect(copy).toMatch(/^Saved\/PropHouse\/Backups\/2026-11-23 14\.05\.00 editor plugin \w{4}$/)
    expect(readFileSync(join(project, String(copy), code), 'utf8')).toBe('# mine')
    expect(pluginStanding(project)).toMatchObject({ state: 'current' })
  }
})

test('one that was copied by hand is known by its files; another one without a record counts as changed', async () => {
  const [same, other] = [projectFolder('Tavern'), projectFolder('Forge')]
  cpSync(broughtPlugin, folderIn(same), { recursive: true })
  expect(pluginStanding(same)).toMatchObject({ state: 'current' })
  cpSync(older(), folderIn(other), { recursive: true })
  expect(pluginStanding(other)).toMatchObject({ state: 'changed', version: '0.9' })
})

test('a newer one is not replaced by an older one, neither by its number nor where a later ph put it there', async () => {
  const [byNumber, byProgram] = [projectFolder('Tavern'), projectFolder('Forge')]
  await installPlugin(byNumber, { ...plain, brought: newer() })
  await installPlugin(byProgram, { ...plain, brought: otherPlugin(1, '1.0') })
  const record = join(folderIn(byProgram), recordFile)
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), ph: '99.0.0' }))
  for (const project of [byNumber, byProgram]) {
    expect(pluginStanding(project)).toMatchObject({ state: 'newer' })
    await expect(installPlugin(project, plain)).rejects.toMatchObject({ code: 'PLUGIN_NEWER' })
    expect(textIn(project, code)).toMatch(/^# /)
    expect(await installPlugin(project, forced)).toMatchObject({ isDone: true, copy: expect.stringContaining('Backups') })
  }
})

test('a link that someone made is left, and a record that names files elsewhere leads nowhere', async () => {
  const [linked, odd] = [projectFolder('Tavern'), projectFolder('Forge')]
  mkdirSync(join(linked, 'Plugins'))
  symlinkSync(older(), folderIn(linked))
  await expect(installPlugin(linked, forced)).rejects.toMatchObject({ code: 'PLUGIN_CHANGED' })
  writeFiles(folderIn(odd), {
    [recordFile]: JSON.stringify({ ph: '0.1.0', files: { '../../Forge.uproject': 'x', '/etc/hosts': 'x' } }),
  })
  expect(pluginStanding(odd)).toMatchObject({ state: 'missing', changed: [] })
})

test('taken away it is gone; what others changed or added is kept as a copy, and changed files stay without force', async () => {
  const project = projectFolder('Tavern')
  await installPlugin(project, plain)
  expect(removePlugin(project, plain)).toMatchObject({ isDone: true, copy: null })
  expect(existsSync(folderIn(project))).toBe(false)
  expect(removePlugin(project, plain)).toMatchObject({ isDone: false })
  await installPlugin(project, plain)
  writeFiles(folderIn(project), { 'Content/Python/studio.py': 'ours' })
  const { copy } = removePlugin(project, plain)
  expect(readFileSync(join(project, String(copy), 'Content/Python/studio.py'), 'utf8')).toBe('ours')
  await installPlugin(project, plain)
  writeFiles(folderIn(project), { [code]: '# mine' })
  expect(() => removePlugin(project, plain)).toThrow('Someone changed')
  expect(textIn(project, code)).toBe('# mine')
})

/** The plugin put into a project by a program of its own. */
const program = `
const { installPlugin } = await import(process.argv[1])
await installPlugin(process.argv[2], { force: true, now: new Date() })`
const script = join(repository, 'client/desktop/plugin-install.ts')
const lineOf = (project: string) => ['--input-type=module', '-e', program, script, project]

async function run(words: readonly string[], death?: object): Promise<{ ended: number | string; said: string }> {
  const [name = '', ...args] = words
  const env = { ...process.env, PH_TEST_DEATH: JSON.stringify(death ?? null) }
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const [code, signal] = await once(child, 'close')
  return { ended: signal ?? code, said }
}

const watched = ['--import', join(repository, 'test/support/client-death.ts')]

test('what someone saves at the very moment of the update stays, and is told of', async () => {
  const project = projectFolder('Tavern')
  await installPlugin(project, { ...plain, brought: older() })
  const saved = join(folderIn(project), code)
  const save = { kind: 'disk', how: 'save', step: 1, at: '^renameSync .*Plugins/PropHouse', saved }
  const { ended, said } = await run([process.execPath, ...watched, ...lineOf(project)], save)
  expect([ended, said]).toEqual([1, expect.stringContaining('at this moment')])
  expect(pluginStanding(project)).toMatchObject({ state: 'changed', changed: [code] })
})

test('killed at any step it is whole, as before or as after, or not there; what is left goes later, and no edit is lost', async () => {
  const before = older()
  const dying = (project: string, death?: object) => run([process.execPath, ...watched, ...lineOf(project)], death)
  const edited = async () => {
    const project = projectFolder('Tavern')
    await installPlugin(project, { ...plain, brought: before })
    writeFiles(folderIn(project), { [code]: '# mine' })
    return project
  }
  const whole = await dying(await edited())
  const [, steps = '0'] = /"disk":(\d+)/.exec(whole.said.replaceAll(' ', '')) ?? []
  expect([whole.ended, Number(steps) > 40]).toEqual([0, true])
  for (const step of Array.from({ length: Number(steps) }, (_, at) => at + 1).filter(
    (at) => at % 7 === 0 || at > Number(steps) - 12,
  )) {
    const project = await edited()
    expect((await dying(project, { kind: 'disk', step })).ended).toBe('SIGKILL')
    if (existsSync(folderIn(project))) {
      expect([pluginStanding(project, before).changed, pluginStanding(project).state]).toBeOneOf([
        [[code], 'changed'],
        [expect.anything(), 'current'],
      ])
    }
    expect(readdirSync(join(project, 'Plugins')).filter((name) => name !== 'PropHouse')).toEqual([])
    await installPlugin(project, { force: true, now: new Date(Date.now() + 2 * 3_600_000) })
    expect(pluginStanding(project)).toMatchObject({ state: 'current' })
    const own = join(project, 'Saved', 'PropHouse')
    expect(readdirSync(own)).toEqual(['Backups'])
    const [copy = ''] = readdirSync(join(own, 'Backups'))
    expect(readFileSync(join(own, 'Backups', copy, code), 'utf8')).toBe('# mine')
  }
}, 180_000)

test.runIf(process.platform === 'linux')('on a full disk nothing changes, and nothing is left behind', async () => {
  const project = projectFolder('Tavern')
  const disk = await mountSmallDisk(project, 1024 * 1024)
  const inside = disk.seen(project)
  writeFiles(inside, { 'Tavern.uproject': '{}' })
  await installPlugin(inside, { ...plain, brought: older() })
  disk.fill(32 * 1024)
  const { ended, said } = await run([...disk.within, process.execPath, ...lineOf(project)])
  expect([ended, said]).toEqual([1, expect.stringContaining('ENOSPC')])
  expect(pluginStanding(inside)).toMatchObject({ state: 'old', version: '0.9', changed: [] })
  expect(readdirSync(join(inside, 'Saved', 'PropHouse'))).toEqual([])
})

/** ph push, as a person and as a script run it, against a real library. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { PushReport } from '../../../client/push/report.ts'
import { writePackage } from '../../../sample/package.ts'
import type { PackageSpec } from '../../../sample/package-plan.ts'
import { type Caller, callAs } from '../../support/api.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
let env: Record<string, string>
let caller: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), NO_COLOR: '1' }
  caller = callAs(url, keys.olivia)
})

const mesh = (name: string, more: Partial<PackageSpec> = {}): Promise<Buffer> =>
  writePackage({ packageName: `/Game/Tavern/${name}`, assetClass: 'StaticMesh', ...more })

/** A project of a barrel that needs a material; gives its folder. */
async function project(): Promise<string> {
  const oak = await writePackage({ packageName: '/Game/Tavern/M_Oak', assetClass: 'Material' })
  return temporaryFolder({
    'Inn.uproject': '{"EngineAssociation": "5.3"}',
    'Content/Tavern/SM_Barrel.uasset': await mesh('SM_Barrel', { imports: ['/Game/Tavern/M_Oak'] }),
    'Content/Tavern/M_Oak.uasset': oak,
  })
}
const barrelIn = (folder: string): string => join(folder, 'Content/Tavern/SM_Barrel.uasset')

const push = (cwd: string, line: string, more: Setting = {}): Promise<Outcome> =>
  ph(`push ${line}`, { cwd, ...more, env: { ...env, ...more.env } })
const report = (outcome: Outcome): PushReport => outcome.json() as PushReport

/** A library that has the barrel, and a folder whose barrel has another identity and nothing that tells where it came from. */
async function withLostStamp(): Promise<string> {
  const folder = await project()
  expect((await push(folder, 'Content')).code).toBe(0)
  writeFileSync(barrelIn(folder), await mesh('SM_Barrel', { guid: 'F'.repeat(32), payload: Buffer.from('edited') }))
  env.PH_STATE_DIR = temporaryFolder()
  return folder
}

test('a folder goes into the library, and people are told what came of it', async () => {
  const { code, stdout, stderr } = await push(await project(), 'Content')
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toMatch(/Pushed to http/)
  expect(stdout).toMatch(/2 new/)
  expect(stdout).toContain('+ SM_Barrel  StaticMesh')
  const { entries } = (await caller.get('/entries')).body
  expect(entries.map(({ name }: { name: string }) => name)).toEqual(['M_Oak', 'SM_Barrel'])
})

test('a folder with a longer name than a pack or category may have is named once, with what became of it', async () => {
  const [pack, category] = ['P'.repeat(210), 'c'.repeat(130)]
  const files: Record<string, string | Buffer> = { 'Inn.uproject': '{"EngineAssociation": "5.3"}' }
  for (const name of ['SM_One', 'SM_Two'])
    files[`Content/${pack}/${category}/${name}.uasset`] = await mesh(name, { packageName: `/Game/${pack}/${category}/${name}` })
  const folder = temporaryFolder(files)
  const { code, stdout } = await push(folder, 'Content')
  expect(code).toBe(0)
  const words = stdout.replaceAll(/\s+/g, ' ')
  expect(words.split('its pack is named by the first 200').length).toBe(2)
  expect(words.split('its category is named by the first 120').length).toBe(2)
  expect(words).toContain('Give them shorter names in the editor')
  const { entries } = (await caller.get(`/entries?category=${'c'.repeat(120)}`)).body
  expect(entries).toHaveLength(2)
})

test('with --json the report is the one document on stdout, and stderr is empty', async () => {
  const outcome = await push(await project(), 'Content --json')
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(report(outcome).summary).toMatchObject({ new: 2, entries_created: 2, failed: 0 })
})

test('a second push has nothing to do and says so', async () => {
  const folder = await project()
  await push(folder, 'Content')
  const { code, stdout } = await push(folder, 'Content')
  expect(code).toBe(0)
  expect(stdout).toMatch(/2 there already/)
})

test('an edited file becomes a new version of its prop', async () => {
  const folder = await project()
  await push(folder, 'Content')
  writeFileSync(barrelIn(folder), await mesh('SM_Barrel', { payload: Buffer.from('edited') }))
  expect((await push(folder, 'Content')).stdout).toMatch(/1 new version/)
  expect((await ph('history SM_Barrel', { env })).stdout.trimEnd().split('\n')).toHaveLength(3)
})

test('a push that registers nothing new says that its note was not kept', async () => {
  const folder = await project()
  const first = await push(folder, 'Content --note legs')
  expect(first.stdout).not.toContain('note was not kept')
  const again = await push(folder, 'Content --note legs')
  expect(again.code).toBe(0)
  expect(again.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'The note was not kept: notes belong to new versions, and there is none.',
  )
  expect(report(await push(folder, 'Content --note legs --json')).note_dropped).toBe(true)
})

test('--dry-run changes nothing and says what would happen', async () => {
  const { code, stdout } = await push(await project(), 'Content --dry-run')
  expect(code).toBe(0)
  expect(stdout).toContain('nothing was changed')
  expect(stdout).toMatch(/2 new/)
  expect((await caller.get('/entries')).body.entries).toEqual([])
})

test('a file goes with what it needs; with --no-deps it goes alone', async () => {
  const folder = await project()
  const alone = await push(folder, 'Content/Tavern/SM_Barrel.uasset --no-deps --json')
  expect(report(alone).items.map(({ name }) => name)).toEqual(['SM_Barrel'])
  const whole = await push(folder, 'Content/Tavern/SM_Barrel.uasset --json', { env: { PH_STATE_DIR: temporaryFolder() } })
  expect(
    report(whole)
      .items.map(({ name, status }) => [name, status])
      .toSorted(),
  ).toEqual([
    ['M_Oak', 'new'],
    ['SM_Barrel', 'dedup'],
  ])
})

test('--pack and --variant-group file everything as they say', async () => {
  const folder = await project()
  await ph(['push', 'Content', '--pack', 'Inn props', '--variant-group', 'Barrels'], { cwd: folder, env })
  const { entries } = (await caller.get('/entries')).body
  for (const entry of entries) expect(entry).toMatchObject({ pack: { name: 'Inn props' }, variant_group: { label: 'Barrels' } })
})

test('a held file is listed with the exact flags that decide, with exit code 6', async () => {
  const folder = await withLostStamp()
  const { code, stdout } = await push(folder, 'Content')
  expect(code).toBe(6)
  expect(stdout).toContain('--attach Content/Tavern/SM_Barrel.uasset')
  expect(stdout).toContain('--new Content/Tavern/SM_Barrel.uasset')
})

test('the flags that are listed decide: --attach makes a version', async () => {
  const folder = await withLostStamp()
  const { code, stdout } = await push(folder, 'Content --attach Content/Tavern/SM_Barrel.uasset')
  expect(code).toBe(0)
  expect(stdout).toMatch(/1 new version/)
  expect((await caller.get('/entries?name=SM_Barrel')).body.entries).toHaveLength(1)
})

test('the flags that are listed decide: --new makes a prop, from whatever folder the path is typed', async () => {
  const folder = await withLostStamp()
  const outcome = await push(join(folder, 'Content'), '. --new Tavern/SM_Barrel.uasset')
  expect(outcome.code).toBe(0)
  expect((await caller.get('/entries?name=SM_Barrel')).body.entries).toHaveLength(2)
})

test('--held decides about all the others', async () => {
  const folder = await withLostStamp()
  expect((await push(folder, 'Content --held attach')).code).toBe(0)
  expect((await push(folder, 'Content --held perhaps')).code).toBe(2)
})

test('on a terminal someone is asked, is told what it looks like, and may answer by one letter', async () => {
  const folder = await withLostStamp()
  const { code, stdout, stderr } = await push(folder, 'Content', { columns: 80, typed: ['what?\n', 'v\n'] })
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('looks like a new version of SM_Barrel')
  expect(stderr.match(/\[v\]/g)).toHaveLength(2)
  expect(code).toBe(0)
  expect(stdout).toMatch(/1 new version/)
})

test('who skips the question, or ends the input, leaves the file held', async () => {
  const folder = await withLostStamp()
  expect((await push(folder, 'Content', { columns: 80, typed: ['s\n'] })).code).toBe(6)
  expect((await push(folder, 'Content', { columns: 80, typed: [] })).code).toBe(6)
})

test('what fails is named with the next step, and the others go', async () => {
  const folder = await project()
  writeFileSync(
    join(folder, 'Content/Tavern/SM_Lfs.uasset'),
    'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
  )
  const { code, stdout } = await push(folder, 'Content')
  expect(code).toBe(6)
  expect(stdout).toMatch(/2 new/)
  expect(stdout).toContain('Failed:')
  expect(stdout).toContain('Content/Tavern/SM_Lfs.uasset')
  expect(stdout).toContain('git lfs pull')
})

test('a stale file is outdated and does not sink the others', async () => {
  const [mine, theirs] = [await project(), await project()]
  await push(mine, 'Content')
  const PH_STATE_DIR = temporaryFolder()
  await push(theirs, 'Content', { env: { PH_STATE_DIR } })
  writeFileSync(barrelIn(theirs), await mesh('SM_Barrel', { payload: Buffer.from('theirs') }))
  await push(theirs, 'Content', { env: { PH_STATE_DIR } })
  writeFileSync(barrelIn(mine), await mesh('SM_Barrel', { payload: Buffer.from('mine') }))
  writeFileSync(join(mine, 'Content/Tavern/SM_Stool.uasset'), await mesh('SM_Stool'))
  const { code, stdout } = await push(mine, 'Content')
  expect(code).toBe(6)
  expect(stdout).toContain('Outdated:')
  expect(stdout).toContain('Content/Tavern/SM_Barrel.uasset')
  expect(stdout).toContain('+ SM_Stool')
})

test('where there is no prop, what is there is counted and the next step named', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.txt'), 'a')
  const one = await push(folder, '. --yes')
  expect(one.code).toBe(1)
  expect(one.stderr).toContain('(1 file of an unsupported type)')
  expect(one.stderr).toContain('--all')
  for (const name of ['b.md', 'c.md']) writeFileSync(join(folder, name), 'a')
  expect((await push(folder, '. --yes')).stderr).toContain('(3 files of unsupported types)')
  const { stdout } = await push(folder, '. --yes --all --verbose')
  expect(stdout).toContain('3 files have the same bytes: all are the prop a.')
  expect(stdout).toMatch(/a\.txt\n +b\.md\n +c\.md\n/)
})

test('a folder that is not there, and a read key, are told before anything is sent', async () => {
  const folder = await project()
  expect((await push(folder, 'Nowhere')).code).toBe(2)
  const { url, keys } = await server.addWorkspace()
  const refused = await push(folder, 'Content', { env: signedIn(url, keys.miaReads) })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/read/)
  rmSync(folder, { recursive: true })
})

test('the sums of a push come last, whatever there is to say before', async () => {
  const folder = temporaryFolder()
  for (let at = 0; at < 45; at++) writeFileSync(join(folder, `${at}.txt`), String(at))
  for (const more of ['--verbose', '']) {
    const { stdout } = await push(folder, `. --yes --all --dry-run ${more}`, { columns: 80 })
    expect(stdout).toMatch(/nothing\s+was\s+changed\.\n {2}45 new\n {2}\d+ B to send\n$/)
  }
})

test('notes and warnings are apart, at most ten lines each, and all of them are told with --verbose', async () => {
  const packages: Record<string, string | Buffer> = { 'Inn.uproject': '{}', 'Content/Rock.obj': 'mtllib Rock.mtl\nv 0 0 0\n' }
  packages['Content/Rock.mtl'] = 'newmtl Rock\n'
  for (let at = 0; at < 12; at++) {
    const bytes = await mesh(`SM_${at}x`, { packageName: `/Game/SM_${at}x`, imports: [`/Game/M_Gone_${at}x`] })
    packages[`Content/SM_${at}x.uasset`] = bytes
    packages[`Content/Rock_${at}x.obj`] = `v 0 0 ${at + 1}\n`
    packages[`Content/Stone_${at}x.obj`] = `v 0 0 ${at + 1}\n`
  }
  const folder = temporaryFolder(packages)
  const { stdout } = await push(folder, 'Content --dry-run', { columns: 80 })
  const section = (title: string) => stdout.split(`${title}:\n`)[1]?.split('\n\n')[0]?.split('\n') ?? []
  for (const [title, sign, rest] of [
    ['Notes', '·', /and \d+ more notes \(--verbose\)/],
    ['Warnings', '!', /^ {2}! 12 missing dependencies: .* and 9 more$/],
  ] as const) {
    const lines = section(title)
    expect(lines[0], title).toMatch(new RegExp(`^  ${sign} `))
    expect(lines.length, title).toBeLessThanOrEqual(10)
    expect(lines.join('\n').replaceAll(/\n {4}(?!→)/g, ' '), title).toMatch(new RegExp(rest, 'm'))
  }
  const whole = (await push(folder, 'Content --dry-run --verbose', { columns: 80 })).stdout
  for (let at = 0; at < 12; at++) expect(whole).toContain(`ph tag add "Stone_${at}x" Rock_${at}x --create`)
  expect(whole).toContain('Rock  goes along with a model')
  expect(whole).not.toMatch(/SourceCompanion|lin_/)
})

test('no line of a report is wider than the terminal, except for paths', async () => {
  const folder = await withLostStamp()
  for (const columns of [60, 80]) {
    const { stdout } = await push(folder, 'Content --dry-run', { columns, typed: ['s\n'] })
    for (const line of stdout.split('\n')) if (!line.includes('Content/')) expect(line.length, line).toBeLessThanOrEqual(columns)
  }
})

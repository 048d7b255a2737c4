/** Names with other letters: beyond ASCII, in other case, with accents composed or not, and names that Windows cannot have. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { callAs, type Json } from '../support/api.ts'
import { type Person, personAt } from '../support/person.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()

async function twoPeople() {
  const { url, keys } = await server.addWorkspace()
  return { olivia: personAt(url, keys.olivia), mia: personAt(url, keys.mia), api: callAs(url, keys.olivia) }
}

async function save({ root }: Person, packages: Record<string, Partial<PackageSpec>>): Promise<void> {
  for (const [path, spec] of Object.entries(packages))
    writeFiles(root, { [path]: await packageAt(path, { payload: Buffer.from(path), ...spec }) })
}

/** On one line, as wide as it may be. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')
const props = ({ root }: Person) => Object.keys(filesBelow(join(root, 'Content')))

/** A level that needs a chair whose name no `origin_path` can have, and a stool. */
async function innOfChairs() {
  const people = await twoPeople()
  await save(people.olivia, {
    'Content/Props/SM_Ok.uasset': {},
    'Content/Props/SM_椅子.uasset': { imports: ['/Game/Props/M_Bamboo'] },
    'Content/Props/M_Bamboo.uasset': {},
    'Content/Maps/L_Inn.umap': { imports: ['/Game/Props/SM_Ok', '/Game/Props/SM_椅子'] },
  })
  const pushed = await people.olivia.run('push')
  const { entries } = (await people.api.get(`/entries?name=${encodeURIComponent('SM_椅子')}`)).body
  return { ...people, pushed, chair: entries[0] as Json }
}

test('a push says that a name beyond ASCII is not pulled, and what is pulled without it', async () => {
  const { pushed, olivia } = await innOfChairs()
  expect([pushed.code, pushed.stderr]).toEqual([0, ''])
  expect(flat(pushed.stdout)).toContain('it is needed by Content/Maps/L_Inn.umap, which a pull brings without it')
  // Also when nothing is new.
  expect(flat((await olivia.run('push')).stdout)).toContain('it is needed by Content/Maps/L_Inn.umap')
})

test('a level comes without the file whose name no project can get from a pull; the file, the reason and what brings it are named', async () => {
  const { mia, olivia, chair } = await innOfChairs()
  const plan = await mia.run('pull L_Inn --plan')
  const { code, stdout, stderr } = await mia.run('pull L_Inn')
  expect([code, stderr]).toEqual([0, ''])
  for (const said of [plan.stdout, stdout].map(flat)) {
    expect(said).toContain('Left out: /Game/Props/SM_椅子 has other letters in its path than a-z, digits, _ and -')
    expect(said).not.toContain('plugin')
  }
  expect(props(mia)).toEqual(['Maps/L_Inn.umap', 'Props/M_Bamboo.uasset', 'Props/SM_Ok.uasset'])
  expect((await mia.run('show L_Inn --closure')).stdout).toContain('SM_椅子')

  // The command that was printed brings it into its place.
  const [, advised = ''] = /`ph (download [^`]+)`/.exec(flat(stdout)) ?? []
  expect(advised).toBe(`download ${chair.id} --to ${mia.root}`)
  expect((await mia.run(advised)).code).toBe(0)
  const there = 'Content/Props/SM_椅子.uasset'
  expect(readFileSync(join(mia.root, there))).toEqual(readFileSync(join(olivia.root, there)))
})

test('what cannot come is refused by its own name and reason when nothing else was ordered, and told apart when something was', async () => {
  const { mia, chair } = await innOfChairs()
  const alone = await mia.run(`pull ${chair.id}`)
  expect(alone.code).toBe(2)
  expect(flat(alone.stderr)).toContain('/Game/Props/SM_椅子 has other letters in its path than a-z, digits, _ and -')
  expect(alone.stderr).not.toContain('plugin')
  expect(existsSync(join(mia.root, 'Content'))).toBe(false)
  const both = await mia.run(`pull SM_Ok ${chair.id}`)
  expect([both.code, props(mia)]).toEqual([6, ['Props/M_Bamboo.uasset', 'Props/SM_Ok.uasset']])
  expect(flat(both.stdout)).toContain('/Game/Props/SM_椅子')
})

test('who takes a job that someone else ordered hears of what it comes without', async () => {
  const { olivia, mia } = await innOfChairs()
  expect(flat((await olivia.run('send L_Inn --project Inn --create')).stdout)).toContain('/Game/Props/SM_椅子')
  const plan = await mia.ok('pull --project Inn --plan')
  const report = await mia.ok('pull --project Inn')
  for (const { warnings } of [plan.plans[0], report.jobs[0]])
    expect(warnings).toMatchObject([{ type: 'misnamed', files: [{ name: '/Game/Props/SM_椅子', ordered: false }] }])
})

test('content of a plugin is refused in a project without the plugin, which is named', async () => {
  const { olivia, mia } = await twoPeople()
  await save(olivia, { 'Plugins/Tools/Content/SM_Hinge.uasset': {} })
  writeFiles(olivia.root, { 'Plugins/Tools/Tools.uplugin': '{}' })
  await olivia.ok('push')
  const { code, stdout } = await mia.run('pull SM_Hinge')
  expect(code).toBe(1)
  expect(flat(stdout)).toContain('/Tools/SM_Hinge.uasset needs the plugin Tools, which this project does not have')
})

test('props and Props are one folder: of a project, of packs and of categories', async () => {
  const { olivia, mia, api } = await twoPeople()
  await save(olivia, { 'Content/Props/Seats/SM_A.uasset': {} })
  await olivia.ok('push')
  await save(mia, { 'Content/props/seats/SM_Own.uasset': {} })
  const { code, stdout } = await mia.run('pull SM_A')
  expect([code, stdout]).toEqual([0, expect.stringContaining('Content/props/seats/SM_A.uasset')])
  expect(readdirSync(join(mia.root, 'Content'))).toEqual(['props'])
  await mia.ok('push')
  const { packs } = (await api.get('/packs')).body
  expect(packs.map(({ name }: Json) => name)).toEqual(['Props'])
  expect((await api.get('/categories/rollup')).body.categories).toMatchObject([{ category: 'Seats', count: 2 }])

  // By hand too, unless all that have the category get its new letters.
  expect((await api.post('/packs', { name: 'PROPS' })).body.error).toMatchObject({
    code: 'CONFLICT',
    details: { existing_id: packs[0].id },
  })
  const categoryOf = async (name: string) => (await api.get(`/entries?name=${name}`)).body.entries[0].category
  await olivia.ok('category set SEATS SM_A --yes')
  expect(await categoryOf('SM_A')).toBe('Seats')
  await olivia.ok('category set SEATS SM_A SM_Own --yes')
  expect([await categoryOf('SM_A'), await categoryOf('SM_Own')]).toEqual(['SEATS', 'SEATS'])
  expect((await api.patch(`/packs/${packs[0].id}`, { name: 'PROPS' })).body.name).toBe('PROPS')
})

test('folders of one push that differ in letters make one pack and one category, also one that is named for it', async () => {
  const { olivia, api } = await twoPeople()
  await save(olivia, { 'Content/Walls/Old/SM_A.uasset': {}, 'Content/Doors/SM_B.uasset': {} })
  writeFiles(olivia.root, { 'Content/walls/old/SM_C.uasset': await packageAt('Content/walls/old/SM_C.uasset', {}) })
  await olivia.ok('push')
  await save(olivia, { 'Content/Doors/SM_D.uasset': {} })
  await olivia.ok('push --pack DOORS')
  expect((await api.get('/packs')).body.packs.map(({ name }: Json) => name)).toEqual(['Doors', 'Walls'])
  expect((await api.get('/categories/rollup')).body.categories.map(({ category }: Json) => category)).toEqual(['Old', null])
})

test('names that Windows cannot have are named at push, come with the others where the system has them, and stay out of projects', async () => {
  const { olivia, mia } = await twoPeople()
  const names = ['CON.png', 'aux.png', 'col:on.png', 'what?.png', 'trail./a.png']
  const scans = temporaryFolder(Object.fromEntries([...names, 'good.png'].map((name) => [name, `bytes of ${name}`])))
  const pushed = await olivia.ok(`push ${scans} --all --yes`)
  const said = pushed.problems.filter(({ kind }: Json) => kind === 'name-not-on-windows')
  const files = said.flatMap((one: Json) => one.files)
  expect(files.toSorted()).toEqual(names.toSorted())
  expect(files).not.toContain('good.png')

  const ids = (await mia.run('search --ids')).stdout
  const away = temporaryFolder()
  const report = await mia.ok(`download - --to ${away}`, { stdin: ids })
  expect(filesBelow(away)).toEqual(filesBelow(scans))
  const [{ type, message, files: warned }] = report.warnings
  expect([type, warned.toSorted(), message]).toEqual([
    'not_on_windows',
    names.toSorted(),
    expect.stringContaining('Windows cannot have these names'),
  ])

  mkdirSync(join(mia.root, 'Content'))
  const into = await mia.run('download - --to Content/Scans', { stdin: ids })
  expect([into.code, props(mia)]).toEqual([6, ['Scans/good.png']])
  for (const name of names) expect(flat(into.stdout)).toContain(name)
})

test('a folder that is named like a device is left out of a pull, and what needs it comes', async () => {
  const { olivia, mia } = await twoPeople()
  await save(olivia, { 'Content/Aux/SM_Lamp.uasset': {}, 'Content/Maps/L_Inn.umap': { imports: ['/Game/Aux/SM_Lamp'] } })
  expect(flat((await olivia.run('push')).stdout)).toContain('the name of a device on Windows; it is needed by Content/Maps/L_Inn')
  const { code, stdout } = await mia.run('pull L_Inn')
  expect([code, props(mia)]).toEqual([6, ['Maps/L_Inn.umap']])
  expect(flat(stdout)).toContain('/Game/Aux/SM_Lamp.uasset would lie at Aux, which is the name of a device on Windows')
})

test('composed and decomposed accents are one name: of props, of packs, of the files that a model names, and on the disk', async () => {
  const { olivia, mia, api } = await twoPeople()
  const [composed, decomposed] = ['Stühle', 'Stühle'.normalize('NFD')]
  expect(composed).not.toBe(decomposed)
  const gltf = (uri: string) => JSON.stringify({ asset: { version: '2.0' }, images: [{ uri }] })
  // As macOS keeps names; the model was written on Windows.
  const scans = temporaryFolder({
    [`${decomposed}/${decomposed}.gltf`]: gltf(`${encodeURIComponent(composed)}.png`),
    [`${decomposed}/${decomposed}.png`]: 'wood',
  })
  const pushed = await olivia.ok(['push', scans, '--pack', decomposed, '--yes'].join(' '))
  expect(pushed.problems.map(({ kind }: Json) => kind)).not.toContain('missing-dependency')
  writeFiles(scans, { 'more.obj': 'v 0 0 0\n' })
  await olivia.ok(['push', scans, '--pack', composed, '--yes'].join(' '))
  expect((await api.get('/packs')).body.packs.map(({ name }: Json) => name)).toEqual([composed])
  for (const typed of [composed, decomposed]) {
    const { entries } = (await api.get(`/entries?name=${encodeURIComponent(typed)}`)).body
    expect(entries.map(({ name }: Json) => name)).toContain(composed)
    expect((await mia.ok(`show ${typed}.gltf`)).entry.name).toBe(composed)
  }
  // Into the folder that is there.
  const away = temporaryFolder({ [`${decomposed}/own.txt`]: '' })
  await mia.ok(`download ${composed}.gltf --with-deps --to ${away}`)
  expect(readdirSync(away)).toEqual([decomposed])
  expect(Object.keys(filesBelow(join(away, decomposed)))).toHaveLength(3)
})

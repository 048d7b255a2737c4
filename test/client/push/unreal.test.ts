/** What a push knows of Unreal: plugins, levels in parts, renames, names, copies, and files that are not what they seem. */
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Problem } from '../../../client/project/problem.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { callAs, type Json } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { attachAll, makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}
type Library = Awaited<ReturnType<typeof workspace>>

const entryNamed = async ({ api }: Library, name: string): Promise<Json> => {
  const { body } = await api.get(`/entries?name=${name}`)
  return (await api.get(`/entries/${body.entries[0]?.id}`)).body
}
const needsOf = async ({ api }: Library, name: string): Promise<string[]> => {
  const { body } = await api.get(`/entries?name=${name}`)
  const closure = await api.get(`/entries/${body.entries[0]?.id}/closure`)
  return closure.body.members.flatMap((one: Json) => (one.edge === 'root' ? [] : `${one.edge} ${one.asset_name}`)).sort()
}
const pluginsOf = async (library: Library, name: string): Promise<string[]> => (await entryNamed(library, name)).face.plugins
const named = ({ problems }: PushReport, kind: Problem['kind']) =>
  problems.filter((one) => one.kind === kind).flatMap(({ files }) => files)
const itemOf = (report: PushReport, file: string) =>
  report.items.find((item) => item.file === file) ?? expect.fail(`${file} was not sent`)

test('content of a plugin has no place under /Game; what refers to it from there says so and needs it', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/BP_Door.uasset': { imports: ['/Tools/SM_Hinge', '/Game/M_Wood', '/Engine/BasicShapes/Cube'] },
    'Content/M_Wood.uasset': {},
    'Plugins/Tools/Content/SM_Hinge.uasset': { imports: ['/Tools/M_Iron', '/Game/M_Wood'] },
    'Plugins/Tools/Content/M_Iron.uasset': {},
  })
  project.write({ 'Plugins/Tools/Tools.uplugin': '{}' })
  const report = await project.push(library, { paths: ['.'] })
  expect(report.summary).toMatchObject({ new: 4, failed: 0 })
  const [door, hinge] = [await entryNamed(library, 'BP_Door'), await entryNamed(library, 'SM_Hinge')]
  expect([door.origin_path, door.metadata_doc]).toEqual([
    '/Game/BP_Door',
    { v: 1, ext: { unreal: { plugin_references: ['/Tools/SM_Hinge'] } } },
  ])
  expect([hinge.origin_path, hinge.metadata_doc]).toEqual([null, { v: 1, ext: { unreal: { package_name: '/Tools/SM_Hinge' } } }])
  expect(await needsOf(library, 'BP_Door')).toEqual(['hard M_Iron', 'hard M_Wood', 'hard SM_Hinge'])
  expect(await needsOf(library, 'SM_Hinge')).toEqual(['hard M_Iron', 'hard M_Wood'])
  expect(named(report, 'plugin-reference')).toEqual(['Content/BP_Door.uasset'])
})

test('what a plugin lacks of its own is missing, and what it takes from other plugins is noted', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Plugins/Tools/Content/SM_Hinge.uasset': { imports: ['/Tools/M_Gone', '/Water/M_Sea'] },
  })
  project.write({ 'Plugins/Tools/Tools.uplugin': '{}' })
  const { problems } = await project.push(library, { paths: ['.'] })
  const saidAs = (kind: string) => problems.filter((one) => one.kind === kind).map(({ message }) => message)
  expect(saidAs('missing-dependency')).toEqual(['Missing dependency: /Tools/M_Gone is not on this disk.'])
  expect(saidAs('plugin-reference')).toEqual(['Content of the plugin Water is referenced; it is noted with the version.'])
})

test('the actors of a level are its soft needs and no entries, and a changed actor is told to its level', async () => {
  const library = await workspace()
  const actor = (hash: string) => `Content/__ExternalActors__/Maps/L_Town/0/1A/${hash}.uasset`
  const project = await makeProject({
    'Content/Maps/L_Town.umap': {},
    [actor('AAAA')]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Town', '/Game/SM_Crate'] },
    [actor('BBBB')]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Town'] },
    'Content/SM_Crate.uasset': {},
  })
  expect((await project.push(library)).summary).toMatchObject({ new: 4, entries_created: 2 })
  expect(await needsOf(library, 'L_Town')).toEqual(['hard SM_Crate', 'soft AAAA', 'soft BBBB'])
  const { body } = await library.api.get('/packs')
  expect(body.packs.map((pack: Json) => pack.name).sort()).toEqual(['Maps', 'Unsorted'])

  await project.save({ [actor('BBBB')]: { assetClass: 'StaticMeshActor', payload: Buffer.from('moved') } })
  const second = await project.push(library)
  expect(second.items.map(({ file, status }) => [file, status])).toEqual([
    ['Content/Maps/L_Town.umap', 'dedup'],
    [actor('BBBB'), 'new'],
  ])
  const closure = await library.api.get(`/entries/${(await entryNamed(library, 'L_Town')).id}/closure`)
  expect(closure.body.members.map((one: Json) => one.object_id)).toContain(itemOf(second, actor('BBBB')).object_id)
})

const moved = (from: string, to: string, guid?: string) => ({
  [`Content/${from}.uasset`]: { assetClass: 'ObjectRedirector', imports: [`/Game/${to}`], ...(guid ? { guid } : {}) },
})

test('a package moved in the editor continues the lineage of its old place, which the redirector there stands for', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/Old/SM_Chair.uasset': { guid: 'A'.repeat(32) }, 'Content/BP_Room.uasset': {} })
  const first = await project.push(library)
  await project.save({
    ...moved('Old/SM_Chair', 'New/SM_Chair', 'A'.repeat(32)),
    'Content/New/SM_Chair.uasset': { guid: 'B'.repeat(32) },
    'Content/BP_Room.uasset': { imports: ['/Game/Old/SM_Chair'] },
  })
  const second = await project.push(library)
  expect(itemOf(second, 'Content/New/SM_Chair.uasset')).toMatchObject({
    status: 'new',
    lineage_id: itemOf(first, 'Content/Old/SM_Chair.uasset').lineage_id,
    parent_object_id: itemOf(first, 'Content/Old/SM_Chair.uasset').object_id,
    entry_created: false,
  })
  const signpost = itemOf(second, 'Content/Old/SM_Chair.uasset')
  expect(signpost).toMatchObject({ status: 'new', entry_id: null })
  expect(named(second, 'redirector')).toEqual([])
  expect(named(second, 'reference-through-redirector')).toEqual(['Content/BP_Room.uasset'])
  const room = await library.api.get(`/entries/${(await entryNamed(library, 'BP_Room')).id}/closure`)
  expect(room.body.members.map(({ asset_class, origin_path }: Json) => [asset_class, origin_path]).sort()).toEqual([
    ['Blueprint', '/Game/BP_Room'],
    ['ObjectRedirector', '/Game/Old/SM_Chair'],
    ['StaticMesh', '/Game/New/SM_Chair'],
  ])
  expect((await entryNamed(library, 'SM_Chair')).origin_path).toBe('/Game/New/SM_Chair')
})

test('a machine that never saw the old place asks the library about the identity that the redirector kept', async () => {
  const library = await workspace()
  const before = await makeProject({ 'Content/SM_Chair.uasset': { guid: 'A'.repeat(32) } })
  const first = await before.push(library)
  const after = await makeProject({
    ...moved('SM_Chair', 'Halfway/SM_Chair', 'A'.repeat(32)),
    ...moved('Halfway/SM_Chair', 'Home/SM_Chair', 'C'.repeat(32)),
    'Content/Home/SM_Chair.uasset': { guid: 'B'.repeat(32) },
  })
  const lineage = first.items[0]?.lineage_id
  expect((await after.push(library)).items).toMatchObject([{ status: 'held', candidate_lineage_id: lineage }])
  const second = await after.push(library, { held: attachAll })
  expect(second.items).toMatchObject([{ status: 'new', lineage_id: lineage, entry_created: false }])
  const again = await (
    await makeProject({ 'Content/Home/SM_Chair.uasset': { guid: 'B'.repeat(32), payload: Buffer.from('x') } })
  ).push(library, { held: attachAll })
  expect(again.items).toMatchObject([{ status: 'new', lineage_id: first.items[0]?.lineage_id }])
})

test('a moved package that has a history of its own keeps it', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_Old.uasset': {}, 'Content/SM_New.uasset': {} })
  const first = await project.push(library)
  await project.save({ ...moved('SM_Old', 'SM_New'), 'Content/SM_New.uasset': { payload: Buffer.from('edited') } })
  const second = await project.push(library)
  expect(itemOf(second, 'Content/SM_New.uasset').lineage_id).toBe(itemOf(first, 'Content/SM_New.uasset').lineage_id)
})

test('what is no uncooked package is named and left out; the others go, and the failure is remembered', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { imports: ['/Game/SM_Pointer'] } })
  project.write({
    'Content/SM_A.uexp': 'x',
    'Content/SM_A.ubulk': 'x',
    'Content/SM_Pointer.uasset': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
    'Content/SM_Text.uasset': 'no package',
    'Content/notes.docx': 'x',
  })
  for (const report of [await project.push(library), await project.push(library)]) {
    expect(named(report, 'sidecar').sort()).toEqual(['Content/SM_A.ubulk', 'Content/SM_A.uexp'])
    expect(named(report, 'git-lfs-pointer')).toEqual(['Content/SM_Pointer.uasset'])
    expect(report.problems.find(({ kind }) => kind === 'git-lfs-pointer')?.next).toContain('git lfs pull')
    expect(named(report, 'not-a-package')).toEqual(['Content/SM_Text.uasset'])
    expect(named(report, 'unknown-kind')).toEqual(['Content/notes.docx'])
    expect(named(report, 'dependency-not-pushed')).toEqual(['Content/SM_A.uasset'])
    expect(report.summary).toMatchObject({ failed: 2, left_out: 3 })
  }
  expect((await project.push(library, { all: true })).items).toMatchObject([{ file: 'Content/notes.docx', status: 'new' }])
})

test('names that the library does not take are pushed without their place, and the rename is said', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/Fässer/SM_Faß 2.uasset': { packageName: '/Game/Fässer/SM_Faß 2' } })
  const report = await project.push(library)
  expect(report.items).toMatchObject([{ status: 'new', origin_path: null, name: 'SM_Faß 2' }])
  expect(report.problems.find(({ kind }) => kind === 'name-not-allowed')?.message).toContain('/Game/Fasser/SM_Fa_2')
  expect((await entryNamed(library, encodeURIComponent('SM_Faß 2'))).metadata_doc.ext.unreal).toEqual({
    package_name: '/Game/Fässer/SM_Faß 2',
  })
})

test('a header that contradicts its folder is sent as the header says, and references find it at both names', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/Props/SM_A.uasset': {},
    'Content/BP_User.uasset': { imports: ['/Game/Moved/SM_A'] },
  })
  project.write({ 'Content/Moved/.keep': '' })
  renameSync(join(project.root, 'Content/Props/SM_A.uasset'), join(project.root, 'Content/Moved/SM_A.uasset'))
  const report = await project.push(library)
  expect(itemOf(report, 'Content/Moved/SM_A.uasset').origin_path).toBe('/Game/Props/SM_A')
  expect(named(report, 'name-contradicts-folder')).toEqual(['Content/Moved/SM_A.uasset'])
  expect(await needsOf(library, 'BP_User')).toEqual(['hard SM_A'])
})

test('before 5.1 the folder names a package, and a bare Content folder only when the package does not know better', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/SM_Plain.uasset': { engine: '4.27.2' },
    'Content/SM_OfPlugin.uasset': { engine: '4.27.2', packageName: '/Tools/SM_OfPlugin' },
  })
  project.remove('Project.uproject')
  const report = await project.push(library)
  expect(report.items.map(({ name, origin_path }) => [name, origin_path]).sort()).toEqual([
    ['SM_OfPlugin', null],
    ['SM_Plain', '/Game/SM_Plain'],
  ])
})

test('files with the same bytes go once, under the name of the one that lies where its header says', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/Z/SM_A.uasset': {} })
  project.write({ 'Content/A/SM_Copy.uasset': readFileSync(join(project.root, 'Content/Z/SM_A.uasset')) })
  const report = await project.push(library)
  expect(report.items).toMatchObject([
    { file: 'Content/Z/SM_A.uasset', copies: ['Content/A/SM_Copy.uasset'], origin_path: '/Game/Z/SM_A' },
  ])
  expect(report.problems.find(({ kind }) => kind === 'same-bytes')).toMatchObject({
    files: ['Content/Z/SM_A.uasset', 'Content/A/SM_Copy.uasset'],
    message: 'Content/A/SM_Copy.uasset has the same bytes as Content/Z/SM_A.uasset: both are the prop SM_A.',
  })
  expect(report.summary).toMatchObject({ new: 1, dedup: 1 })
})

test('of two files that claim one path the one that lies there has it, and the other is a prop without a place', async () => {
  const library = await workspace()
  const copy = { packageName: '/Game/SM_A', payload: Buffer.from('other') }
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/Copy/SM_A.uasset': copy })
  const first = await project.push(library)
  expect(itemOf(first, 'Content/SM_A.uasset')).toMatchObject({ status: 'new', origin_path: '/Game/SM_A' })
  expect(itemOf(first, 'Content/Copy/SM_A.uasset')).toMatchObject({ status: 'new', origin_path: null, entry_created: true })
  expect(named(first, 'path-claimed-twice')).toEqual(['Content/Copy/SM_A.uasset'])
  await project.save({ 'Content/Copy/SM_A.uasset': { ...copy, payload: Buffer.from('edited') } })
  expect((await project.push(library)).items).toMatchObject([
    { file: 'Content/Copy/SM_A.uasset', status: 'new', lineage_id: itemOf(first, 'Content/Copy/SM_A.uasset').lineage_id },
  ])
})

test('a package of a source build takes the version of its project, and none where that is a source build too', async () => {
  const library = await workspace()
  const built = { 'Content/SM_A.uasset': { sourceBuild: true } }
  await (await makeProject(built, { EngineAssociation: '5.4' })).push(library)
  expect((await entryNamed(library, 'SM_A')).engine_version).toBe('5.4.0')
  const other = await workspace()
  await (await makeProject(built, { EngineAssociation: '{D56DD964-4EA2-39F1-0DE2-46B41702BAA2}' })).push(other)
  expect((await entryNamed(other, 'SM_A')).engine_version).toBeNull()
})

test('a model takes along the files that it names, and a buffer that nobody names stays', async () => {
  const library = await workspace()
  const project = await makeProject()
  const gltf = { asset: { version: '2.0' }, buffers: [{ uri: 'data/Crate%201.bin', byteLength: 4 }] }
  project.write({
    'Content/Crate.gltf': JSON.stringify(gltf),
    'Content/data/Crate 1.bin': 'abcd',
    'Content/data/Lost.bin': 'efgh',
  })
  const report = await project.push(library)
  expect(report.summary).toMatchObject({ new: 2, entries_created: 1 })
  expect(named(report, 'unused-companion')).toEqual(['Content/data/Lost.bin'])
  expect(await needsOf(library, 'Crate')).toHaveLength(1)
})

test('a model that is named alone takes along its material library, and the textures that the library names', async () => {
  const library = await workspace()
  const project = await makeProject()
  project.write({
    'Content/Crate.obj': 'mtllib Crate.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n',
    'Content/Crate.mtl': 'newmtl Oak\nmap_Kd maps\\oak.png\n',
    'Content/maps/oak.png': 'a picture',
    'Content/Other.mtl': 'newmtl Ash\n',
  })
  const report = await project.push(library, { paths: ['Content/Crate.obj'] })
  expect(report.summary).toMatchObject({ new: 3 })
  expect(await needsOf(library, 'Crate')).toHaveLength(2)
  expect(await entryNamed(library, 'Crate')).toMatchObject({ metadata: { tri_count: 1, vert_count: 3 } })
})

test('needs that are nowhere are named and do not keep a prop back', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { imports: ['/Game/M_Gone'], softReferences: ['/Game/L_Gone'] } })
  const report = await project.push(library)
  expect(report.summary).toMatchObject({ new: 1, failed: 0 })
  expect(report.problems.map(({ kind, message }) => [kind, message])).toEqual([
    ['missing-dependency', 'Missing dependency: /Game/M_Gone is neither on this disk nor in the library.'],
    ['missing-soft-reference', 'Missing soft reference: /Game/L_Gone is neither on this disk nor in the library.'],
  ])
  await project.save({ 'Content/M_Gone.uasset': {}, 'Content/L_Gone.umap': {} })
  expect((await project.push(library)).items.map(({ name, status }) => [name, status]).sort()).toEqual([
    ['L_Gone', 'new'],
    ['M_Gone', 'new'],
    ['SM_A', 'dedup'],
  ])
  expect(await needsOf(library, 'SM_A')).toEqual(['hard M_Gone', 'soft L_Gone'])
})

test('plugins whose classes a package uses are noted with its version: by their own modules, or by the name of one that the project enables', async () => {
  const library = await workspace()
  const imports = ['KawaiiPhysicsEd', 'WaterRuntime', 'CesiumRuntime', 'Engine', 'Off'].map((module) => `/Script/${module}`)
  const enabled = [{ Name: 'KawaiiPhysics', Enabled: true }, { Name: 'Water' }, { Name: 'Off', Enabled: false }]
  const project = await makeProject(
    {
      'Content/BP_Skirt.uasset': { imports },
      'Plugins/CesiumForUnreal/Content/BP_Globe.uasset': { imports },
      'Content/SM_Plain.uasset': { imports: ['/Script/Engine'] },
    },
    { EngineAssociation: '5.3', Plugins: enabled },
  )
  project.write({ 'Plugins/CesiumForUnreal/CesiumForUnreal.uplugin': JSON.stringify({ Modules: [{ Name: 'CesiumRuntime' }] }) })
  const report = await project.push(library, { paths: ['.'] })
  const notes = report.problems.filter(({ kind }) => kind === 'plugin-reference').map(({ message }) => message)
  expect(notes.sort()).toEqual(
    ['CesiumForUnreal', 'KawaiiPhysics', 'Water'].map(
      (name) => `Classes of the plugin ${name} are used; it is noted with the version.`,
    ),
  )
  expect(await pluginsOf(library, 'BP_Skirt')).toEqual(['CesiumForUnreal', 'KawaiiPhysics', 'Water'])
  expect(await pluginsOf(library, 'BP_Globe')).toEqual(['KawaiiPhysics', 'Water'])
  expect(await pluginsOf(library, 'SM_Plain')).toEqual([])
})

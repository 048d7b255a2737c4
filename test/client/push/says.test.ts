/** What a push says of new versions besides their bytes: note, project, source path, missing dependencies, plugins (contract-gaps 9). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingDependencies } from '../../../client/entries/missing-dependencies.ts'
import { originName } from '../../../client/push/origin.ts'
import { callAs, type Json } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}
type Library = Awaited<ReturnType<typeof workspace>>

const faceOf = async ({ api }: Library, name: string): Promise<Json> => {
  const { body } = await api.get(`/entries?name=${name}`)
  return (await api.get(`/entries/${body.entries[0]?.id}`)).body.face
}

test('new versions keep the note of their push and the project; versions that were there keep theirs', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_Old.uasset': {} })
  await project.push(library, { note: 'First' })
  await project.save({ 'Content/SM_New.uasset': {} })
  await project.push(library, { note: 'Second' })
  expect(await faceOf(library, 'SM_Old')).toMatchObject({ version: 1, push_note: 'First', pushed_from: 'Project' })
  expect(await faceOf(library, 'SM_New')).toMatchObject({ version: 1, push_note: 'Second', pushed_from: 'Project' })
  await project.save({ 'Content/SM_Old.uasset': { payload: Buffer.from('edited') } })
  await project.push(library)
  expect(await faceOf(library, 'SM_Old')).toMatchObject({ version: 2, push_note: null })
})

test('the source path is relative to the folder that was pushed, or that holds the file that was; what went along from elsewhere has none', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/Props/Old/SM_Deep.uasset': {},
    'Content/Props/SM_One.uasset': { imports: ['/Game/Materials/M_Far', '/Game/Props/Old/SM_Deep'] },
    'Content/Materials/M_Far.uasset': {},
    'Content/Sets/SM_Set.uasset': {},
  })
  await project.push(library, { paths: ['Content/Props/SM_One.uasset'] })
  await project.push(library, { paths: ['Content/Sets', 'Content'], dryRun: true })
  expect((await faceOf(library, 'SM_One')).source_path).toBe('SM_One.uasset')
  expect((await faceOf(library, 'SM_Deep')).source_path).toBe('Old/SM_Deep.uasset')
  expect((await faceOf(library, 'M_Far')).source_path).toBe(null)
  await project.push(library, { paths: ['.'] })
  expect((await faceOf(library, 'SM_Set')).source_path).toBe('Content/Sets/SM_Set.uasset')
})

test('packages that are referred to, and neither in this push nor in the library, are named until they are pushed', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/Props/SM_Barrel.uasset': {
      imports: ['/Game/Materials/M_Oak', '/Game/Gone/T_Lost', '/Engine/BasicShapes/Cube'],
      softReferences: ['/Game/Gone/S_Creak'],
    },
    'Content/Materials/M_Oak.uasset': {},
  })
  await project.push(library, { paths: ['Content/Props'] })
  expect((await faceOf(library, 'SM_Barrel')).missing_dependencies).toEqual([
    '/Game/Gone/S_Creak',
    '/Game/Gone/T_Lost',
    '/Game/Materials/M_Oak',
  ])
  await project.push(library)
  expect((await faceOf(library, 'SM_Barrel')).missing_dependencies).toEqual(['/Game/Gone/S_Creak', '/Game/Gone/T_Lost'])
})

test('plugins are named whose content is referred to and not in the library', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/BP_Door.uasset': { imports: ['/Tools/SM_Hinge', '/Water/M_Sea', '/water/M_Foam'] },
    'Plugins/Tools/Content/SM_Hinge.uasset': {},
  })
  project.write({ 'Plugins/Tools/Tools.uplugin': '{}' })
  await project.push(library, { paths: ['.'] })
  expect(await faceOf(library, 'BP_Door')).toMatchObject({ missing_dependencies: [], plugins: ['Water'] })
})

test('a project is called as its descriptor, a plugin that stands alone as its folder; other folders have no name', () => {
  const folder = temporaryFolder()
  writeFiles(folder, { 'a/Tavern.uproject': '{}', 'a/Other.uplugin': '{}', 'Magic/spells.uplugin': '{}', 'scans/rock.obj': '' })
  expect(['a', 'Magic', 'scans'].map((name) => originName(join(folder, name)))).toEqual(['Tavern', 'Magic', undefined])
})

test('what versions lack is named once, with all that refer to it', () => {
  const [oak, door, wall] = [
    { name: 'oak', missing_dependencies: ['/Game/B', '/Game/A'], plugins: ['Water'] },
    { name: 'door', missing_dependencies: ['/game/a'], plugins: [] },
    { name: 'wall', plugins: [] },
  ]
  expect(missingDependencies([oak, door, wall])).toEqual({
    packages: [
      { name: '/Game/A', by: [oak, door] },
      { name: '/Game/B', by: [oak] },
    ],
    plugins: [{ name: 'Water', by: [oak] }],
  })
})

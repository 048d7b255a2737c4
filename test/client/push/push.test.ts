/** Pushing a project: what stands in the library afterwards, and what a second push does. */
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { callAs } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}

test('a project stands in the library with its classes, versions and needs', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/Tavern/Props/SM_Barrel.uasset': { imports: ['/Game/Tavern/Materials/M_Wood'], tags: { Triangles: '96' } },
    'Content/Tavern/Materials/M_Wood.uasset': { imports: ['/Game/Tavern/Textures/T_Wood'] },
    'Content/Tavern/Textures/T_Wood.uasset': {},
  })
  const report = await project.push(library)
  expect(report.summary).toMatchObject({ new: 3, dedup: 0, failed: 0, entries_created: 3 })
  const { body } = await library.api.get('/entries?limit=10')
  expect(body.entries).toMatchObject([
    { name: 'M_Wood', entry_type: 'material', asset_class: 'Material', category: 'Materials', pack: { name: 'Tavern' } },
    { name: 'SM_Barrel', entry_type: 'mesh', engine_version: '5.3.2', metadata: { tri_count: 96 } },
    { name: 'T_Wood', entry_type: 'texture', origin_path: '/Game/Tavern/Textures/T_Wood' },
  ])
  const barrel = body.entries[1].id
  const closure = await library.api.get(`/entries/${barrel}/closure`)
  expect(closure.body.members.map((member: { asset_name: string; edge: string }) => [member.asset_name, member.edge])).toEqual([
    ['SM_Barrel', 'root'],
    ['M_Wood', 'hard'],
    ['T_Wood', 'hard'],
  ])
})

test('when nothing changed, nothing is read and nothing is sent', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  await project.push(library)
  await project.settle()
  await project.push(library)
  const events: string[] = []
  const report = await project.push(library, { tell: ({ kind }) => events.push(kind) })
  expect(report).toMatchObject({ unchanged: 2, items: [], summary: { new: 0, dedup: 2 }, bytes: { read: 0, uploaded: 0 } })
  expect(events).toEqual(['phase', 'found'])
})

test('an edited file becomes a new version of its prop, also when it has no identity that lasts', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { guid: null, engine: '4.27.2' } })
  const first = await project.push(library)
  await project.save({ 'Content/SM_A.uasset': { guid: null, engine: '4.27.2', payload: randomBytes(100) } })
  const second = await project.push(library)
  expect(second.items).toMatchObject([{ status: 'new', lineage_id: first.items[0]?.lineage_id, entry_created: false }])
  expect(second.items[0]?.parent_object_id).toBe(first.items[0]?.object_id)
})

test('a whole disk and a home folder are refused before anything is looked at, a project in a home folder is not', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/Props/SM_Chair.uasset': {} })
  await expect(project.push(library, { paths: ['../../../../../..'] })).rejects.toMatchObject({ code: 'TOO_MUCH' })
  vi.stubEnv('HOME', dirname(project.root))
  await expect(project.push(library, { paths: ['..'] })).rejects.toMatchObject({ code: 'TOO_MUCH' })
  vi.stubEnv('HOME', project.root)
  expect((await project.push(library, { paths: ['.'] })).summary.new).toBe(1)
})

// What versions refer to, for each project that pushed them: closures as pushed and as of now (contract-gaps 5 and 9).
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
})

let serial = 0
const newGuid = () => (++serial).toString(16).toUpperCase().padStart(32, 'B')

/** A file of a game, by its path below /Game. */
const file = (path: string, more: Json = {}): Item =>
  item({ origin_path: `/Game/${path}`, asset_name: path.split('/').at(-1), package_guid: newGuid(), ...more })

/** The next version of a file. */
const edited = ({ bytes: _bytes, content_hash: _hash, blob_size: _size, ...same }: Item, more: Json = {}): Item =>
  item({ ...same, ...more })

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })
const push = (project: string, ...items: Item[]) => pushed(mia, items, { project })

type Mode = 'as_pushed' | 'current'

/** The hashes of what the entry needs, itself left out. */
async function neededBy(result: Json | undefined, mode: Mode, project?: string): Promise<string[]> {
  const asked = project === undefined ? '' : `&project=${project}`
  const { body } = await mia.get(`/entries/${result?.entry_id}/closure?dependencies=${mode}${asked}`)
  expect(body.dependencies).toBe(mode)
  return body.members.filter(({ depth }: Json) => depth > 0).map(({ content_hash }: Json) => content_hash)
}

const hashes = (...items: Item[]) => items.map(({ content_hash }) => content_hash)

test('a version keeps what it was pushed with; the current closure follows the current version of each prop', async () => {
  const wood = file('Tex/T_Wood')
  const table = file('Props/SM_Table', needs(wood))
  const [, pushedTable] = await push('Tavern', wood, table)
  const newer = edited(wood)
  await push('Tavern', newer)
  expect(await neededBy(pushedTable, 'as_pushed')).toEqual(hashes(wood))
  expect(await neededBy(pushedTable, 'current')).toEqual(hashes(newer))
})

test('a second machine that sends known bytes with newer dependencies changes nothing of what they were pushed with', async () => {
  const wood = file('Tex/T_Wood')
  const table = file('Props/SM_Table', needs(wood))
  const [, pushedTable] = await push('Tavern', wood, table)
  const newer = edited(wood)
  await push('Tavern', newer)
  await push('tavern', newer, { ...table, ...needs(newer) })
  expect(await neededBy(pushedTable, 'as_pushed')).toEqual(hashes(wood))
})

test('what was current goes on by its own references, one version of each prop, the ordered one as ordered', async () => {
  const [oak, pine] = [file('Tex/T_Oak'), file('Tex/T_Pine')]
  const wood = file('Mat/M_Wood', needs(oak))
  const level = file('Maps/L_Inn', { ...needs(wood), asset_class: 'World' })
  const [, , pushedWood, pushedLevel] = await push('Inn', oak, pine, wood, level)
  const polished = edited(wood, needs(pine))
  await push('Inn', polished)
  expect(await neededBy(pushedLevel, 'as_pushed')).toEqual(hashes(wood, oak))
  expect(await neededBy(pushedLevel, 'current')).toEqual(hashes(polished, pine))
  const entries = [{ entry_id: pushedLevel?.entry_id }, { entry_id: pushedWood?.entry_id, object_id: pushedWood?.object_id }]
  const { body } = await mia.post('/pull-jobs/plan', { target_project: 'Inn', dependencies: 'current', entries })
  expect(new Set(body.closure.objects.map(({ content_hash }: Json) => content_hash))).toEqual(new Set(hashes(level, wood, oak)))
})

test('two projects with one path each have their own prop there, and what they await completes from their own pushes only', async () => {
  const player = (seed: string) =>
    file('Characters/BP_Player', { asset_class: 'Blueprint', force_new_lineage: true, notes: seed })
  const main = (more: Json) => file('Maps/Main', { asset_class: 'World', force_new_lineage: true, ...more })
  const awaiting = { missing_dependencies: ['/Game/Characters/BP_Player'] }
  const [harborMain, castleMain] = [main(awaiting), main(awaiting)]
  const [inHarbor] = await push('Harbor', harborMain)
  const [inCastle] = await push('Castle', castleMain)
  const harborPlayer = player('harbor')
  await push('Harbor', harborPlayer)
  expect(await neededBy(inHarbor, 'as_pushed')).toEqual(hashes(harborPlayer))
  // The only prop of the library at that path, while the project has none.
  expect(await neededBy(inCastle, 'current')).toEqual(hashes(harborPlayer))
  const castlePlayer = player('castle')
  await push('Castle', castlePlayer)
  expect(await neededBy(inCastle, 'as_pushed')).toEqual(hashes(castlePlayer))
  expect(await neededBy(inHarbor, 'current')).toEqual(hashes(harborPlayer))
  const edit = edited(castlePlayer, { force_new_lineage: undefined })
  await push('Castle', edit)
  expect(await neededBy(inCastle, 'current')).toEqual(hashes(edit))
  expect(await neededBy(inHarbor, 'current')).toEqual(hashes(harborPlayer))
})

test('template bytes that two projects pushed are read by the rows of the project that asks, else of the first', async () => {
  const skin = (seed: string) => file('Skins/T_Skin', { force_new_lineage: true, notes: seed })
  const [red, blue] = [skin('red'), skin('blue')]
  const template = file('Template/BP_Base', { asset_class: 'Blueprint', ...needs(red) })
  const [, first] = await push('Red', red, template)
  await push('Blue', blue)
  await push('Blue', { ...template, dependencies: undefined })
  expect(await neededBy(first, 'as_pushed')).toEqual(hashes(red))
  expect(await neededBy(first, 'as_pushed', 'Red')).toEqual(hashes(red))
  expect(await neededBy(first, 'as_pushed', 'BLUE')).toEqual(hashes(blue))
  expect(await neededBy(first, 'as_pushed', 'Never')).toEqual(hashes(red))
})

test('a prop that moved on leaves its old place, and a prop made anew there is what is meant now', async () => {
  const old = file('Props/SM_Lamp')
  const level = file('Maps/L_Inn', { asset_class: 'World', ...needs(old) })
  const [, pushedLevel] = await push('Inn', old, level)
  const moved = edited(old, { origin_path: '/Game/Lamps/SM_Lamp' })
  await push('Inn', moved)
  expect(await neededBy(pushedLevel, 'current')).toEqual(hashes(moved))
  const anew = file('Props/SM_Lamp')
  await push('Inn', anew)
  expect(await neededBy(pushedLevel, 'current')).toEqual(hashes(anew))
  expect(await neededBy(pushedLevel, 'as_pushed')).toEqual(hashes(old))
})

test('bytes that a project had pushed there before move nothing; a restored version takes its place back', async () => {
  const first = file('Props/SM_Sign')
  const level = file('Maps/L_Inn', { asset_class: 'World', missing_dependencies: ['/Game/Props/SM_Sign'] })
  const [sign] = await push('Inn', first)
  const moved = edited(first, { origin_path: '/Game/Signs/SM_Sign' })
  await push('Inn', moved)
  await push('Inn', first)
  const [pushedLevel] = await push('Inn', level)
  const missing = async () => (await mia.get(`/entries/${pushedLevel?.entry_id}`)).body.face.missing_dependencies
  expect(await missing()).toEqual(['/Game/Props/SM_Sign'])
  expect((await mia.post(`/entries/${sign?.entry_id}/restore`, { object_id: sign?.object_id })).status).toBe(200)
  expect(await missing()).toEqual([])
  expect(await neededBy(pushedLevel, 'current')).toEqual(hashes(first))
})

test('two games out of one template go on each with its own prop, although both have the identity of the template', async () => {
  const package_guid = newGuid()
  const player = (seed: string, more: Json = {}) => file('Characters/BP_Player', { package_guid, notes: seed, ...more })
  const [harbor] = await push('Harbor', player('harbor'))
  const [castle] = await push('Castle', player('castle', { force_new_lineage: true }))
  const next = async (project: string) => (await push(project, player(`${project} again`)))[0]
  expect(await next('Castle')).toMatchObject({
    status: 'new',
    lineage_id: castle?.lineage_id,
    parent_object_id: castle?.object_id,
  })
  expect(await next('Harbor')).toMatchObject({
    status: 'new',
    lineage_id: harbor?.lineage_id,
    parent_object_id: harbor?.object_id,
  })
  expect(await next('Newcomer')).toMatchObject({ lineage_id: harbor?.lineage_id })
})

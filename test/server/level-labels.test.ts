// Parts of levels as people know them: their labels, read from their files, and what a set changed of them (contract-gaps 9).
import { beforeEach, expect, test } from 'vitest'
import { writePackage } from '../../sample/package.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller
let max: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  max = callAs(url, keys.max)
})

const at = (name: string) => `/Game/__ExternalActors__/Maps/L_Town/0/1A/${name}`

async function actor(name: string, label: string | null, more: Json = {}): Promise<Item> {
  const bytes = await writePackage({
    packageName: at(name),
    assetClass: 'PointLight',
    label,
    payload: Buffer.from(`${Math.random()}`),
    guid: null,
  })
  return item({ bytes, asset_class: 'PointLight', asset_name: name, origin_path: at(name), entry: null, ...more })
}

async function push(caller: Caller, level: Item, parts: { base: number | null; put?: Item[]; remove?: string[] }): Promise<Json> {
  const { base, put = [], remove = [] } = parts
  const change = { base, put: put.map(({ origin_path: path, content_hash }) => ({ path, content_hash })), remove: remove.map(at) }
  const [first] = await pushed(caller, [{ ...level, parts: change }, ...put], { project: 'Town' })
  return first ?? {}
}

const newLevel = () =>
  item({
    asset_class: 'World',
    asset_name: 'L_Town',
    origin_path: '/Game/Maps/L_Town',
    entry: { entry_type: 'level', name: 'L_Town' },
  })

const said = (parts: Json[]) => parts.map(({ path, change, label }) => [path.split('/').at(-1), change, label])

test('labels are read from the files of actors; a set is listed by them, whole or as what it changed of another one', async () => {
  const level = newLevel()
  const [a, b, c] = [await actor('AAA1', 'Door 樽'), await actor('BBB2', null), await actor('CCC3', 'Lamp')]
  const first = await push(mia, level, { base: null, put: [a, b, c] })
  const a2 = await actor('AAA1', 'Door, open')
  const second = await push(mia, level, { base: first.parts.set, put: [a2], remove: ['CCC3'] })
  const d = await actor('DDD4', 'Well')
  const third = await push(mia, level, { base: second.parts.set, put: [d] })
  const list = async (set: number, query = '') => (await mia.get(`/lineages/${first.lineage_id}/parts/${set}${query}`)).body
  const whole = await list(first.parts.set)
  expect(said(whole.parts)).toEqual([
    ['AAA1', undefined, 'Door 樽'],
    ['BBB2', undefined, null],
    ['CCC3', undefined, 'Lamp'],
  ])
  expect(whole).toMatchObject({
    set: { number: 1, parts: 3 },
    next_cursor: null,
    parts: [{ content_hash: a.content_hash, asset_class: 'PointLight' }, {}, {}],
  })
  const changes = await list(third.parts.set, `?since=${first.parts.set}`)
  expect(said(changes.parts)).toEqual([
    ['AAA1', 'changed', 'Door, open'],
    ['CCC3', 'removed', 'Lamp'],
    ['DDD4', 'added', 'Well'],
  ])
  expect(changes.parts[1]).toMatchObject({ object_id: null, content_hash: null })
  const back = await list(first.parts.set, `?since=${third.parts.set}`)
  expect(said(back.parts).map(([, change]) => change)).toEqual(['changed', 'added', 'removed'])
  const page = await list(third.parts.set, `?since=${first.parts.set}&limit=2`)
  expect(page.parts).toHaveLength(2)
  const rest = await list(third.parts.set, `?since=${first.parts.set}&limit=2&cursor=${page.next_cursor}`)
  expect([said(rest.parts), rest.next_cursor]).toEqual([[['DDD4', 'added', 'Well']], null])
  expect((await mia.get(`/lineages/${first.lineage_id}/parts/999999`)).status).toBe(404)
  const { body } = await mia.get(`/entries/${first.entry_id}/closure?dependencies=current&project=Town`)
  expect(body.members.slice(1).map(({ label }: Json) => label)).toEqual([undefined, 'Door, open', 'Well'])
})

test('a set of another project is held against this one as a whole', async () => {
  const level = newLevel()
  const [a, b] = [await actor('AAA1', 'Door'), await actor('BBB2', 'Lamp')]
  const first = await push(mia, level, { base: null, put: [a, b] })
  const c = await actor('CCC3', 'Well')
  const parts = { base: first.parts.set, put: [{ path: c.origin_path, content_hash: c.content_hash }], remove: [at('AAA1')] }
  const [other] = await pushed(mia, [{ ...level, parts }, c], { project: 'Village' })
  const { body } = await mia.get(`/lineages/${first.lineage_id}/parts/${other?.parts.set}?since=${first.parts.set}`)
  expect(said(body.parts)).toEqual([
    ['AAA1', 'removed', 'Door'],
    ['CCC3', 'added', 'Well'],
  ])
})

test('the radar, and a question for lineages, name an actor by its label', async () => {
  const level = newLevel()
  const a = await actor('AAA1', 'Door 12')
  const first = await push(mia, level, { base: null, put: [a] })
  const found = (await mia.post('/lineages/find', { content_hashes: [a.content_hash] })).body
  const part = { path: at('AAA1'), asset_class: 'PointLight', label: 'Door 12' }
  expect(found.lineages).toMatchObject([{ part }])
  expect((await max.post('/locks', { lineage_id: found.lineages[0].id })).status).toBe(201)
  const { body } = await mia.post('/locks/radar', { lineage_ids: [first.lineage_id] })
  expect(body.lineages[0].locks).toMatchObject([{ relation: 'dependency', entry_id: null, part }])
})

test('an order that has a set leaves out the parts that are the same since, and brings what they need all the same', async () => {
  const level = newLevel()
  const mesh = item({ asset_name: 'SM_Door', origin_path: '/Game/Pack/Props/SM_Door' })
  await pushed(mia, [mesh], { project: 'Town' })
  const hard = [{ content_hash: mesh.content_hash, hard: true }]
  const [a, b, c] = [
    await actor('AAA1', 'Door', { dependencies: hard }),
    await actor('BBB2', 'Lamp'),
    await actor('CCC3', 'Well'),
  ]
  const first = await push(mia, level, { base: null, put: [a, b, c] })
  const b2 = await actor('BBB2', 'Lamp, lit')
  const second = await push(mia, level, { base: first.parts.set, put: [b2], remove: ['CCC3'] })
  const order = { target_project: 'Town', entries: [{ entry_id: first.entry_id }], dependencies: 'current' }
  const filesOf = async (have_set?: number[]) => {
    const { status, body } = await mia.post('/pull-jobs', { ...order, have_set })
    expect(status).toBe(201)
    const { objects } = (await mia.get(`/pull-jobs/${body.id}/closure`)).body
    return objects.map(({ content_hash }: Json) => content_hash).sort()
  }
  const hashes = (...items: Item[]) => items.map(({ content_hash }) => content_hash).sort()
  expect(await filesOf()).toEqual(hashes(level, mesh, a, b2))
  expect(await filesOf([first.parts.set])).toEqual(hashes(level, mesh, b2))
  expect(await filesOf([second.parts.set])).toEqual(hashes(level, mesh))
  // A set of nothing that comes changes nothing.
  expect(await filesOf([999_999])).toEqual(hashes(level, mesh, a, b2))
})

// Folders whose names are longer than a name may be: cut when they become a pack or category, and said so (contract-gaps 5; spec 8).
import { expect, test } from 'vitest'
import { migrate } from '../../server/database/migrate.ts'
import { callAs, type Json } from '../support/api.ts'
import { commitOf, type Item, item, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database

async function library() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  return { mia: callAs(url, keys.mia), workspaceId }
}

const at = (pack: string, category: string, over: Json = {}): Item => {
  const name = uniqueName('SM')
  return item({ asset_name: name, origin_path: `/Game/${pack}/${category}/${name}`, ...over })
}

test('names of folders are cut to the limits of packs and categories, which can then be filtered by and changed like any other', async () => {
  const { mia } = await library()
  const [pack, category] = ['P'.repeat(300), 'c'.repeat(300)]
  const items = [at(pack, category), at('Short', category), at(pack, 'Props')]
  const { status, body } = await commitOf(mia, items)
  expect([status, body.summary.new]).toEqual([200, 3])
  const [one, , third] = items
  expect(body.warnings).toEqual([
    {
      type: 'name_cut',
      field: 'pack',
      folder: pack,
      name: 'P'.repeat(200),
      message: `The folder ${pack} has a name of 300 characters; its pack is named by the first 200.`,
      content_hashes: [one?.content_hash, third?.content_hash],
    },
    {
      type: 'name_cut',
      field: 'category',
      folder: category,
      name: 'c'.repeat(120),
      message: expect.stringContaining('its category is named by the first 120'),
      content_hashes: items.slice(0, 2).map((each) => each.content_hash),
    },
  ])
  const entry = (await mia.get(`/entries/${body.results[0].entry_id}`)).body
  expect([entry.category, entry.pack.name]).toEqual(['c'.repeat(120), 'P'.repeat(200)])
  expect((await mia.get(`/entries?category=${entry.category}`)).body.entries).toHaveLength(2)
  expect((await mia.patch(`/entries/${entry.id}`, { category: entry.category })).status).toBe(200)
  expect((await mia.patch(`/packs/${entry.pack.id}`, { name: entry.pack.name })).status).toBe(200)
})

test('folders that are alike as far as a name goes are one pack and one category, also with a pack that was given that name', async () => {
  const { mia } = await library()
  const common = 'x'.repeat(200)
  const made = await mia.post('/packs', { name: common })
  const { body } = await commitOf(mia, [at(`${common}_one`, `${common}a`), at(`${common}_two`, `${common}b`)])
  expect(body.warnings.map(({ field, folder }: Json) => [field, folder.slice(200)])).toEqual([
    ['pack', '_one'],
    ['category', 'a'],
    ['pack', '_two'],
    ['category', 'b'],
  ])
  const { entries } = (await mia.get('/entries')).body
  expect(entries.map((entry: Json) => [entry.pack.id, entry.category])).toEqual([
    [made.body.id, 'x'.repeat(120)],
    [made.body.id, 'x'.repeat(120)],
  ])
  expect((await mia.get('/packs')).body.packs).toHaveLength(1)
})

test('nothing is said of folders that fit, of items with a pack of their own, of locked categories, and of a push that changes nothing', async () => {
  const { mia } = await library()
  const long = 'y'.repeat(201)
  const fitting = await commitOf(mia, [at('z'.repeat(200), 'z'.repeat(120))])
  expect([fitting.status, 'warnings' in fitting.body]).toEqual([200, false])
  const inline = at(long, 'Props', { pack_ref: 'p' })
  const given = await commitOf(mia, [inline], { packs: [{ ref: 'p', name: 'Given' }] })
  expect([given.status, 'warnings' in given.body]).toEqual([200, false])
  const file = at('Pack', long)
  const first = await commitOf(mia, [file])
  expect(first.body.warnings.map(({ field }: Json) => field)).toEqual(['category'])
  expect((await commitOf(mia, [file])).body).not.toHaveProperty('warnings')
  const [result] = first.body.results
  expect((await mia.patch(`/entries/${result.entry_id}`, { category: 'Mine' })).status).toBe(200)
  const next = item({ asset_name: file.asset_name, origin_path: file.origin_path, stamped_lineage_id: result.lineage_id })
  const second = await commitOf(mia, [next])
  expect([second.body.summary.new, 'warnings' in second.body]).toEqual([1, false])
  expect((await mia.get(`/entries/${result.entry_id}`)).body.category).toBe('Mine')
})

test('a library from before is put right: packs that are alike then are one, categories are cut, and mirrors are told', async () => {
  const { mia, workspaceId } = await library()
  const [a, b, c, d] = [at('A', 'One'), at('B', 'Two'), at('C', 'Three'), at('D', 'Four')]
  const { results } = (await commitOf(mia, [a, b, c, d])).body
  const ids: number[] = results.map((one: Json) => one.entry_id)
  const names: Record<string, string> = { A: `${'p'.repeat(200)}_a`, B: `${'p'.repeat(200)}_b`, C: 'p'.repeat(200) }
  for (const [name, long] of Object.entries(names))
    await sql`update packs set name = ${long}, source_path = ${name === 'B' ? 'D:/B' : null} where workspace_id = ${workspaceId} and name = ${name}`
  await sql`update entries set category = ${'木'.repeat(300)} where id = ${ids[3] ?? 0}`
  const [head] = await sql<{ change_seq: number }[]>`select change_seq from feed_heads where workspace_id = ${workspaceId}`
  await sql`delete from schema_migrations where number = 14`
  expect(await migrate(server.database, new Date())).toEqual([14])
  const { packs } = (await mia.get('/packs')).body
  expect(packs.map((pack: Json) => [pack.name, pack.source_path, pack.entry_count])).toEqual([
    ['D', null, 1],
    ['p'.repeat(200), 'D:/B', 3],
  ])
  const { entries } = (await mia.get(`/entries?category=${encodeURIComponent('木'.repeat(120))}`)).body
  expect(entries.map(({ id }: Json) => id)).toEqual([ids[3]])
  const found = (await mia.get(`/entries?pack=${packs[1].id}`)).body.entries
  expect(found.map(({ id }: Json) => id).sort()).toEqual(ids.slice(0, 3).sort())
  const { changes } = (await mia.get(`/catalog/changes?cursor=${head?.change_seq}`)).body
  expect(changes.map(({ entity, entity_id }: Json) => `${entity} ${entity_id}`)).toEqual(ids.map((id) => `entry ${id}`))
})

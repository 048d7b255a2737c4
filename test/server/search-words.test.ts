// GET /entries?q= and the facets under it: found, ranked and paged as a scan of every entry would (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import { toQuestion } from '../../words/query-words.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { walkEntries } from '../support/entry-walk.ts'
import { plainList, shownIn } from '../support/plain-search.ts'
import { item, pushed } from '../support/push.ts'
import { changeLibrary, pick, seeded, writeLibrary } from '../support/random-library.ts'
import { startTestServer } from '../support/server.ts'
import { scan } from './search/naive-scan.ts'

const server = await startTestServer()
const { sql } = server.database

async function workspaceWith(props: Json[]) {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const [mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
  const results = props.length === 0 ? [] : await pushed(mia, props.map(item))
  return { mia, adam, workspaceId, ids: results.map((one) => one.entry_id as number) }
}

const listed = async (reads: Caller, q: string, more = ''): Promise<Json[]> => {
  const { status, body } = await reads.get(`/entries?q=${encodeURIComponent(q)}${more}`)
  expect([q, status], JSON.stringify(body).slice(0, 300)).toEqual([q, 200])
  return body.entries
}
const namesOf = async (reads: Caller, q: string, more = '') => (await listed(reads, q, more)).map((entry) => entry.name)

const questions = [
  'a',
  'sm',
  'barrel',
  'b',
  'pack',
  'pack 1',
  '"pack 1"',
  '"sm barrel"',
  'old',
  '"old stuff" p',
  'props',
  'é',
  'e t',
  '木',
  '🪑',
  'doors gates',
  'x y wood',
  '1',
  'none',
]

test.each([1, 2, 3, 4, 5, 6])(
  'library %i: what q finds, in which order, page by page, and counts, is what a scan says, also after changes',
  async (seed) => {
    const random = seeded(seed)
    const { mia, workspaceId } = await workspaceWith([])
    const library = await writeLibrary(sql, { workspaceId, random, most: 60 })
    for (let round = 0; round < 3; round++) {
      const rows = await sql<{ id: number; name: string; category: string | null; pack: string; tags: string[] }[]>`
      select e.id, e.name, e.category, p.name as pack, to_json(array(
               select t.name from entry_tags x join tags t on t.workspace_id = x.workspace_id and t.id = x.tag_id
                where x.workspace_id = e.workspace_id and x.entry_id = e.id)) as tags
        from entries e join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
        join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
        join packs p on p.workspace_id = o.workspace_id and p.id = o.pack_id
       where e.workspace_id = ${workspaceId}`
      const said = new Map(rows.map(({ id, ...row }) => [id, { ...row, comments: [] }]))
      for (let turn = 0; turn < 12; turn++) {
        const q = pick(random, questions)
        const filters = pick<Json>(random, [
          {},
          {},
          { type: ['mesh'] },
          { include_deprecated: true },
          { name: ['SM_Barrel', 'a'] },
        ])
        const found = new Map(scan(said, toQuestion(q) ?? { clauses: [], wordCount: 0 }).map((hit) => [hit.row, hit]))
        const all = await plainList(shownIn(sql, workspaceId), { question: filters, sort: 'name', order: 'asc' })
        const matching = all.filter((id) => found.has(id))
        const best = matching.toSorted((a, b) => (found.get(b)?.weight ?? 0) - (found.get(a)?.weight ?? 0))
        const query = new URLSearchParams([
          ['q', q],
          ...Object.entries(filters).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)])),
        ]).toString()
        const ranked = await walkEntries(mia, `${query}&limit=${pick(random, [1, 3, 200])}`)
        expect([query, ranked.map((entry) => [entry.id, entry.matched])]).toEqual([
          query,
          best.map((id) => [id, found.get(id)?.fields]),
        ])
        expect(ranked.map((entry) => entry.score)).toEqual(ranked.map((entry) => entry.score).sort((a, b) => b - a))
        const byName = await walkEntries(mia, `${query}&sort=name&limit=${pick(random, [2, 200])}`)
        expect([query, byName.map((entry) => entry.id)]).toEqual([query, matching])
        const { body } = await mia.get(`/entries/facets?${query}`)
        const types = matching.length === 0 ? 0 : body.types.reduce((sum: number, { count }: Json) => sum + count, 0)
        if (filters.type === undefined) expect([query, types]).toEqual([query, matching.length])
      }
      await changeLibrary(library, random(8))
    }
  },
)

test('a name counts above a category, that above a tag and a pack, whole words above beginnings; every entry says where it matched', async () => {
  const at = (pack: string, category: string, name: string) => ({
    asset_name: name,
    origin_path: `/Game/${pack}/${category}/${name}`,
  })
  const { mia, ids } = await workspaceWith([
    at('P', 'Doors', 'SM_Gate_1'),
    at('P', 'Gates', 'SM_Other_2'),
    at('P', 'Gate', 'SM_Other_3'),
    at('Gate', 'Doors', 'SM_Other_4'),
    at('P', 'Doors', 'SM_Other_5'),
    at('P', 'Doors', 'SM_Gates_6'),
    at('P', 'Doors', 'Gate'),
    at('P', 'Doors', 'SM_Door_8'),
  ])
  const tag = (await mia.post('/tags', { name: 'old gate' })).body.id
  await mia.put(`/entries/${ids[4]}/tags/${tag}`, {})
  await mia.put(`/entries/${ids[0]}/tags/${tag}`, {})
  const found = await listed(mia, 'gate')
  expect(found.map(({ name, matched }) => [name, matched])).toEqual([
    ['Gate', ['name']],
    ['SM_Gate_1', ['name', 'tags']],
    ['SM_Gates_6', ['name']],
    ['SM_Other_3', ['category']],
    ['SM_Other_2', ['category']],
    ['SM_Other_5', ['tags']],
    ['SM_Other_4', ['pack']],
  ])
  const scores = found.map((entry) => entry.score)
  expect(scores[0]).toBe(1)
  expect(scores).toEqual([...new Set(scores)].sort((a, b) => b - a))
  const [unranked] = await listed(mia, 'gate', '&sort=name')
  expect(unranked).not.toHaveProperty('score')
  expect(unranked).not.toHaveProperty('matched')
})

test('a typed word is found in whatever words it was written in, side by side in one text, and nowhere else', async () => {
  const at = (name: string, folder = 'Props') => ({ asset_name: name, origin_path: `/Game/Kit/${folder}/${name}` })
  const { mia, ids } = await workspaceWith([
    at('SM_EarthCore'),
    at('SM_Earth_Core_Small'),
    at('SM_Core_Earth'),
    at('Chair_156'),
    at('ClearCoat'),
    at('Coat_Clear', 'Clear'),
    at('T_Rock4K'),
    at('T_Rock_4_Kinds'),
  ])
  const tag = (await mia.post('/tags', { name: 'tag9' })).body.id
  const other = (await mia.post('/tags', { name: 'first person' })).body.id
  await mia.put(`/entries/${ids[3]}/tags/${tag}`, {})
  await mia.put(`/entries/${ids[3]}/tags/${other}`, {})
  const finds = async (qs: string[], names: string[]) => {
    for (const q of qs) expect([q, (await namesOf(mia, q)).sort()]).toEqual([q, names])
  }
  const earthCores = ['SM_EarthCore', 'SM_Earth_Core_Small']
  await finds(['earthcore', 'EarthCore', 'earth_core', 'earthcor', 'eartHCore', 'smearthcore', 'earth-core SM'], earthCores)
  await finds(['earthcorex', 'arthcore', '"earthcore"', 'coreearthsm', 'tag1', 'tag2 9'], [])
  await finds(['core earth'], ['SM_Core_Earth', ...earthCores])
  await finds(['coreearth', 'Core_Ear'], ['SM_Core_Earth'])
  await finds(['clearcoat', 'ClearCoat', 'clear_coat', 'clearc'], ['ClearCoat'])
  await finds(['tag9', 'tag 1', 'FirstPerson', 'firstp', 'chair1', 'Chair_156'], ['Chair_156'])
  await finds(['4k', 'rock4k', 'T_Rock_4'], ['T_Rock4K', 'T_Rock_4_Kinds'])
  const [whole] = await listed(mia, 'clearcoat')
  expect([whole?.score, whole?.matched]).toEqual([1, ['name']])
  const [tagged] = await listed(mia, 'firstperson')
  expect(tagged?.matched).toEqual(['tags'])
})

test('what someone changes is found at once by its new words, and no longer by the old ones', async () => {
  const { mia, adam, ids } = await workspaceWith([{ origin_path: '/Game/Harbor/Props/SM_Crane', asset_name: 'SM_Crane' }])
  const [id] = ids
  const finds = async (q: string) => (await listed(mia, q)).length === 1
  const turns = async (before: string, after: string, act: () => Promise<{ status: number }>) => {
    expect([before, await finds(before), after, await finds(after)]).toEqual([before, true, after, false])
    expect((await act()).status).toBeLessThan(300)
    expect([before, await finds(before), after, await finds(after)]).toEqual([before, false, after, true])
  }
  expect(await finds('winch')).toBe(false)
  expect((await mia.patch(`/entries/${id}`, { name: 'SM_Winch' })).status).toBe(200)
  // The file is called as before.
  expect([await finds('winch'), await finds('crane')]).toEqual([true, true])
  await turns('props', 'machines', () => mia.patch(`/entries/${id}`, { category: 'Machines' }))
  const pack = (await mia.get(`/entries/${id}`)).body.pack.id
  await turns('harbor', 'docks', () => mia.patch(`/packs/${pack}`, { name: 'Docks' }))
  const tag = (await mia.post('/tags', { name: 'rusty' })).body.id
  expect(await finds('rusty')).toBe(false)
  await mia.put(`/entries/${id}/tags/${tag}`, {})
  await turns('rusty', 'weathered', () => mia.patch(`/tags/${tag}`, { name: 'weathered' }))
  expect((await mia.del(`/tags/${tag}`)).status).toBe(204)
  expect(await finds('weathered')).toBe(false)
  await pushed(mia, [item({ asset_name: 'SM_Winch_Big', origin_path: '/Game/Harbor/Props/SM_Winch_Big' })])
  expect(await namesOf(mia, 'winch')).toEqual(['SM_Winch', 'SM_Winch_Big'])
  expect((await adam.patch(`/entries/${id}`, { status: 'deprecated' })).status).toBe(200)
  expect(await namesOf(mia, 'winch')).toEqual(['SM_Winch_Big'])
  expect(await namesOf(mia, 'winch', '&include_deprecated=true')).toEqual(['SM_Winch', 'SM_Winch_Big'])
  expect((await adam.del(`/entries/${id}`)).status).toBe(204)
  expect(await namesOf(mia, 'winch', '&include_deprecated=true')).toEqual(['SM_Winch_Big'])
})

/** Entries of one pack, all named alike but for their number. */
async function writeAlike(workspaceId: number, count: number): Promise<void> {
  await sql`insert into packs (workspace_id, name, date_added, date_updated) values (${workspaceId}, 'Pack', '2026-01-01', '2026-01-01')`
  await sql`
    with made as (
      insert into objects (workspace_id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, date_ingested, metadata)
      select ${workspaceId}, 'hash' || n, 1, 'lin' || n, 'minted', p.id, 'StaticMesh', '2026-01-01', '{}'
        from packs p, generate_series(1, ${count}::int) n where p.workspace_id = ${workspaceId}
      returning id, lineage_id)
    insert into lineages (workspace_id, id, anchor, face_object_id, created_at)
    select ${workspaceId}, lineage_id, 'minted', id, '2026-01-01' from made`
  await sql`
    insert into entries (workspace_id, lineage_id, name, entry_type, status, date_indexed, date_updated)
    select ${workspaceId}, 'lin' || n, 'SM_Crate_' || lpad(n::text, 5, '0'), 'mesh', 'active', '2026-01-01', '2026-01-01'
      from generate_series(1, ${count}::int) n`
}

test('of 1,200 matches the best 1,000 are listed, those of like weight by name, whatever the pages', async () => {
  const { mia, workspaceId } = await workspaceWith([])
  await writeAlike(workspaceId, 1200)
  const expected = Array.from({ length: 1000 }, (_, index) => `SM_Crate_${String(index + 1).padStart(5, '0')}`)
  for (const limit of [200, 150])
    expect((await walkEntries(mia, `q=crate&limit=${limit}`)).map((entry) => entry.name)).toEqual(expected)
  expect(await walkEntries(mia, 'q=crate&sort=name&limit=200')).toHaveLength(1200)
  expect((await walkEntries(mia, 'q=crate+01199&limit=1')).map((entry) => entry.name)).toEqual(['SM_Crate_01199'])
  expect((await mia.get('/entries/facets?q=crate')).body.types).toEqual([{ value: 'mesh', count: 1200 }])
})

test('whatever stands in q, the answer is a list; beyond 10,000 characters, and with a NUL, it is VALIDATION', async () => {
  const { mia } = await workspaceWith([{ asset_name: 'SM_Barrel' }, { asset_name: 'SM_Crate', entry: { name: '木箱 🪑 עץ' } }])
  const letters = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(0x4e00 + index))
  const found: [string, number][] = [
    ['barrel '.repeat(1428), 1],
    ['a '.repeat(3000), 0],
    [Array.from({ length: 1500 }, (_, index) => `w${index}`).join(' '), 0],
    ['é'.normalize('NFD').repeat(1000), 0],
    ['x'.repeat(10_000), 0],
    ['🪑'.repeat(1000), 0],
    ['🪑 '.repeat(1000), 1],
    ['1'.repeat(10_000), 0],
    ['aB'.repeat(5000), 0],
    ['木箱'.repeat(500), 0],
    [letters.join(' '), 0],
    [`"${letters.join('')}"`, 0],
    ['"'.repeat(4000), 2],
    ['"barrel', 1],
    ['barrel"" " "', 1],
    ['(barrel) & !sm | *:* <-> \\ % _ ; -- $1 {"a":1}', 0],
    ['NOT barrel', 0],
    ["barrel' or '1'='1", 0],
    ['🪑', 1],
    ['עץ', 1],
    ['\u202eעץ\u202c', 1],
    ['箱', 1],
    ['箱木', 0],
    ['\ufffd barrel', 1],
    ['\u0301\u0301\u0301', 2],
    ['BARREL\r\n\tsm', 1],
  ]
  for (const [q, count] of found) {
    const { types } = (await mia.get(`/entries/facets?${new URLSearchParams({ q })}`)).body
    const counted = types.reduce((sum: number, one: Json) => sum + one.count, 0)
    expect([q.slice(0, 40), (await listed(mia, q)).length, counted]).toEqual([q.slice(0, 40), count, count])
  }
  for (const q of ['x'.repeat(10_001), 'bar\0rel', '\0']) {
    const { status, body } = await mia.get(`/entries?q=${encodeURIComponent(q)}`)
    expect([q.slice(0, 40), status, body.error.code]).toEqual([q.slice(0, 40), 422, 'VALIDATION'])
  }
  expect((await mia.get('/entries?q=a&q=b')).status).toBe(422)
  for (const raw of ['%ED%A0%80', '%FF%FE', '%', '%zz'])
    expect([raw, (await mia.get(`/entries?q=${raw}`)).status]).not.toEqual([raw, 500])
})

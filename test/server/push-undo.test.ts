// Taking back pushes: what goes, what is as before, whose use keeps it, and who may (contract-gaps 5 and 9).
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { commitOf, type Item, item, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let [mia, max, adam]: Caller[] = []
let workspaceId = 0

beforeEach(async () => {
  const added = await server.addWorkspace()
  workspaceId = added.workspaceId
  ;[mia, max, adam] = [added.keys.mia, added.keys.max, added.keys.adam].map((key) => callAs(added.url, key))
})

const person = (caller: Caller | undefined): Caller => {
  if (!caller) throw new Error('there is no workspace')
  return caller
}
const [asMia, asMax, asAdam] = [() => person(mia), () => person(max), () => person(adam)]

let serial = 0
const newGuid = () => (++serial).toString(16).toUpperCase().padStart(32, 'C')

/** A file of a game, by its path below /Game. */
const file = (path: string, more: Json = {}): Item =>
  item({ origin_path: `/Game/${path}`, asset_name: path.split('/').at(-1), package_guid: newGuid(), ...more })

/** The next version of a file. */
const edited = ({ bytes: _bytes, content_hash: _hash, blob_size: _size, ...same }: Item, more: Json = {}): Item =>
  item({ ...same, ...more })

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })

interface Commit {
  key: string
  results: Json[]
}

/** A commit of one person, which must succeed. */
async function push(caller: Caller, items: Item[], project = 'Inn'): Promise<Commit> {
  const { status, body } = await commitOf(caller, items, { project })
  expect(status, JSON.stringify(body)).toBe(200)
  return { key: body.batch_key, results: body.results }
}

const undo = (caller: Caller, ...batch_keys: string[]) => caller.post('/push/undo', { batch_keys })
async function undone(caller: Caller, ...keys: string[]): Promise<Json> {
  const { status, body } = await undo(caller, ...keys)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** What a table says of the library, without what counts up whenever something is written. */
async function rowsOf(): Promise<Json> {
  const { sql } = server.database
  const [row] = await sql`
    select (select json_agg(json_build_array(e.id, e.lineage_id, e.name, e.category, e.variant_label, e.variant_group_id) order by e.id) from entries e where e.workspace_id = ${workspaceId}) as entries,
           (select json_agg(json_build_array(l.id, l.face_object_id) order by l.id) from lineages l where l.workspace_id = ${workspaceId}) as lineages,
           (select json_agg(json_build_array(o.id, o.parent_object_id, o.content_hash, o.has_missing) order by o.id) from objects o where o.workspace_id = ${workspaceId}) as objects,
           (select json_agg(json_build_array(d.object_id, d.project_id, d.needs_object_id, d.hard, d.path_key) order by d.object_id, d.project_id, d.needs_object_id) from dependencies d where d.workspace_id = ${workspaceId}) as dependencies,
           (select json_agg(json_build_array(a.object_id, a.project_id, a.path_key, a.path, a.hard) order by a.object_id, a.project_id, a.path_key) from awaited_imports a where a.workspace_id = ${workspaceId}) as awaited,
           (select json_agg(json_build_array(p.project_id, p.lineage_id, p.object_id, p.path_key) order by p.id) from placings p where p.workspace_id = ${workspaceId}) as placings,
           (select json_agg(json_build_array(g.guid, g.lineage_id) order by g.guid) from package_guids g where g.workspace_id = ${workspaceId}) as guids,
           (select json_agg(p.name order by p.id) from packs p where p.workspace_id = ${workspaceId}) as packs,
           (select json_agg(json_build_array(n.entry_id, n.name, n.until is null) order by n.entry_id, n.name) from entry_names n where n.workspace_id = ${workspaceId}) as names,
           (select json_agg(g.id order by g.id) from variant_groups g where g.workspace_id = ${workspaceId}) as groups,
           (select json_agg(a.id) from artifacts a where a.workspace_id = ${workspaceId}) as artifacts,
           (select json_agg(d.lineage_id) from deleted_lineages d where d.workspace_id = ${workspaceId}) as deleted`
  return row
}

const head = async (): Promise<number> => (await asMax().get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
async function since(cursor: number): Promise<string[]> {
  const { changes } = (await asMax().get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
  return changes.map(({ entity, entity_id, op }: Json) => `${entity} ${entity_id} ${op}`).sort()
}

/** What Inn has before mia's day: a lamp and a sign by her, a level of max that awaits a texture. */
async function library() {
  const [lamp, sign] = [file('Props/SM_Lamp'), file('Props/SM_Sign')]
  const first = await push(asMia(), [lamp, sign])
  const level = file('Maps/L_Inn', { asset_class: 'World', missing_dependencies: ['/Game/Tex/T_Oak'], ...needs(lamp) })
  const ofMax = await push(asMax(), [level])
  return { lamp, sign, level, first, ofMax }
}

test('a push is taken back whole: three new props, a new version, a rename, and what the library looked like before is there again', async () => {
  const { lamp, sign, first } = await library()
  const before = await rowsOf()
  const cursor = await head()
  const oak = file('Tex/T_Oak', { asset_class: 'Texture2D', entry: { entry_type: 'texture' } })
  const anew = file('Props/SM_Sign', { force_new_lineage: true })
  const chair = file('Chairs/SM_Chair', needs(oak))
  const items = [
    oak,
    anew,
    chair,
    edited(lamp, needs(oak)),
    edited(sign, { origin_path: '/Game/Signs/SM_Board', asset_name: 'SM_Board' }),
  ]
  const { key, results } = await push(asMia(), items)
  await asMia().put(`/entries/${results[2]?.entry_id}/thumbnail?object_id=${results[2]?.object_id}`, await pngOf(4, 4))
  expect(await rowsOf()).not.toEqual(before)
  const answer = await undone(asMia(), key)
  expect(answer.batches).toMatchObject([{ batch_key: key, versions: 5, undone_at: expect.any(String) }])
  expect(await rowsOf()).toEqual(before)
  const lineage = (index: number) => answer.lineages.find(({ lineage_id }: Json) => lineage_id === results[index]?.lineage_id)
  expect(lineage(2)).toMatchObject({ entry_id: null, name: null, current: null })
  expect(lineage(3)).toMatchObject({ name: 'SM_Lamp', current: { object_id: first.results[0]?.object_id, version: 1 } })
  const told = await since(cursor)
  for (const { entry_id, object_id } of results.slice(0, 3))
    expect(told).toEqual(expect.arrayContaining([`entry ${entry_id} delete`, `object ${object_id} delete`]))
  expect(told).toContain(`entry ${results[3]?.entry_id} upsert`)
  expect(told).toContain(`object ${first.results[0]?.object_id} upsert`)
  const { events } = (await asMax().get('/activity?type=push.undo')).body
  expect(events).toMatchObject([{ event_type: 'push.undo', count: 5, actor: { name: 'mia' } }])
})

test('the same files pushed after an undo are new, not deleted ones, and another undo takes them back too', async () => {
  const { lamp } = await library()
  const before = await rowsOf()
  const items = [file('Chairs/SM_Chair'), edited(lamp)]
  const first = await push(asMia(), items)
  await undone(asMia(), first.key)
  const { body } = await asMia().post('/push/negotiate', {
    items: items.map(({ bytes: _bytes, ...rest }) => rest),
    project: 'Inn',
  })
  expect(body.items.map(({ action, deleted }: Json) => [action, deleted])).toEqual([
    ['register', undefined],
    ['register', undefined],
  ])
  const again = await push(asMia(), items)
  expect(again.results.map(({ status, entry_created }) => [status, entry_created])).toEqual([
    ['new', true],
    ['new', false],
  ])
  expect(again.key).not.toBe(first.key)
  await undone(asMia(), again.key)
  expect(await rowsOf()).toEqual(before)
})

test('an undo that is repeated, or comes twice at once, says the same and changes nothing more', async () => {
  const { lamp } = await library()
  const { key } = await push(asMia(), [file('Chairs/SM_Chair'), edited(lamp)])
  const answers = await Promise.all([undo(asMia(), key), undo(asMia(), key)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers[0]?.body).toEqual(answers[1]?.body)
  const cursor = await head()
  expect((await undone(asMia(), key)).lineages).toEqual(answers[0]?.body.lineages)
  expect(await since(cursor)).toEqual([])
})

test('a dry run says what it would come to and changes nothing', async () => {
  const { lamp, first } = await library()
  const { key, results } = await push(asMia(), [edited(lamp), file('Chairs/SM_Chair')])
  const before = await rowsOf()
  const { status, body } = await asMia().post('/push/undo', { batch_keys: [key], dry_run: true })
  expect([status, body.batches]).toEqual([200, [expect.objectContaining({ undone_at: null, versions: 2 })]])
  expect(body.lineages.map(({ current }: Json) => current?.object_id ?? null).sort()).toEqual(
    [first.results[0]?.object_id, null].sort(),
  )
  expect(await rowsOf()).toEqual(before)
  expect((await asMia().get(`/entries/${results[1]?.entry_id}`)).status).toBe(200)
})

type Use = (made: { entry: number; object: number; lineage: string; chair: Item }) => Promise<unknown>
const uses: [did: string, use: Use][] = [
  ['pulled', ({ entry }) => asMax().post('/pull-jobs', { target_project: 'Castle', entries: [{ entry_id: entry }] })],
  ['downloaded', ({ entry }) => asMax().get(`/entries/${entry}/download`)],
  ['reviewed', ({ entry, object }) => asMax().put(`/entries/${entry}/review`, { object_id: object, state: 'approved' })],
  ['commented', ({ entry }) => asMax().post(`/entries/${entry}/comments`, { body: 'Nice legs.' })],
  [
    'curated',
    async ({ entry }) => {
      const tag = (await asMax().post('/tags', { name: uniqueName('tag') })).body
      return asMax().put(`/entries/${entry}/tags/${tag.id}`, undefined)
    },
  ],
  ['curated', ({ entry }) => asMax().patch(`/entries/${entry}`, { category: 'seats' })],
  ['checked_out', ({ lineage }) => asMax().post('/locks', { lineage_id: lineage })],
  ['built_on', ({ chair }) => push(asMax(), [edited(chair)])],
  ['referred_to', ({ chair }) => push(asMax(), [file('Maps/L_Hall', { asset_class: 'World', ...needs(chair) })])],
  ['pushed', ({ chair }) => push(asMax(), [chair])],
]

test.each(uses)(
  'what someone else %s is not taken back, is named with who did it, and nothing of the push goes',
  async (did, use) => {
    const { lamp } = await library()
    const chair = file('Chairs/SM_Chair')
    const { key, results } = await push(asMia(), [chair, edited(lamp)])
    const [made] = results
    const answer = await use({ entry: made?.entry_id, object: made?.object_id, lineage: made?.lineage_id, chair })
    expect((answer as Json).status ?? 200, JSON.stringify(answer)).toBeLessThan(303)
    const before = await rowsOf()
    const refused = await undo(asMia(), key)
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('SM_Chair') })
    expect(refused.body.error.details.used).toEqual([
      expect.objectContaining({
        did,
        name: 'SM_Chair',
        lineage_id: made?.lineage_id,
        by: expect.objectContaining({ name: 'max' }),
      }),
    ])
    expect(await rowsOf()).toEqual(before)
  },
)

test('own pulls, reviews, comments, tags and check-outs do not keep a push, and an own order that waits is ended with the reason', async () => {
  const { lamp, first } = await library()
  const before = await rowsOf()
  const { key, results } = await push(asMia(), [file('Chairs/SM_Chair'), edited(lamp)])
  const [{ entry_id, object_id } = {} as Json, next = {} as Json] = results
  const job = (await asMia().post('/pull-jobs', { target_project: 'Castle', entries: [{ entry_id }] })).body
  await asMia().get(`/entries/${entry_id}/download`)
  await asMia().put(`/entries/${entry_id}/review`, { object_id, state: 'in_review' })
  await asMia().post(`/entries/${next.entry_id}/comments`, { body: 'Brighter.', object_id: next.object_id })
  const tag = (await asMia().post('/tags', { name: uniqueName('tag') })).body
  await asMia().put(`/entries/${entry_id}/tags/${tag.id}`, undefined)
  expect((await asMia().post('/locks', { lineage_id: next.lineage_id })).body.lock.base_object_id).toBe(next.object_id)
  await undone(asMia(), key)
  expect(await rowsOf()).toEqual(before)
  expect((await asMia().get(`/pull-jobs/${job.id}`)).body).toMatchObject({
    status: 'failed',
    failure_reason: expect.stringContaining('taken back'),
  })
  const { comments } = (await asMia().get(`/entries/${next.entry_id}/comments`)).body
  expect(comments).toMatchObject([{ body: 'Brighter.', object_id: null }])
  const { locks } = (await asMia().get(`/locks?lineage_id=${next.lineage_id}`)).body
  expect(locks).toMatchObject([{ base_object_id: first.results[0]?.object_id }])
})

test('pushes of someone else are as unknown as those that never were, and one of yesterday is too old', async () => {
  const { ofMax } = await library()
  const { key } = await push(asMia(), [file('Chairs/SM_Chair')])
  const unknown = 'push_00000000000000000000'
  for (const other of [ofMax.key, unknown]) {
    const { status, body } = await undo(asMia(), key, other)
    expect([status, body.error.code, body.error.details.unknown]).toEqual([404, 'NOT_FOUND', [other]])
    expect(body.error.message.replace(other, '')).toBe((await undo(asMia(), unknown)).body.error.message.replace(unknown, ''))
  }
  server.clock.advance(24 * 3_600_000 + 1)
  const old = await undo(asMia(), key)
  expect([old.status, old.body.error.details]).toEqual([409, { pushed_at: expect.any(String), hours: 24 }])
  server.clock.advance(7 * 24 * 3_600_000)
  await server.work.look()
  expect((await undo(asMia(), key)).status).toBe(404)
})

test('a push of known files has only its references and places to take back', async () => {
  const skin = file('Skins/T_Skin')
  const base = file('Template/BP_Base', { asset_class: 'Blueprint', ...needs(skin) })
  await push(asMax(), [skin, base], 'Red')
  const before = await rowsOf()
  const moved = { ...base, origin_path: '/Game/Template/BP_Base', missing_dependencies: ['/Game/Skins/T_Hat'] }
  const { key, results } = await push(asMia(), [skin, moved], 'Blue')
  expect(results.map(({ status }) => status)).toEqual(['dedup', 'dedup'])
  expect(await rowsOf()).not.toEqual(before)
  const answer = await undone(asMia(), key)
  expect([answer.lineages, answer.batches[0].versions]).toEqual([[], 0])
  expect(await rowsOf()).toEqual(before)
})

test('a level whose part is newer by a push has its part of before again; labels and groups that a push gave go', async () => {
  const actor = file('__ExternalActors__/Maps/L_Inn/0/1A/AAAA', { asset_class: 'Actor', entry: null })
  const level = file('Maps/L_Inn', { asset_class: 'World', ...needs(actor) })
  const lamp = file('Props/SM_Lamp')
  await push(asMia(), [actor, level, lamp])
  const before = await rowsOf()
  const moved = edited(actor)
  const one = await push(asMia(), [moved, { ...level, ...needs(moved) }])
  const grouped = { ...lamp, entry: { ...lamp.entry, variant_label: 'red', variant_group_ref: 'lamps' } }
  const { body } = await commitOf(asMia(), [edited(moved), grouped], { project: 'Inn', variant_groups: [{ ref: 'lamps' }] })
  expect(await rowsOf()).not.toEqual(before)
  await undone(asMia(), one.key, body.batch_key)
  expect(await rowsOf()).toEqual(before)
})

test('several pushes go together; of one alone, an own later version stays with what it continues', async () => {
  const { lamp, first } = await library()
  const before = await rowsOf()
  const [second, third] = [edited(lamp), edited(lamp)]
  const one = await push(asMia(), [second, file('Chairs/SM_Chair')])
  const two = await push(asMia(), [third, file('Maps/L_Yard', { asset_class: 'World', ...needs(second) })])
  const [{ object_id: kept, entry_id: entry } = {} as Json, yard = {} as Json] = two.results
  await undone(asMia(), one.key)
  const detail = (await asMia().get(`/lineages/${two.results[0]?.lineage_id}`)).body
  expect(detail).toMatchObject({ entry_id: entry, face_object_id: kept })
  expect(detail.objects.find(({ object_id }: Json) => object_id === kept)).toMatchObject({
    parent_object_id: first.results[0]?.object_id,
  })
  const { body } = await asMia().get(`/entries/${yard.entry_id}/closure?dependencies=current&project=Inn`)
  expect(body.members.map(({ content_hash }: Json) => content_hash)).toContain(third.content_hash)
  await undone(asMia(), one.key, two.key)
  expect(await rowsOf()).toEqual(before)
})

test('an order to pull and an undo at the same moment: one of them comes first, and no order names what is gone', async () => {
  for (let round = 0; round < 5; round++) {
    const { key, results } = await push(asMia(), [file(`Chairs/SM_Chair_${round}`)])
    const order = { target_project: 'Castle', entries: [{ entry_id: results[0]?.entry_id }] }
    const [ordered, taken] = await Promise.all([asMax().post('/pull-jobs', order), undo(asMia(), key)])
    expect([
      [201, 409],
      [404, 200],
      [409, 200],
    ]).toContainEqual([ordered.status, taken.status])
  }
  const { sql } = server.database
  const dangling = await sql`
    select 1 from pull_job_objects p where p.workspace_id = ${workspaceId}
       and not exists (select 1 from objects o where o.workspace_id = p.workspace_id and o.id = p.object_id)`
  expect(dangling).toHaveLength(0)
  expect(await asAdam().get('/entries')).toMatchObject({ status: 200 })
})

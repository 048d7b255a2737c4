/**
 * Answers that are made of several rows say what was true at one moment. On PostgreSQL a writer does its work between two statements of
 * a reader, which is stopped on its wire; with the embedded database readers and writers come in turn, as close together as they can.
 */
import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { type Item, item, manifestOf, pushed, uniqueName, upload } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { StatementWire } from '../support/statement-wire.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const between = test.runIf(isPostgres)
let server: TestServer
let wire: StatementWire
let mia: Caller
let adam: Caller

beforeAll(async () => {
  if (isPostgres) ({ server, wire } = await startWiredServer())
  else server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  ;[mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
})

const ok = (answer: Answer, status = 200): Json => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  return answer.body
}
/** What `request` answers when `meanwhile` comes before its first statement that matches. */
const read = async (request: () => Promise<Answer>, before: RegExp, meanwhile: () => Promise<void>): Promise<Json> =>
  ok(await interrupted(wire, { request, before, meanwhile }))

/** An entry with two versions, of which the second one is current. */
async function twoVersions() {
  const first = item()
  const [made = {}] = await pushed(mia, [first])
  const { lineage_id, entry_id } = made
  const stamp = { asset_name: first.asset_name, stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash }
  const [next = {}] = await pushed(mia, [item(stamp)])
  const restore = async (object_id: number) => {
    ok(await mia.post(`/entries/${entry_id}/restore`, { object_id }))
  }
  return { entry_id, lineage_id, older: made.object_id, newer: next.object_id, restore }
}
const faceOf = ({ objects }: Json): number => objects.find(({ is_face }: Json) => is_face).object_id
const newEntry = async (over: Json = {}): Promise<Json> => (await pushed(mia, [item(over)]))[0] ?? {}
const deletion = (entry: Json) => async () => {
  ok(await adam.del(`/entries/${entry.entry_id}`), 204)
}

test('a lineage names one current version, and a collection as many entries as it lists, while both change all the time', async () => {
  const { lineage_id, older, newer, restore, entry_id } = await twoVersions()
  const { id } = ok(await mia.post('/collections', { name: uniqueName('Col') }), 201)
  const member = `/collections/${id}/entries/${entry_id}`
  for (let round = 0; round < 10; round++) {
    const reads = Array.from({ length: 6 }, (_, at) => adam.get(at % 2 ? `/lineages/${lineage_id}` : `/collections/${id}`))
    const writes = [restore(round % 2 ? newer : older), round % 2 ? mia.del(member) : mia.put(member, undefined)]
    const more = Array.from({ length: 6 }, (_, at) => adam.get(at % 2 ? `/lineages/${lineage_id}` : `/collections/${id}`))
    for (const answer of await Promise.all([...reads, ...more])) {
      const body = ok(answer)
      if (body.objects) expect(faceOf(body)).toBe(body.face_object_id)
      else expect(body.entries).toHaveLength(body.entry_count)
    }
    await Promise.all(writes)
  }
})

between('a lineage names the version that is current as the one that is marked so', postgresOnly, async () => {
  const { lineage_id, older, restore } = await twoVersions()
  const body = await read(
    () => mia.get(`/lineages/${lineage_id}`),
    /as is_face/,
    () => restore(older),
  )
  expect(faceOf(body)).toBe(body.face_object_id)
})

between.each([
  ['collections', /collection_entries x join collections/, 'collections'],
  ['tags', /entry_tags x cross join lateral/, 'tags'],
])('an entry with %s that came after a new name has the new name', postgresOnly, async (_what, before, field) => {
  const { entry_id } = await newEntry()
  const { id } = ok(await mia.post(`/${field}`, { name: uniqueName('N') }), 201)
  const body = await read(
    () => mia.get(`/entries/${entry_id}`),
    before,
    async () => {
      ok(await mia.patch(`/entries/${entry_id}`, { name: 'Renamed' }))
      const path = field === 'tags' ? `/entries/${entry_id}/tags/${id}` : `/collections/${id}/entries/${entry_id}`
      ok(await mia.put(path, undefined), 204)
    },
  )
  expect(body[field].length === 1).toBe(body.name === 'Renamed')
})

between('a record of the change feed with a tag that came after a new name has the new name', postgresOnly, async () => {
  const { cursor } = ok(await mia.post('/lineages/find', {}))
  const { entry_id } = await newEntry()
  const { id } = ok(await mia.post('/tags', { name: uniqueName('tag') }), 201)
  const { changes } = await read(
    () => mia.get(`/catalog/changes?cursor=${cursor}&expand=true`),
    /entry_tags x cross join lateral/,
    async () => {
      ok(await mia.patch(`/entries/${entry_id}`, { name: 'Renamed' }))
      ok(await mia.put(`/entries/${entry_id}/tags/${id}`, undefined), 204)
    },
  )
  const { record } = changes.find(({ entity }: Json) => entity === 'entry')
  expect(record.tags.length === 1).toBe(record.name === 'Renamed')
})

between('one page of the change feed says of an entry and of its lineage the same current version', postgresOnly, async () => {
  const { cursor } = ok(await mia.post('/lineages/find', {}))
  const { lineage_id, entry_id, older, restore } = await twoVersions()
  const { changes } = await read(
    () => mia.get(`/catalog/changes?cursor=${cursor}&expand=true`),
    /l\.anchor, o\.package_guid/,
    () => restore(older),
  )
  const recordOf = (is: (change: Json) => boolean) => changes.find(is).record
  const entry = recordOf(({ entity, entity_id }) => entity === 'entry' && entity_id === entry_id)
  expect(recordOf(({ entity, lineage_id: of }) => entity === 'object' && of === lineage_id).face_object_id).toBe(entry.object_id)
})

between('a collection counts the entries that it lists', postgresOnly, async () => {
  const entry = await newEntry()
  const { id } = ok(await mia.post('/collections', { name: uniqueName('Col') }), 201)
  const body = await read(
    () => mia.get(`/collections/${id}`),
    /from collection_entries x cross join lateral/,
    async () => {
      ok(await mia.put(`/collections/${id}/entries/${entry.entry_id}`, undefined), 204)
    },
  )
  expect(body.entries).toHaveLength(body.entry_count)
})

between('the queue of thumbnails has as many as it lists', postgresOnly, async () => {
  const { url, keys } = await server.addWorkspace()
  const owner = callAs(url, keys.olivia)
  const [{ entry_id, object_id } = {}] = await pushed(owner, [item()])
  const picture = await pngOf(3, 3)
  const body = await read(
    () => owner.get('/push/thumbnail-refresh-queue'),
    /as total from entries/,
    async () => {
      ok(await owner.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, picture))
    },
  )
  expect(body.items).toHaveLength(body.total)
})

/** Before the edges are read, and before what they lead to is. */
const steps = [/with recursive edges/, /o\.thumbnail_artifact_id is not null, /]

between.each(steps)('a closure is what it was, or is not there: before %s its entry is deleted', postgresOnly, async (before) => {
  const [needed, user] = [item(), item()]
  user.dependencies = [{ content_hash: needed.content_hash }]
  const [base = {}, top = {}] = await pushed(mia, [needed, user])
  const request = () => mia.get(`/entries/${top.entry_id}/closure`)
  const { status, body } = await interrupted(wire, { request, before, meanwhile: deletion(top) })
  if (status === 404) return expect(body.error.code).toBe('ENTRY_NOT_FOUND')
  expect(body.members.map(({ object_id }: Json) => object_id)).toEqual([top.object_id, base.object_id])
})

between.each(steps)(
  'dependents have every version on the way to them: before %s one is deleted',
  postgresOnly,
  async (before) => {
    const [needed, user] = [item(), item()]
    user.dependencies = [{ content_hash: needed.content_hash }]
    const [base = {}, top = {}] = await pushed(mia, [needed, user])
    const { members, used_by_entries } = await read(() => mia.get(`/entries/${base.entry_id}/dependents`), before, deletion(top))
    const isThere = (await mia.get(`/entries/${top.entry_id}`)).status === 200
    expect([members.length, used_by_entries, isThere]).toEqual([0, 0, false])
  },
)

between('the root of a closure is the current version of the entry that was asked for', postgresOnly, async () => {
  const { entry_id, newer, older, restore } = await twoVersions()
  const body = await read(
    () => mia.get(`/entries/${entry_id}/closure`),
    /with recursive edges/,
    () => restore(older),
  )
  expect([older, newer]).toContain(body.root_object_id)
  expect(body.members).toMatchObject([{ object_id: body.root_object_id, entry_id }])
})

between('every version that is found by its bytes has its lineage in the same answer', postgresOnly, async () => {
  const one = item()
  const [made = {}] = await pushed(mia, [one])
  const { lineages, versions } = await read(
    () => mia.post('/lineages/find', { content_hashes: [one.content_hash] }),
    /as face_content_hash/,
    deletion(made),
  )
  expect(lineages.map(({ id }: Json) => id)).toEqual(versions.map(({ lineage_id }: Json) => lineage_id))
})

between('the plan of an order has the files of every entry in it', postgresOnly, async () => {
  const entry = await newEntry()
  const { entries, closure } = await read(
    () => mia.post('/pull-jobs/plan', { target_project: uniqueName('Proj'), entries: [{ entry_id: entry.entry_id }] }),
    /from objects o where o.workspace_id = \$\d+ and o.id in/,
    deletion(entry),
  )
  expect(closure.objects.map(({ object_id }: Json) => object_id)).toEqual(entries.map(({ object_id }: Json) => object_id))
})

between('negotiate never takes bytes for the next version of themselves', postgresOnly, async () => {
  const one: Item = item({ package_guid: '00112233445566778899AABBCCDDEEFF' })
  await upload(mia, [one])
  const { items } = await read(
    () => mia.post('/push/negotiate', manifestOf([one])),
    /from package_guids/,
    async () => {
      ok(await adam.post('/push/commit', manifestOf([one])))
    },
  )
  expect(items[0].face_content_hash).not.toBe(one.content_hash)
})

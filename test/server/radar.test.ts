// The radar: what goes on around lineages that someone is about to edit (contract-gaps 9).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { lockIt, newProp, nextOf, ok, type Prop, refused } from '../support/check-out.ts'
import { type Item, item, plainFile, pushed, uniqueName } from '../support/push.ts'
import { pick, seeded } from '../support/random-library.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { url, keys } = await server.addWorkspace()
const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
const reads = callAs(url, keys.miaReads)

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })
const radar = async (...props: Json[]): Promise<Json[]> =>
  ok(await reads.post('/locks/radar', { lineage_ids: props.map(({ lineage_id }) => lineage_id) })).lineages
/** As `<relation> <lock id>`. */
const around = ({ locks }: Json): string[] => locks.map(({ lock, relation }: Json) => `${relation} ${lock.id}`)

/** mesh needs material needs texture, and a level needs the mesh. */
async function chain() {
  const texture = plainFile()
  const material = plainFile(needs(texture))
  const mesh = item(needs(material))
  const level = item(needs(mesh))
  const results = await pushed(mia, [texture, material, mesh, level])
  const prop = (at: number, one: Item): Prop => ({ ...(results[at] as Json), item: one })
  return { texture: prop(0, texture), material: prop(1, material), mesh: prop(2, mesh), level: prop(3, level) }
}

test('locks on the lineage, on all it needs and on what needs it directly are listed, the nearest first', async () => {
  const { texture, material, mesh, level } = await chain()
  const [far, near] = [await lockIt(max, texture), await lockIt(mia, material)]
  const [self, user] = [await lockIt(adam, mesh), await lockIt(max, level)]
  const [found = {}] = await radar(mesh)
  expect(around(found)).toEqual([`self ${self.id}`, `dependency ${near.id}`, `dependent ${user.id}`, `dependency ${far.id}`])
  expect(found).toMatchObject({ lineage_id: mesh.lineage_id, review_status: 'draft', more_locks: 0, editors: [] })
  expect(found.locks.map(({ lock }: Json) => lock)).toEqual([self, near, user, far])
  expect(found.locks.map(({ entry_id }: Json) => entry_id)).toEqual([mesh.entry_id, null, level.entry_id, null])
  const [below = {}, above = {}] = await radar(texture, level)
  expect(around(below), 'what needs it through others is not near').toEqual([`self ${far.id}`, `dependent ${near.id}`])
  expect(around(above)).toEqual([`self ${user.id}`, ...[self, near, far].map(({ id }) => `dependency ${id}`)])
})

test('locks that were released or are over do not show', async () => {
  const { texture, material, mesh } = await chain()
  const released = await lockIt(max, material)
  ok(await max.del(`/locks/${released.id}`), 204)
  await lockIt(max, texture, { ttl_hours: 1 })
  server.clock.advance(3_600_000)
  expect(around((await radar(mesh))[0] as Json)).toEqual([])
})

test('each lineage says how its current version stands in review, from the request to the next version', async () => {
  const { mesh, level } = await chain()
  const { id: reviewer } = ok(await max.get('/members/me'))
  const states = async () => (await radar(mesh, level)).map(({ review_status }) => review_status)
  const asked = { object_id: mesh.object_id, reviewer_ids: [reviewer] }
  const { request } = ok(await mia.post(`/entries/${mesh.entry_id}/review-requests`, asked), 201)
  expect(await states()).toEqual(['in_review', 'draft'])
  const respond = (response: string) => max.post(`/review-requests/${request.id}/respond`, { response })
  ok(await respond('changes_requested'))
  expect(await states()).toEqual(['changes_requested', 'draft'])
  ok(await respond('approved'))
  expect(await states()).toEqual(['approved', 'draft'])
  await pushed(mia, [nextOf(mesh)])
  expect(await states()).toEqual(['draft', 'draft'])
  ok(await mia.post(`/entries/${mesh.entry_id}/restore`, { object_id: mesh.object_id }))
  expect(await states()).toEqual(['approved', 'draft'])
})

test('who needs an older version of it by their current one is a dependent; who needed it before is none', async () => {
  const { material, mesh } = await chain()
  await pushed(mia, [nextOf(material)])
  const lock = await lockIt(max, mesh)
  expect(around((await radar(material))[0] as Json)).toEqual([`dependent ${lock.id}`])
  await pushed(max, [nextOf(mesh)])
  expect(around((await radar(material))[0] as Json)).toEqual([])
})

test('lineages that need each other show each lock once', async () => {
  const [one, other] = [item(), item()]
  Object.assign(one, needs(other))
  Object.assign(other, needs(one))
  const results = await pushed(mia, [one, other])
  const lock = await lockIt(max, results[1] as Prop)
  const [first = {}, second = {}] = await radar(...results)
  expect([around(first), around(second)]).toEqual([[`dependency ${lock.id}`], [`self ${lock.id}`]])
})

test('over random graphs with cycles it names exactly what a plain walk finds', async () => {
  for (const seed of [3, 7]) {
    const random = seeded(seed)
    const items = Array.from({ length: 30 }, () => item())
    for (const one of items) Object.assign(one, needs(...new Set([pick(random, items), pick(random, items)])))
    for (const one of items)
      one.dependencies = one.dependencies.filter(({ content_hash }: Json) => content_hash !== one.content_hash)
    const results = await pushed(mia, items)
    const lineageOf = new Map(results.map(({ content_hash, lineage_id }) => [content_hash, lineage_id as string]))
    const needsOf = new Map(
      items.map((one) => [lineageOf.get(one.content_hash), one.dependencies.map((d: Json) => lineageOf.get(d.content_hash))]),
    )
    const locked = results.filter(() => random(3) === 0).map(({ lineage_id }) => lineage_id as string)
    ok(await max.post('/locks/batch', { lineage_ids: locked }), 201)
    for (const { lineage_id, locks } of await radar(...results)) {
      const closure = new Set<string>([lineage_id])
      for (const id of closure) for (const need of needsOf.get(id) as string[]) closure.add(need)
      const users = [...needsOf].flatMap(([user, needed]) => (needed.includes(lineage_id) ? [user as string] : []))
      const wanted = locked.filter((id) => closure.has(id) || users.includes(id))
      expect(locks.map(({ lock }: Json) => lock.lineage_id).sort()).toEqual(wanted.sort())
    }
  }
})

test('more than a hundred locks around a lineage are counted, and the nearest listed', async () => {
  const parts = Array.from({ length: 101 }, () => plainFile())
  const mesh = item(needs(...parts))
  const results = await pushed(mia, [...parts, mesh])
  ok(await max.post('/locks/batch', { lineage_ids: results.map(({ lineage_id }) => lineage_id) }), 201)
  const [found = {}] = await radar(results.at(-1) as Json)
  expect([found.locks.length, found.more_locks, found.locks[0].relation]).toEqual([100, 2, 'self'])
})

const heartbeat = (who: ReturnType<typeof callAs>, project_key: string, more: Json = {}) => {
  const session_id = uniqueName('ed').replaceAll('_', '-')
  const said = { session_id, project_key, accepts_agent_imports: false, heartbeat_interval_seconds: 100, ...more }
  return who.post('/editor-sessions/heartbeat', said).then((answer) => ok(answer).session_id as string)
}

/** Brings the entry into the project. */
async function pull(entry_id: number, target_project: string): Promise<void> {
  const { id } = ok(await mia.post('/pull-jobs', { target_project, entries: [{ entry_id }] }), 201)
  const { claim_token } = ok(await mia.post(`/pull-jobs/${id}/claim`, { project_key: target_project, engine_version: '5.4.0' }))
  const { objects } = ok(await mia.get(`/pull-jobs/${id}/closure`))
  const added = objects.map(({ asset_name, origin_path, content_hash, lineage_id }: Json) => ({
    ...{ asset_name, destination: origin_path, content_hash, lineage_id, action: 'add' },
  }))
  ok(await mia.patch(`/pull-jobs/${id}`, { status: 'running', claim_token }))
  const report_json = { added, skipped_identical: [], conflicts: [], failed: [] }
  ok(await mia.patch(`/pull-jobs/${id}`, { status: 'done', claim_token, report_json }))
}

test('online editors of projects into which it was pulled are listed, also where it came as a part of something else', async () => {
  const { texture, mesh, level } = await chain()
  const [pulled, ordered, other] = [uniqueName('Pulled'), uniqueName('Ordered'), uniqueName('Other')]
  await pull(mesh.entry_id, pulled)
  ok(await mia.post('/pull-jobs', { target_project: ordered, entries: [{ entry_id: mesh.entry_id }] }), 201)
  const session_id = await heartbeat(max, pulled)
  await heartbeat(max, pulled.toUpperCase())
  await Promise.all([heartbeat(max, ordered), heartbeat(adam, other)])
  const { id } = ok(await max.get('/members/me'))
  const editor = { session_id, project_key: pulled, user: { id, name: 'max', display_name: 'max' } }
  const editorsOf = async () => (await radar(mesh, texture, level)).map(({ editors }) => editors)
  expect(await editorsOf()).toEqual([[editor], [editor], []])
  await pushed(mia, [nextOf(mesh)])
  expect(await editorsOf(), 'an older version was pulled').toEqual([[editor], [editor], []])
  server.clock.advance(316_000)
  expect(await editorsOf(), 'not seen for more than three heartbeats').toEqual([[], [], []])
  await heartbeat(max, pulled, { session_id })
  expect(await editorsOf()).toEqual([[editor], [editor], []])
  ok(await max.del(`/editor-sessions/${session_id}`), 204)
  expect(await editorsOf()).toEqual([[], [], []])
})

test('a lineage that is nowhere, or in another workspace, is named; a name that comes twice is answered once', async () => {
  const elsewhere = await server.addWorkspace()
  const theirs = await newProp(callAs(elsewhere.url, elsewhere.keys.mia))
  const own = await newProp(mia)
  const lineage_ids = ['lin_nobody', own.lineage_id, theirs.lineage_id]
  const details = refused(await reads.post('/locks/radar', { lineage_ids }), 404, 'LINEAGE_NOT_FOUND')
  expect(details).toEqual({ missing: ['lin_nobody', theirs.lineage_id] })
  expect(await radar(own, own)).toHaveLength(1)
})

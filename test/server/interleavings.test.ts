/**
 * Two requests in the one order of their statements that hurts: the first is stopped on its wire to PostgreSQL, the second does its work,
 * and the first goes on with what it has read. The embedded database has one session: there a transaction is never interrupted.
 */
import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { lockWaits } from '../support/lock-waits.ts'
import { pngOf } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { commitOf, type Item, item, pushed, uniqueName, upload } from '../support/push.ts'
import type { TestServer } from '../support/server.ts'
import type { StatementWire } from '../support/statement-wire.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const race = test.runIf(isPostgres)
/** Where every writer holds the lineages that it is about to change. */
const holding = /select held\.id/

let server: TestServer
let wire: StatementWire
let mia: Caller
let adam: Caller
let max: Caller

beforeAll(async () => {
  ;({ server, wire } = await startWiredServer())
  const { url, keys } = await server.addWorkspace()
  ;[mia, adam, max] = [callAs(url, keys.mia), callAs(url, keys.adam), callAs(url, keys.max)]
})

const inPack = (pack: string, over: Json = {}): Item => {
  const asset_name = over.asset_name ?? uniqueName('SM')
  return item({ asset_name, origin_path: `/Game/${pack}/Props/${asset_name}`, ...over })
}
const nextOf = (first: Item, made: Json, pack: string): Item =>
  inPack(pack, {
    asset_name: first.asset_name,
    stamped_lineage_id: made.lineage_id,
    stamped_base_hash: first.content_hash,
  })
const push = async (...items: Item[]): Promise<Json[]> => pushed(mia, items)
const detail = async (id: number): Promise<Json> => (await mia.get(`/entries/${id}`)).body
/**
 * Until someone waits for a lock that another one has: in the database, or, for the lock of a workspace, in the server, which takes the
 * transaction back meanwhile.
 */
const someoneWaits = () => {
  const takenBack = () => wire.executed.filter((text) => /^rollback/i.test(text)).length
  const before = takenBack()
  const isWaiting = async () => takenBack() > before || (await lockWaits(server.database.sql)).length > 0
  return expect.poll(isWaiting, { timeout: 60_000 }).toBe(true)
}
const ok = (answer: Answer | undefined, status = 200): Json => {
  expect(answer?.status, JSON.stringify(answer?.body)).toBe(status)
  return answer?.body
}

race('an entry that is restored out of a pack while that is deleted stays, with its whole history', postgresOnly, async () => {
  const [doomed, other] = [uniqueName('Pack'), uniqueName('Pack')]
  const first = inPack(other)
  const [made = {}] = await push(first)
  const [next = {}] = await push(nextOf(first, made, doomed))
  const { pack } = await detail(made.entry_id)
  expect(pack.name).toBe(doomed)
  const answer = await interrupted(wire, {
    request: () => adam.del(`/packs/${pack.id}`),
    before: holding,
    meanwhile: async () => {
      ok(await mia.post(`/entries/${made.entry_id}/restore`, { object_id: made.object_id }))
    },
  })
  expect(ok(answer)).toMatchObject({ deleted_entries: 0, deleted_objects: 0, kept_shared_objects: 1 })
  expect(await detail(made.entry_id)).toMatchObject({ object_id: made.object_id, pack: { name: other } })
  const { objects } = ok(await mia.get(`/lineages/${made.lineage_id}`))
  expect(objects.map(({ object_id }: Json) => object_id)).toEqual([next.object_id, made.object_id])
  expect((await mia.get(`/packs/${pack.id}`)).status).toBe(404)
})

race(
  'an entry that PATCH moves out of a pack while that is deleted stays, and those that still show the pack go',
  postgresOnly,
  async () => {
    const [doomed, other] = [uniqueName('Pack'), uniqueName('Pack')]
    const first = inPack(other)
    const [made = {}] = await push(first)
    const [, lonely = {}] = await push(nextOf(first, made, doomed), inPack(doomed))
    const { pack } = await detail(made.entry_id)
    const answer = await interrupted(wire, {
      request: () => adam.del(`/packs/${pack.id}`),
      before: holding,
      meanwhile: async () => {
        ok(await mia.patch(`/entries/${made.entry_id}`, { object_id: made.object_id, name: 'Moved' }))
      },
    })
    expect(ok(answer)).toMatchObject({ deleted_entries: 1, deleted_objects: 1, kept_shared_objects: 1 })
    expect(await detail(made.entry_id)).toMatchObject({ name: 'Moved', pack: { name: other } })
    expect((await mia.get(`/entries/${lonely.entry_id}`)).status).toBe(404)
  },
)

race(
  'a version whose pack is deleted while it is being restored is held in its next pack: renaming that one waits',
  postgresOnly,
  async () => {
    const [home, doomed, other] = [uniqueName('Pack'), uniqueName('Pack'), uniqueName('Pack')]
    await push(inPack(home))
    const first = inPack(doomed)
    const [made = {}] = await push(first)
    // The version goes to the older one of the two packs that need it: that of its user, and that of the entry.
    const [user = {}] = await push(inPack(home, { dependencies: [{ content_hash: first.content_hash }] }))
    await push(nextOf(first, made, other))
    const idOf = async (name: string) =>
      ok(await mia.get('/packs?limit=200')).packs.find((pack: Json) => pack.name === name).id as number
    const [homeId, doomedId] = [await idOf(home), await idOf(doomed)]
    let restoring: Promise<Answer> | undefined
    const moving = wire.stopBefore(/update lineages\s+set face_object_id/)
    const deleted = await interrupted(wire, {
      request: () => adam.del(`/packs/${doomedId}`),
      before: holding,
      meanwhile: async () => {
        restoring = mia.post(`/entries/${made.entry_id}/restore`, { object_id: made.object_id })
        await someoneWaits()
      },
    })
    expect(ok(deleted)).toMatchObject({ deleted_entries: 0, kept_shared_objects: 1 })
    await moving.reached
    const renamed = uniqueName('Renamed')
    const renaming = max.patch(`/packs/${homeId}`, { name: renamed })
    try {
      await someoneWaits()
    } finally {
      moving.goOn()
    }
    ok(await restoring)
    ok(await renaming)
    expect(await detail(made.entry_id)).toMatchObject({ object_id: made.object_id, pack: { id: homeId, name: renamed } })
    expect((await detail(user.entry_id)).pack.id).toBe(homeId)
    const { changes } = ok(await mia.get('/catalog/changes?cursor=0&limit=1000'))
    const shown = changes.filter(({ entity }: Json) => entity === 'entry').slice(-3)
    expect(shown.map(({ entity_id }: Json) => entity_id)).toContain(made.entry_id)
  },
)

race(
  'an order of a collection leaves out what is deleted before the entries can be held, and takes the rest',
  postgresOnly,
  async () => {
    const [one = {}, two = {}] = await push(item(), item())
    const { id } = ok(await mia.post('/collections', { name: uniqueName('Col') }), 201)
    ok(await mia.post(`/collections/${id}/entries/bulk`, { entry_ids: [one.entry_id, two.entry_id], action: 'add' }))
    const answer = await interrupted(wire, {
      request: () => mia.post('/pull-jobs', { target_project: uniqueName('Proj'), collection_id: id }),
      before: holding,
      meanwhile: async () => {
        ok(await adam.del(`/entries/${one.entry_id}`), 204)
      },
    })
    expect(ok(answer, 201).entries.map(({ entry_id }: Json) => entry_id)).toEqual([two.entry_id])
  },
)

race('an order of a collection brings what was in it: putting more into it waits', postgresOnly, async () => {
  const [one = {}, two = {}] = await push(item(), item())
  const { id } = ok(await mia.post('/collections', { name: uniqueName('Col') }), 201)
  ok(await mia.put(`/collections/${id}/entries/${one.entry_id}`, undefined), 204)
  let adding: Promise<Answer> | undefined
  const answer = await interrupted(wire, {
    request: () => mia.post('/pull-jobs', { target_project: uniqueName('Proj'), collection_id: id }),
    before: holding,
    meanwhile: async () => {
      adding = max.put(`/collections/${id}/entries/${two.entry_id}`, undefined)
      await someoneWaits()
    },
  })
  expect(ok(answer, 201)).toMatchObject({ entry_count: 1, entries: [{ entry_id: one.entry_id }] })
  ok(await adding, 204)
})

race(
  'a file that is put on the denylist while a push registers it: the word that it is on there comes after the push',
  postgresOnly,
  async () => {
    const file = item()
    await upload(mia, [file])
    let denying: Promise<Answer> | undefined
    const { bytes: _bytes, ...row } = file
    const answer = await interrupted(wire, {
      request: () => mia.post('/push/commit', { items: [row] }),
      before: /insert into objects/,
      meanwhile: async () => {
        denying = adam.post('/admin/denylist', { kind: 'content_hash', value: file.content_hash })
        await someoneWaits()
      },
    })
    expect(ok(answer).summary).toMatchObject({ new: 1 })
    ok(await denying, 201)
    expect(ok(await mia.post('/push/commit', { items: [row] })).summary).toMatchObject({ denied: 1 })
  },
)

race('asking for new thumbnails of an entry that is deleted meanwhile changes nothing and names it', postgresOnly, async () => {
  const [one = {}, two = {}] = await push(item(), item())
  const answer = await interrupted(wire, {
    request: () => adam.post('/admin/previews/refresh', { entry_ids: [one.entry_id, two.entry_id] }),
    before: holding,
    meanwhile: async () => {
      ok(await adam.del(`/entries/${one.entry_id}`), 204)
    },
  })
  expect(ok(answer, 404).error).toMatchObject({ code: 'ENTRY_NOT_FOUND', details: { missing: [one.entry_id] } })
})

race('asking for new thumbnails of all entries counts those that are there: deleting one waits', postgresOnly, async () => {
  const { url, keys } = await server.addWorkspace()
  const owner = callAs(url, keys.olivia)
  const [one = {}] = await pushed(owner, [item(), item()])
  let deleting: Promise<Answer> | undefined
  const answer = await interrupted(wire, {
    request: () => owner.post('/admin/previews/refresh', { all: true }),
    before: holding,
    meanwhile: async () => {
      deleting = owner.del(`/entries/${one.entry_id}`)
      await someoneWaits()
    },
  })
  expect(ok(answer)).toEqual({ affected: 2 })
  ok(await deleting, 204)
})

race(
  'a project was last used by the order that came last, even where an earlier one is recorded after it',
  postgresOnly,
  async () => {
    const [one = {}, two = {}] = await push(item(), item())
    const target_project = uniqueName('Proj')
    let later = ''
    const answer = await interrupted(wire, {
      request: () => mia.post('/pull-jobs', { target_project, entries: [{ entry_id: one.entry_id }] }),
      before: /insert into projects/,
      meanwhile: async () => {
        server.clock.advance(3_600_000)
        const job = ok(await max.post('/pull-jobs', { target_project, entries: [{ entry_id: two.entry_id }] }), 201)
        later = job.created_at
      },
    })
    ok(answer, 201)
    const { projects } = ok(await mia.get('/projects'))
    expect(projects.find(({ name }: Json) => name === target_project).last_used_at).toBe(later)
  },
)

race.for([
  { moment: 'before its versions are held', before: holding, isDeletedFirst: true },
  { moment: 'when they are held', before: /update artifacts a set/, isDeletedFirst: false },
])('an entry that is deleted while its media are finalized, $moment: what is counted is what is kept', async (scene) => {
  const { url, keys, slug } = await server.addWorkspace()
  const owner = callAs(url, keys.olivia)
  const [made = {}] = await pushed(owner, [item()])
  const { entry_id, object_id } = made
  const wish = { entry_id, object_id, kind: 'thumbnail' }
  const { targets } = ok(await owner.post('/entries/media/presign', { items: [wish] }))
  const { upload_url, headers, artifact_id } = targets[0]
  const body = new Uint8Array(await pngOf(3, 3))
  expect((await fetch(upload_url, { method: 'PUT', headers, body })).status).toBe(200)
  await server.ledger.written()
  let deleting: Promise<Answer> | undefined
  const answer = await interrupted(wire, {
    request: () => owner.post('/entries/media/finalize', { items: [{ ...wish, artifact_id }] }),
    before: scene.before,
    meanwhile: async () => {
      deleting = owner.del(`/entries/${entry_id}`)
      if (scene.isDeletedFirst) await deleting
      else await someoneWaits()
    },
  })
  ok(await deleting, 204)
  expect(answer.status).toBe(scene.isDeletedFirst ? 404 : 200)
  const [row] = await server.database.sql<{ stored: number; loose: number }[]>`
    select w.stored_bytes as stored, (select coalesce(sum(size), 0)::bigint from loose_files l where l.workspace_id = w.id and l.is_counted) as loose
      from workspaces w where w.slug = ${slug}`
  const waiting = scene.isDeletedFirst ? body.length : 0
  expect(row).toEqual({ stored: waiting, loose: waiting })
})

race(
  'an order that has looked what it brings, while the push of one of these files is taken back, is refused and may come again',
  postgresOnly,
  async () => {
    const [texture, level] = [inPack(uniqueName('Pack'), { entry: null }), inPack(uniqueName('Pack'))]
    const { batch_key } = ok(await commitOf(mia, [texture]))
    const [made = {}] = await push({ ...level, dependencies: [{ content_hash: texture.content_hash }] })
    const order = () => max.post('/pull-jobs', { target_project: uniqueName('Proj'), entries: [{ entry_id: made.entry_id }] })
    const refused = await interrupted(wire, {
      request: order,
      before: /insert into pull_job_objects/,
      meanwhile: async () => ok(await mia.post('/push/undo', { batch_keys: [batch_key] })),
    })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(ok(await order(), 201).object_count).toBe(1)
  },
)

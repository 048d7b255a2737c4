// A mirror holds what the server lists: after a load, after every kind of change, and whatever happens while it is loaded.
import { expect, test } from 'vitest'
import type { Api } from '../../../client/http/api.ts'
import { followOnce } from '../../../client/mirror/follow.ts'
import { loadMirror } from '../../../client/mirror/load/load.ts'
import type { MirrorNews } from '../../../client/mirror/load/news.ts'
import { mirrorReport } from '../../../client/mirror/report.ts'
import { ApiError } from '../../../contract/errors.ts'
import { callAs } from '../../support/api.ts'
import { callsOf, expectSame, mirrorOf } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { changeLibrary, seeded, writeLibrary } from '../../support/random-library.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const server = await startTestServer()

async function newLibrary(seed: number, atLeast = 50) {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const library = await writeLibrary(server.database.sql, { workspaceId, random: seeded(seed), most: 0 })
  // The server tells of every entry of a group that changed; what is written past it does not.
  library.groupIds = []
  await changeLibrary(library, atLeast)
  return { url, keys, library, workspaceId, api: callsOf(url, keys.adam), caller: callAs(url, keys.adam) }
}

/** A server of the specification alone: no export, no records in the feed, no questions about many. */
function plainServer(api: Api, over: Partial<Api['entries']> = {}): Api {
  const absent = () => {
    throw new ApiError('NOT_FOUND')
  }
  return {
    ...api,
    changes: { ...api.changes, list: ({ expand: _, ...question } = {}) => api.changes.list(question), export: absent },
    entries: { ...api.entries, find: async () => absent(), ...over },
  }
}

test('after a load and after every kind of change it is as the server lists it', async () => {
  const { url, api, caller } = await newLibrary(1)
  const mirror = mirrorOf(url)
  await loadMirror(mirror, api)
  await expectSame(mirror, api)
  const [one, two, three] = await pushed(caller, [item(), item(), item()])
  const tag = await api.tags.create({ name: 'new words' })
  await api.tags.assign({ entry_id: one.entry_id, tag_id: tag.id })
  await api.locks.create({ lineage_id: two.lineage_id })
  await api.entries.update({ entry_id: two.entry_id, name: 'SM_Renamed', category: 'Fresh', status: 'deprecated' })
  expect(await followOnce(mirror, api)).toMatchObject({ reset: false })
  await expectSame(mirror, api)
  const { locks } = await api.locks.list({ active: true })
  await api.locks.remove({ lock_id: locks[0]?.id ?? 0 })
  await api.tags.update({ tag_id: tag.id, name: 'other words' })
  await api.entries.remove({ entry_id: three.entry_id })
  await api.packs.update({ pack_id: (await api.entries.get({ entry_id: one.entry_id })).pack.id, name: 'Renamed pack' })
  const { cursor, head, applied } = await followOnce(mirror, api)
  expect([cursor, applied > 0]).toEqual([head, true])
  await expectSame(mirror, api)
  expect(mirrorReport(mirror)).toMatchObject({ state: 'current', cursor, head, lag_seconds: 0 })
})

test('the states of reviews follow, also back to a draft', async () => {
  const { url, api, caller } = await newLibrary(2, 3)
  const [one] = await pushed(caller, [item()])
  const mirror = mirrorOf(url)
  await loadMirror(mirror, api)
  for (const status of ['approved', 'changes_requested', 'draft'] as const) {
    await caller.put(`/entries/${one.entry_id}/review`, { status })
    await followOnce(mirror, api)
    await expectSame(mirror, api)
  }
})

test('records that come twice change nothing', async () => {
  const { url, api, caller, library } = await newLibrary(3)
  const mirror = mirrorOf(url)
  await loadMirror(mirror, api)
  const before = mirror.meta('cursor') ?? 0
  await pushed(caller, [item(), item()])
  await changeLibrary(library, 10)
  await followOnce(mirror, api)
  mirror.write((_, put) => put({ cursor: before }))
  expect((await followOnce(mirror, api)).applied).toBeGreaterThan(0)
  await expectSame(mirror, api)
})

test('what is deleted, changed and pushed while it is loaded is as the server has it', async () => {
  const { url, api, library } = await newLibrary(4, 600)
  const mirror = mirrorOf(url)
  const busy: Api = {
    ...api,
    changes: {
      ...api.changes,
      async *export(...given) {
        let lines = 0
        for await (const line of api.changes.export(...given)) {
          if (++lines === 100) await changeLibrary(library, 20)
          yield line
        }
      },
    },
  }
  await loadMirror(mirror, busy)
  await followOnce(mirror, api)
  await expectSame(mirror, api)
})

test('without the extensions the pages are read and every change is asked for', async () => {
  const { url, api, caller, library } = await newLibrary(5, 300)
  const mirror = mirrorOf(url)
  const plain = plainServer(api)
  await loadMirror(mirror, plain)
  await expectSame(mirror, api)
  const [one, two] = await pushed(caller, [item(), item()])
  await caller.put(`/entries/${one.entry_id}/review`, { status: 'approved' })
  await api.locks.create({ lineage_id: two.lineage_id })
  await changeLibrary(library, 5)
  await followOnce(mirror, plain)
  await expectSame(mirror, api)
})

test('a load by pages goes on behind the last page that was kept', async () => {
  const { url, api } = await newLibrary(6, 700)
  const mirror = mirrorOf(url)
  const asked: (string | undefined)[] = []
  const list: Api['entries']['list'] = (question, options) => {
    if (question?.tag === undefined) asked.push(question?.cursor)
    if (asked.length === 3) throw new ApiError('UNAVAILABLE')
    return api.entries.list(question, options)
  }
  await expect(loadMirror(mirror, plainServer(api, { list }))).rejects.toThrow()
  expect(mirror.db).toBeUndefined()
  await loadMirror(mirror, plainServer(api, { list }))
  expect(asked.filter((cursor) => cursor === undefined)).toHaveLength(1)
  await followOnce(mirror, api)
  await expectSame(mirror, api)
})

test('an export that is cut begins again; cut again, the pages are read; half of one is never there', async () => {
  const { url, api, keys } = await newLibrary(7, 600)
  for (const cuts of [1, 2]) {
    let left = cuts
    let isExport = false
    const proxy = await startProxy(
      url,
      (sent) => {
        isExport = sent.includes('/catalog/export')
        return undefined
      },
      (answered) => (isExport && !answered.includes('"ends":true') && left-- > 0 ? 'cut' : undefined),
    )
    const mirror = mirrorOf(proxy.url(url))
    const told: MirrorNews['kind'][] = []
    await loadMirror(mirror, callsOf(proxy.url(url), keys.adam), {
      pause: async () => expect(mirror.db).toBeUndefined(),
      tell: ({ kind }) => told.push(kind),
    })
    expect(told.filter((kind) => kind === 'cut')).toHaveLength(cuts)
    expect(told.includes('pages')).toBe(cuts === 2)
    await expectSame(mirror, api)
  }
})

test('a cursor that the feed does not reach back to is a reset, and so is another history', async () => {
  const { url, api, caller, workspaceId } = await newLibrary(8)
  const mirror = mirrorOf(url)
  await loadMirror(mirror, api)
  await pushed(caller, [item()])
  await followOnce(mirror, api)
  const again = mirrorOf(url, { config: '', state: mirror.files.folder.split('/mirrors')[0] ?? '', cache: '' })
  expect((await followOnce(again, api)).reset).toBe(false)
  const witness = JSON.parse(mirror.meta('witness') ?? '{}') as { seq: number; entity_id: number }
  again.write((_, put) => put({ witness: JSON.stringify({ ...witness, entity_id: witness.entity_id + 1 }) }))
  const other = mirrorOf(url, { config: '', state: mirror.files.folder.split('/mirrors')[0] ?? '', cache: '' })
  expect((await followOnce(other, api)).reset).toBe(true)
  await pushed(caller, [item()])
  await server.database.sql`delete from changes where workspace_id = ${workspaceId}`
  await server.database.sql`update feed_heads set changes_floor = change_seq where workspace_id = ${workspaceId}`
  expect((await followOnce(mirror, api)).reset).toBe(true)
  await loadMirror(mirror, api)
  expect((await followOnce(mirror, api)).reset).toBe(false)
  await expectSame(mirror, api)
})

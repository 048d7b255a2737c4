// A mirror holds what the server lists: after a load, after every kind of change, and whatever happens while it is loaded.
import { expect, test } from 'vitest'
import { ClientError } from '../../../client/client-error.ts'
import type { Api } from '../../../client/http/api.ts'
import { followOnce } from '../../../client/mirror/follow.ts'
import { loadMirror } from '../../../client/mirror/load/load.ts'
import type { MirrorNews } from '../../../client/mirror/load/news.ts'
import type { Mirror } from '../../../client/mirror/mirror.ts'
import { offlineApi } from '../../../client/mirror/offline-api.ts'
import { mirrorReport } from '../../../client/mirror/report.ts'
import { ApiError } from '../../../contract/errors.ts'
import { callAs } from '../../support/api.ts'
import { callsOf, expectSame, held, mirrorOf, newFolders } from '../../support/mirror.ts'
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

/** To the end, not to where it has to be loaded anew. */
async function follows(mirror: Mirror, api: Api): Promise<void> {
  expect((await followOnce(mirror, api)).reset).toBe(false)
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
  await follows(mirror, api)
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
    await follows(mirror, api)
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
  await follows(mirror, api)
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
  await follows(mirror, api)
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
  await follows(mirror, plain)
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
  await follows(mirror, api)
  await expectSame(mirror, api)
})

/** A wire that cuts the export each time so much of it has come; `asked` are the addresses that were asked for. */
async function cuttingWire(url: string, bytes: () => number) {
  const asked: string[] = []
  let came = -1
  const proxy = await startProxy(
    url,
    (sent) => {
      const address = /GET (\S*\/catalog\/export\S*)/.exec(sent)?.[1]
      came = address === undefined ? -1 : 0
      if (address !== undefined) asked.push(address.replace(/.*\/export/, ''))
      return undefined
    },
    (answered) => {
      if (came < 0) return undefined
      came += answered.length
      return came > bytes() ? 'cut' : undefined
    },
  )
  return { asked, proxy }
}

test('an export that is cut goes on behind what came, however often, and half of one is never there', async () => {
  const { url, api, keys } = await newLibrary(7, 1500)
  const { asked, proxy } = await cuttingWire(url, () => 200_000)
  const mirror = mirrorOf(proxy.url(url))
  const told: MirrorNews[] = []
  const { entries } = await loadMirror(mirror, callsOf(proxy.url(url), keys.adam), {
    pause: async () => expect(mirror.db).toBeUndefined(),
    tell: (news) => told.push(news),
  })
  const cuts = told.flatMap((news) => (news.kind === 'cut' ? news.entries : []))
  expect(cuts.length).toBeGreaterThan(3)
  expect(cuts).toEqual([...new Set(cuts)].sort((a, b) => a - b))
  expect([asked[0], asked.length]).toEqual(['', cuts.length + 1])
  for (const address of asked.slice(1)) expect(address).toMatch(/^\?after=\d+$/)
  expect(told.map(({ kind }) => kind)).not.toContain('pages')
  await expectSame(mirror, api)
  expect(held(mirror)).toHaveLength(entries)
})

test('a load that is stopped goes on behind what came when it is begun again, and hears of what changed meanwhile', async () => {
  const { url, api, keys, library } = await newLibrary(9, 1500)
  let limit = 400_000
  const { asked, proxy } = await cuttingWire(url, () => limit)
  const folders = newFolders()
  const stopped = mirrorOf(proxy.url(url), folders)
  const stop = new AbortController()
  const pause = async () => stop.abort(new Error('stopped'))
  const loading = loadMirror(stopped, callsOf(proxy.url(url), keys.adam), { signal: stop.signal, pause })
  await expect(loading).rejects.toThrow('stopped')
  await changeLibrary(library, 100)
  limit = Number.POSITIVE_INFINITY
  const mirror = mirrorOf(proxy.url(url), folders)
  await loadMirror(mirror, callsOf(proxy.url(url), keys.adam))
  expect(asked).toEqual(['', expect.stringMatching(/^\?after=\d+$/)])
  await follows(mirror, callsOf(proxy.url(url), keys.adam))
  await expectSame(mirror, api)
})

test('what came of a load is of no use where the server was set back meanwhile, also when it has passed that place again', async () => {
  const { url, api, keys, library, workspaceId } = await newLibrary(12, 1500)
  let limit = 400_000
  const { asked, proxy } = await cuttingWire(url, () => limit)
  const folders = newFolders()
  const stop = new AbortController()
  const pause = async () => stop.abort(new Error('stopped'))
  const loading = loadMirror(mirrorOf(proxy.url(url), folders), callsOf(proxy.url(url), keys.adam), {
    signal: stop.signal,
    pause,
  })
  await expect(loading).rejects.toThrow('stopped')
  // Another history: under the number that the load knows stands something else, and the head is further on.
  const { sql } = server.database
  await sql`update changes set entity_id = entity_id + 100000 where workspace_id = ${workspaceId} and seq = 1500`
  await sql`delete from entries where workspace_id = ${workspaceId} and id = ${library.entryIds[0] ?? 0}`
  library.entryIds.shift()
  await changeLibrary(library, 3)
  limit = Number.POSITIVE_INFINITY
  const mirror = mirrorOf(proxy.url(url), folders)
  const told: MirrorNews['kind'][] = []
  await loadMirror(mirror, callsOf(proxy.url(url), keys.adam), {
    pause: async () => undefined,
    tell: ({ kind }) => told.push(kind),
  })
  expect([asked, told.at(0)]).toEqual([['', ''], 'cut'])
  await expectSame(mirror, api)
})

test('of an export that is cut twice before an entry comes, the pages are read', async () => {
  const { url, api } = await newLibrary(10)
  async function* cut(...given: Parameters<Api['changes']['export']>) {
    for await (const line of api.changes.export(...given)) {
      yield line
      throw new ClientError('ANSWER_CUT', 'The answer was cut.')
    }
  }
  const mirror = mirrorOf(url)
  const told: MirrorNews['kind'][] = []
  const options = { pause: async () => undefined, tell: ({ kind }: MirrorNews) => told.push(kind) }
  await loadMirror(mirror, { ...api, changes: { ...api.changes, export: cut } }, options)
  expect(told.slice(0, 3)).toEqual(['cut', 'cut', 'pages'])
  await expectSame(mirror, api)
})

test('collections are followed, also where the feed does not say what they are', async () => {
  const { url, api, library } = await newLibrary(11)
  const [one, two] = [mirrorOf(url), mirrorOf(url)]
  const followed = async () => {
    for (const [mirror, calls] of [
      [one, api],
      [two, plainServer(api)],
    ] as const) {
      await follows(mirror, calls)
      const { collections } = await offlineApi(mirror).collections.list()
      expect(collections).toEqual((await api.collections.list()).collections)
    }
  }
  for (const mirror of [one, two]) await loadMirror(mirror, api)
  const tavern = await api.collections.create({ name: 'Tavern' })
  await api.collections.create({ name: 'Mill' })
  await followed()
  const [entry_id = 0] = library.entryIds
  await api.collections.addEntry({ collection_id: tavern.id, entry_id })
  await api.collections.update({ collection_id: tavern.id, name: 'Old Tavern' })
  await followed()
  await api.collections.remove({ collection_id: tavern.id })
  await followed()
})

test('a cursor that the feed does not reach back to is a reset, and so is another history', async () => {
  const { url, api, caller, workspaceId } = await newLibrary(8)
  const mirror = mirrorOf(url)
  await loadMirror(mirror, api)
  await pushed(caller, [item()])
  await follows(mirror, api)
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

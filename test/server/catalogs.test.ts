// The catalogs of a process: built once for the one who asks, never behind what was committed, let go when unused (design.md 3).
import { expect, test } from 'vitest'
import { Catalogs } from '../../server/search/catalog/catalogs.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { changeLibrary, seeded, writeLibrary } from '../support/random-library.ts'
import { startTestServer, TestClock } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'
import type { ServerProcess } from '../support/server-process.ts'

const server = await startTestServer()
const { database } = server

/** A workspace with a random library. */
async function aLibrary(most: number) {
  const { workspaceId } = await server.addWorkspace()
  return writeLibrary(database.sql, { workspaceId, random: seeded(most), most })
}

const idsIn = ({ entries }: Awaited<ReturnType<Catalogs['at']>>): number[] =>
  [...entries.ids.subarray(0, entries.end)].filter((id) => id !== 0).sort((a, b) => a - b)

const sortedIds = (ids: number[]) => ids.toSorted((a, b) => a - b)

test('questions that come together share one build, and all of them see what was committed before', async () => {
  const catalogs = new Catalogs({ database, clock: new TestClock() })
  const library = await aLibrary(40)
  const first = await Promise.all(Array.from({ length: 20 }, () => catalogs.at(library.workspaceId)))
  expect(new Set(first).size).toBe(1)
  for (let round = 0; round < 10; round++) {
    await changeLibrary(library, 2)
    const asked = await Promise.all(Array.from({ length: 5 }, () => catalogs.at(library.workspaceId)))
    for (const catalog of asked) expect(idsIn(catalog)).toEqual(sortedIds(library.entryIds))
  }
})

test('many small libraries beside a large one stay within the bounds, and each is there again when it is asked for', async () => {
  const libraries = [await aLibrary(60), ...(await Promise.all(Array.from({ length: 12 }, () => aLibrary(3))))]
  const catalogs = new Catalogs({ database, clock: new TestClock(), bounds: { entries: 50, catalogs: 4 } })
  for (let round = 0; round < 3; round++) {
    for (const library of libraries) {
      const catalog = await catalogs.at(library.workspaceId)
      expect(idsIn(catalog)).toEqual(sortedIds(library.entryIds))
      expect(catalogs.entries - catalog.size).toBeLessThanOrEqual(50)
    }
  }
})

test('a catalog that is let go in the middle of a question still answers it', async () => {
  const libraries = await Promise.all(Array.from({ length: 6 }, () => aLibrary(20)))
  const catalogs = new Catalogs({ database, clock: new TestClock(), bounds: { entries: 0, catalogs: 1 } })
  for (let round = 0; round < 5; round++) {
    const asked = await Promise.all(libraries.map(({ workspaceId }) => catalogs.at(workspaceId)))
    for (const [index, library] of libraries.entries()) {
      const catalog = asked[index]
      await catalog?.prepare('tri_count')
      expect(catalog && idsIn(catalog)).toEqual(sortedIds(library.entryIds))
    }
  }
})

test('questions whose catalog is let go while it is built, or takes in what changed, are answered in full', async () => {
  const libraries = await Promise.all(Array.from({ length: 4 }, () => aLibrary(20)))
  const catalogs = new Catalogs({ database, clock: new TestClock(), bounds: { entries: 0, catalogs: 1 } })
  for (let round = 0; round < 8; round++) {
    for (const library of libraries) await changeLibrary(library, 2)
    // One of them is there from the round before, and goes when another is there sooner.
    const asked = [...libraries.slice(round % 4), ...libraries, ...libraries.toReversed()]
    await Promise.all(
      asked.map(async (library) => {
        expect(idsIn(await catalogs.at(library.workspaceId))).toEqual(sortedIds(library.entryIds))
      }),
    )
  }
})

test('a catalog that nobody asks for is let go after half an hour', async () => {
  const clock = new TestClock()
  const catalogs = new Catalogs({ database, clock })
  const [idle, used] = [await aLibrary(30), await aLibrary(30)]
  const before = [await catalogs.at(idle.workspaceId), await catalogs.at(used.workspaceId)]
  clock.advance(29 * 60_000)
  expect(await catalogs.at(used.workspaceId)).toBe(before[1])
  clock.advance(2 * 60_000)
  expect(await catalogs.at(used.workspaceId)).toBe(before[1])
  expect(await catalogs.at(idle.workspaceId)).not.toBe(before[0])
})

test('a catalog that has missed records which are gone by now is built anew', async () => {
  const catalogs = new Catalogs({ database, clock: new TestClock() })
  const library = await aLibrary(20)
  await catalogs.at(library.workspaceId)
  await changeLibrary(library, 5)
  const { workspaceId } = library
  await database.sql`delete from changes where workspace_id = ${workspaceId}`
  await database.sql`update feed_heads set changes_floor = change_seq where workspace_id = ${workspaceId}`
  expect(idsIn(await catalogs.at(workspaceId))).toEqual(sortedIds(library.entryIds))
  await changeLibrary(library, 3)
  expect(idsIn(await catalogs.at(workspaceId))).toEqual(sortedIds(library.entryIds))
})

test('more changes than are read at once are all taken in', async () => {
  const catalogs = new Catalogs({ database, clock: new TestClock() })
  const { url, keys, workspaceId } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const [entry] = await pushed(mia, [item()])
  await catalogs.at(workspaceId)
  await database.sql`
    with head as (update feed_heads set change_seq = change_seq + 12000 where workspace_id = ${workspaceId} returning change_seq)
    insert into changes (workspace_id, seq, entity, entity_id, op, created_at)
    select ${workspaceId}, change_seq - 12000 + n, 'lock', n, 'upsert', now() from head, generate_series(1, 12000) n`
  await mia.patch(`/entries/${entry?.entry_id}`, { category: 'Last of all' })
  const catalog = await catalogs.at(workspaceId)
  expect(catalog.columns.dictionaries.category.find('Last of all')).toBeDefined()
})

/** Starts server processes on one PostgreSQL, each with its own catalogs. */
async function startsProcesses() {
  const house = await serverHouse()
  const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  return async (): Promise<{ process: ServerProcess; mia: Caller }> => {
    const process = await house.start([], lifted)
    return { process, mia: callAs(process.url, house.keys.mia) }
  }
}

const found = async (caller: Caller, query: string): Promise<number[]> =>
  (await caller.get(`/entries?${query}`)).body.entries.map((entry: Json) => entry.id)

test.runIf(isPostgres)(
  'what one process has committed is found by the next question to another, also when either is killed in between',
  postgresOnly,
  async () => {
    const start = await startsProcesses()
    let [writer, reader] = await Promise.all([start(), start()])
    const entries = await pushed(writer.mia, [item(), item(), item()])
    for (let round = 0; round < 24; round++) {
      const { entry_id: id } = entries[round % entries.length] as Json
      const word = uniqueName('w').replaceAll(/[^a-z]/g, '')
      const name = `Barrel ${word}${String.fromCharCode(97 + round)}`
      expect((await writer.mia.patch(`/entries/${id}`, { name, category: `Category ${round}` })).status).toBe(200)
      if (round % 8 === 3) {
        await writer.process.kill()
        writer = await start()
      }
      if (round % 8 === 7) {
        await reader.process.kill()
        reader = await start()
      }
      expect(await found(reader.mia, `q=${encodeURIComponent(`"${name}"`)}`)).toEqual([id])
      expect(await found(reader.mia, `name=${encodeURIComponent(name)}`)).toEqual([id])
      expect(await found(reader.mia, `category=Category%20${round}`)).toEqual([id])
    }
  },
)

/** What a writer was told is there: the last name of each entry, but of the one that it is writing anew. */
interface Written {
  names: Map<number, string>
  count: number
  isOver: boolean
}

/** Renames entries one after the other until the server is gone. */
async function renameOn(writer: Caller, ids: readonly number[], written: Written): Promise<void> {
  for (let turn = 0; ; turn++) {
    const id = ids[turn % ids.length] ?? 0
    const name = `Turn ${turn} of ${id}`
    written.names.delete(id)
    const answer = await writer.patch(`/entries/${id}`, { name }).catch(() => undefined)
    if (answer?.status !== 200) {
      written.isOver = true
      return
    }
    written.names.set(id, name)
    written.count++
  }
}

/** Whatever was acknowledged before the question, and was not being written anew meanwhile, is what it finds. */
async function expectFresh(reader: Caller, { names: acknowledged }: Written): Promise<void> {
  const before = new Map(acknowledged)
  const { entries } = (await reader.get('/entries?q=turn&limit=200')).body
  const names = new Map<number, string>(entries.map((entry: Json) => [entry.id, entry.name]))
  for (const [id, name] of before) if (acknowledged.get(id) === name) expect([id, names.get(id)]).toEqual([id, name])
}

test.runIf(isPostgres)(
  'while one process writes without pause, and when it dies in the middle of that, another never answers with less than was acknowledged',
  postgresOnly,
  async () => {
    const start = await startsProcesses()
    let [writer, reader] = await Promise.all([start(), start()])
    const ids = (
      await pushed(
        writer.mia,
        Array.from({ length: 12 }, () => item()),
      )
    ).map((entry) => entry.entry_id as number)
    for (let life = 0; life < 4; life++) {
      const written: Written = { names: new Map(), count: 0, isOver: false }
      const writing = renameOn(writer.mia, ids, written)
      while (written.count < 3 * ids.length && !written.isOver) await expectFresh(reader.mia, written)
      expect(written.isOver).toBe(false)
      await writer.process.kill()
      await writing
      await expectFresh(reader.mia, written)
      const isReaderNext = life % 2 === 1
      if (isReaderNext) await reader.process.kill()
      ;[writer, reader] = await Promise.all([start(), isReaderNext ? start() : reader])
      const [seen, known] = await Promise.all([reader, writer].map(({ mia }) => mia.get('/entries?q=turn&sort=name&limit=200')))
      expect(seen?.body.entries).toHaveLength(ids.length)
      expect(seen?.body.entries).toEqual(known?.body.entries)
    }
  },
)

// A statement leaves nothing on its connection for the next one, however it ends: with an error behind many rows, cut, cancelled, left.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Sql } from '../../server/database/sql.ts'
import { atOneMoment, inTransaction } from '../../server/database/transaction.ts'
import { startTestServer } from '../support/server.ts'
import { begun, byRow, nextAnswers, singleConnection } from '../support/single-connection.ts'

const server = await startTestServer()
const { database } = server
const { sql, longSql, frontDoorSql } = database
const single = singleConnection(server)
const pools = { reading: sql, 'whole libraries': longSql, 'front door': frontDoorSql, single }

const division = /division by zero/
/** Fails in row 5,000. */
const failing = 'select 1 / (5000 - i) as found from generate_series(1, 6000) i'

const ways: Record<string, (on: Sql) => Promise<unknown>> = {
  rows: async (on) => on`select 1 / (5000 - i) as found from generate_series(1, 6000) i`,
  'rows by parameters': async (on) => on`select 1 / (${5000}::int - i) as found from generate_series(1, ${6000}::int) i`,
  values: async (on) => on`select 1 / (5000 - i) as found from generate_series(1, 6000) i`.values(),
  bytes: async (on) => on`select 1 / (5000 - i) as found from generate_series(1, 6000) i`.raw(),
  'each row': async (on) => byRow(on`select 1 / (5000 - i) as found from generate_series(1, 6000) i`, () => {}),
  'a text': async (on) => on.unsafe(failing),
  'a text by parameters': async (on) => on.unsafe('select 1 / ($1::int - i) as found from generate_series(1, 6000) i', [5000]),
  'several statements': async (on) => on.unsafe(`select 1 as one; ${failing}`).simple(),
  'a cursor': async (on) => all(on`select 1 / (5000 - i) as found from generate_series(1, 6000) i`.cursor(100)),
  'a cursor by parameters': async (on) =>
    all(on`select 1 / (${5000}::int - i) as found from generate_series(1, 6000) i`.values().cursor(7)),
  'a cursor that takes all at once': async (on) => all(on`select 1 / (5000 - i) from generate_series(1, 6000) i`.cursor(10_000)),
}

async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

/** Executed from now on. */
function settle(statement: PromiseLike<unknown>): Promise<unknown> {
  const ended = Promise.resolve(statement)
  ended.catch(() => {})
  return ended
}

const expectNoTransaction = (on: Sql) => expect(on`savepoint nowhere`).rejects.toMatchObject({ code: '25P01' })

const connectionOf = async (on: Sql) => (await on<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid

test.for(Object.keys(ways))('an error in row 5,000 changes no answer behind it, in any pool: %s', async (name) => {
  const before = await connectionOf(single)
  for (const on of Object.values(pools)) {
    await expect(ways[name]?.(on)).rejects.toThrow(division)
    await nextAnswers(on)
  }
  expect(await connectionOf(single)).toBe(before)
})

test.for(Object.keys(ways))(
  'an error in row 5,000 ends its transaction, and the next one on its connection hears the truth: %s',
  async (name) => {
    for (const within of [inTransaction, atOneMoment]) {
      await expect(within(sql, async (own) => ways[name]?.(own))).rejects.toThrow(division)
      await within(sql, nextAnswers)
      // Caught in a savepoint, it leaves the transaction and its connection as they were.
      await within(sql, async (own) => {
        if (!('savepoint' in own)) return expect.fail('there is no transaction')
        await expect(own.savepoint(async (inner) => ways[name]?.(inner))).rejects.toThrow(division)
        await nextAnswers(own)
      })
      await within(sql, nextAnswers)
    }
  },
)

test('statements that wait behind one that fails hear their own answers, many times', async () => {
  for (let round = 0; round < 20; round++) {
    const asked = Array.from({ length: 30 }, async (_, number) => {
      if (number % 3 === 0) return expect(sql`select 1 / (50 - i) from generate_series(1, 60) i`).rejects.toThrow(division)
      return expect([...(await sql`select ${number}::int as number`)]).toEqual([{ number }])
    })
    await Promise.all(asked)
  }
})

test('a value that cannot be sent fails its own statement, and no other', async () => {
  const missing = undefined as unknown as string
  const numbers = async (on: Sql) => [...(await on`select i from generate_series(1, 3) i`)]
  for (const on of Object.values(pools)) {
    const asked = [numbers(on), expect(on`select ${missing}`).rejects.toThrow(/undefined/i), numbers(on), numbers(on)]
    const [first, , ...others] = await Promise.all(asked)
    for (const found of [first, ...others]) expect(found).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
    await nextAnswers(on)
  }
  const together = inTransaction(sql, (own) => Promise.all([numbers(own), own`select ${missing}`, numbers(own)]))
  await expect(together).rejects.toThrow(/undefined/i)
  await inTransaction(sql, nextAnswers)
})

test('an answer that cannot be read fails its own statement, and no other', async () => {
  const lists = (on: Sql) => on`select array['x'::text] as list from generate_series(1, 5000)`
  for (const on of [sql, longSql, frontDoorSql]) {
    await expect(lists(on)).rejects.toThrow('A list of texts is not to be answered')
    await nextAnswers(on)
    await expect(all(lists(on).cursor(100))).rejects.toThrow('A list of texts is not to be answered')
    await nextAnswers(on)
    const thrown = new Error('this row is not wanted')
    const refuse = () => {
      throw thrown
    }
    await expect(byRow(on`select 1`, refuse)).rejects.toBe(thrown)
    await nextAnswers(on)
  }
  await expect(inTransaction(sql, async (own) => lists(own))).rejects.toThrow('A list of texts is not to be answered')
  await inTransaction(sql, nextAnswers)
})

test('a cursor that is read to its end gives every row once, and one that is left gives its connection back', async () => {
  const numbers = (on: Sql) => on<{ i: number }[]>`select i from generate_series(1, ${1000}::int) i`
  for (const on of Object.values(pools))
    for (const rows of [1, 7, 500, 1000, 5000]) expect(await all(numbers(on).cursor(rows))).toHaveLength(1000)
  for (let turn = 0; turn < 20; turn++) {
    for await (const [first] of numbers(sql).cursor(10)) {
      expect(first?.i).toBe(1)
      break
    }
    await nextAnswers(sql)
    await expectNoTransaction(sql)
  }
})

test('a cursor within a transaction reads beside its statements', async () => {
  await inTransaction(sql, async (own) => {
    let rows = 0
    for await (const batch of own<{ i: number }[]>`select i from generate_series(1, 100) i`.values().cursor(30)) {
      rows += batch.length
      await nextAnswers(own)
      for await (const inner of own`select 1 as one`.cursor(1)) expect([...inner]).toEqual([{ one: 1 }])
    }
    expect(rows).toBe(100)
  })
})

test('a statement that is cancelled fails, and no statement behind it is cancelled', async () => {
  for (const on of Object.values(pools))
    for (let turn = 0; turn < 20; turn++) {
      const statement = on`select repeat('x', 1000) as text from generate_series(1, 5000)`
      const ended = turn % 2 === 0 ? (await begun(statement)).ended : settle(statement)
      statement.cancel()
      await expect(ended).rejects.toMatchObject({ code: '57014' })
      await nextAnswers(on)
    }
})

test('a statement behind the end of its transaction is refused, and touches no other transaction', async () => {
  const { slug } = await server.addWorkspace()
  const rename = (own: Sql, name: string) => own`update workspaces set name = ${name} where slug = ${slug}`
  const nameNow = async () => (await sql<{ name: string }[]>`select name from workspaces where slug = ${slug}`)[0]?.name
  const refusal = 'A statement came after the end of its transaction.'
  const kept: Sql[] = []
  await inTransaction(sql, async (own) => void kept.push(own))
  await expect(
    inTransaction(sql, async (own) => {
      kept.push(own)
      throw new Error('taken back')
    }),
  ).rejects.toThrow('taken back')
  for (const own of kept) {
    await inTransaction(sql, async (other) => {
      await expect(rename(own, 'late')).rejects.toThrow(refusal)
      await rename(other, 'other')
    })
    expect(await nameNow()).toBe('other')
  }
})

test('a transaction whose statement failed is taken back, also when someone caught the failure', async () => {
  const { slug } = await server.addWorkspace()
  const change = inTransaction(sql, async (own) => {
    await own`update workspaces set name = 'half' where slug = ${slug}`
    await own`select 1 / 0`.catch(() => {})
    return 'done'
  })
  await expect(change).rejects.toThrow(division)
  expect((await sql`select name from workspaces where slug = ${slug}`)[0]?.name).toBe(slug)
})

test('an error at the commit is thrown, nothing is kept, and the connection is there for others', async () => {
  await sql`create table if not exists late_checks (number integer unique deferrable initially deferred)`
  const twice = async (on: Sql) => on`insert into late_checks values (1), (1) returning number`
  await expect(inTransaction(sql, twice)).rejects.toMatchObject({ code: '23505' })
  await inTransaction(sql, nextAnswers)
  for (const on of Object.values(pools)) {
    await expect(twice(on)).rejects.toMatchObject({ code: '23505' })
    await nextAnswers(on)
  }
  expect(await sql`select 1 from late_checks`).toHaveLength(0)
})

test('a table that changes its columns is answered with those it has now', async () => {
  await sql`create table if not exists growing (first integer)`
  await sql`insert into growing values (1)`
  for (const on of Object.values(pools)) expect([...(await on`select * from growing`)]).toEqual([{ first: 1 }])
  await sql`alter table growing add column second text default 'two'`
  for (const on of Object.values(pools)) {
    expect([...(await on`select * from growing`)]).toEqual([{ first: 1, second: 'two' }])
    await nextAnswers(on)
  }
  await sql`alter table growing alter column first type text using 'one'`
  for (const on of Object.values(pools)) expect([...(await on`select * from growing`)]).toEqual([{ first: 'one', second: 'two' }])
})

test('what would keep a connection for longer is refused', async () => {
  for (const on of Object.values(pools)) {
    const refusal = 'A pool makes statements and transactions; nothing else of the driver is used.'
    await expect(on.reserve()).rejects.toThrow(refusal)
    await expect(on.listen('news', () => {})).rejects.toThrow(refusal)
    await expect(on.notify('news', 'now')).rejects.toThrow(refusal)
    await nextAnswers(on)
  }
})

test('the driver is the one that all this was seen of', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
  expect([read('package.json').dependencies.postgres, read('node_modules/postgres/package.json').version]).toEqual([
    '3.4.9',
    '3.4.9',
  ])
})

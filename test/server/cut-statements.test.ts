// Statements that PostgreSQL ends in the middle of their rows, by a limit or by a word, and what else a session could keep for the next one.
import postgres from 'postgres'
import { afterAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../server/database/sql.ts'
import { inTransaction } from '../../server/database/transaction.ts'
import { callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { begun, nextAnswers, singleConnection } from '../support/single-connection.ts'

/** So little that a test can wait for it; statements of a busy machine take less. */
const limitMs = 2000

/** A server whose statements may take so long. */
async function limitedServer(databaseUrl: string) {
  const limited = new URL(databaseUrl)
  limited.searchParams.set('statement_timeout', String(limitMs))
  const server = await startTestServer({ databaseUrl: limited.href })
  const { sql, longSql, frontDoorSql } = server.database
  const single = singleConnection(server)
  const admin = postgres(databaseUrl, { onnotice: () => {}, max: 4 })
  return { server, sql, longSql, single, admin, pools: [sql, longSql, frontDoorSql, single] }
}
type Limited = Awaited<ReturnType<typeof limitedServer>>

describe.runIf(isPostgres)('PostgreSQL', postgresOnly, async () => {
  const fresh = await freshPostgres()
  if (!fresh) return
  const limited = await limitedServer(fresh.url)
  afterAll(async () => {
    await limited.admin.end()
    await fresh.drop()
  })
  testLimits(limited)
  testEnds(limited)
  testSessions(limited)
  testExport(limited)
})

const pidOf = async (on: Sql) => (await on<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0

/** 5,000 rows at once, and one that does not come in time. */
const endless = (on: Sql) =>
  on`select repeat('x', 100) as text, case when i < 5000 then '' else pg_sleep(600)::text end from generate_series(1, 6000) i`

const tooLong = { code: '57014' }

function testLimits({ sql, longSql, single, admin, pools }: Limited): void {
  test('a limit that is met behind 5,000 rows changes no answer behind it, in any pool', async () => {
    const before = await pidOf(single)
    for (const on of pools) {
      await expect(endless(on)).rejects.toMatchObject(tooLong)
      await nextAnswers(on)
    }
    expect(await pidOf(single)).toBe(before)
  })

  test('a limit that is met while a cursor reads ends it with an error, and changes no answer behind it', async () => {
    for (const on of pools) {
      const read = async () => {
        for await (const rows of endless(on).cursor(1000)) expect(rows).not.toHaveLength(0)
      }
      await expect(read()).rejects.toMatchObject(tooLong)
      await nextAnswers(on)
    }
  })

  test('who reads a cursor more slowly than a statement may take gets every row', async () => {
    let rows = 0
    for await (const batch of longSql`select i from generate_series(1, 6000) i`.cursor(1000)) {
      if (rows === 1000) await admin`select pg_sleep(${(1.5 * limitMs) / 1000})`
      rows += batch.length
    }
    expect(rows).toBe(6000)
    await nextAnswers(longSql)
  })

  test('a limit that is met in a transaction takes it back, and the next one hears the truth', async () => {
    await expect(inTransaction(sql, async (own) => endless(own))).rejects.toMatchObject(tooLong)
    await inTransaction(sql, nextAnswers)
  })
}

function testEnds({ sql, single, admin }: Limited): void {
  test.for(['pg_cancel_backend', 'pg_terminate_backend'])('%s in the middle of rows changes no answer behind it', async (how) => {
    const pid = await pidOf(single)
    const { ended } = await begun(endless(single))
    await admin`select ${admin(how)}(${pid}::int)`
    await expect(ended).rejects.toThrow()
    await nextAnswers(single)
    expect((await pidOf(single)) === pid).toBe(how === 'pg_cancel_backend')
  })

  test('a transaction whose connection is lost keeps nothing, and the next one hears the truth', async () => {
    await admin`create table kept (number integer)`
    const lost = inTransaction(sql, async (own) => {
      await own`insert into kept values (1)`
      await admin`select pg_terminate_backend(${await pidOf(own)}::int)`
      await own`insert into kept values (2)`
    })
    await expect(lost).rejects.toThrow()
    await inTransaction(sql, nextAnswers)
    expect(await sql`select number from kept`).toHaveLength(0)
  })
}

function testSessions({ sql, single, pools }: Limited): void {
  const setting = async (on: Sql, name: string) => (await on`select current_setting(${name}) as now`)[0]?.now

  test.for([`set statement_timeout = '77s'`, 'begin', 'listen news', 'prepare own as select 1'])(
    'a connection on which someone said "%s" is not handed on',
    async (statement) => {
      const pid = await pidOf(single)
      await single.unsafe(statement)
      expect(await setting(single, 'statement_timeout')).toBe(`${limitMs / 1000}s`)
      expect(await pidOf(single)).not.toBe(pid)
      await expect(single`savepoint nowhere`).rejects.toMatchObject({ code: '25P01' })
    },
  )

  test.for(['kept', 'taken back'])('settings of a transaction that is %s are not those of the next one', async (end) => {
    const work = inTransaction(sql, async (own) => {
      await own`set statement_timeout = '77s'`
      await own`select set_config('lock_timeout', '77s', true)`
      if (end === 'taken back') throw new Error(end)
    })
    await (end === 'kept' ? work : expect(work).rejects.toThrow(end))
    await inTransaction(sql, async (own) => {
      expect(await setting(own, 'statement_timeout')).toBe(`${limitMs / 1000}s`)
      expect(await setting(own, 'lock_timeout')).toBe('10s')
    })
  })

  test('prepared statements that the database has forgotten are prepared again', async () => {
    const asked = async (number: number) => (await single`select ${number}::int as number`)[0]?.number
    expect(await asked(1)).toBe(1)
    await single.unsafe(`do $$ begin execute 'deallocate all'; end $$`)
    for (const number of [2, 3, 4]) expect(await asked(number)).toBe(number)
  })

  test('COPY has no answer here, and changes none behind it', async () => {
    for (const on of pools)
      for (const copy of ['copy (select i from generate_series(1, 6000) i) to stdout', 'copy entries from stdin']) {
        const stream = (await on.unsafe(copy)) as unknown as NodeJS.EventEmitter
        stream.on('error', () => {})
        await nextAnswers(on)
      }
  })
}

/**
 * The row of this id takes longer than a statement may; those before it in an answer have been sent by then. Functions that cost much are
 * called when the rows are in order.
 */
async function slowDown(
  admin: postgres.Sql,
  { table, column, id }: { table: string; column: string; id: number },
): Promise<void> {
  const columns = await admin<{ name: string }[]>`
    select column_name as name from information_schema.columns where table_name = ${table} order by ordinal_position`
  const shown = columns.map(({ name }) => (name === column ? `slow_${table}(id, ${column}) as ${column}` : name)).join(', ')
  await admin.unsafe(`
    alter table ${table} rename to all_${table};
    create function slow_${table}(id bigint, value text) returns text language plpgsql stable cost 1000000
      as $$ begin return case when id = ${id} then value || pg_sleep(600)::text else value end; end $$;
    create view ${table} as select ${shown} from all_${table}`)
}

function testExport({ server, admin }: Limited): void {
  test('pages and exports that meet a limit in the middle of their rows change nothing that another workspace hears', async () => {
    const [mine, other] = [await server.addWorkspace(), await server.addWorkspace()]
    const [mia, max] = [callAs(mine.url, mine.keys.mia), callAs(other.url, other.keys.max)]
    const [own] = await pushed(max, [item()])
    const made = await pushed(
      mia,
      Array.from({ length: 40 }, () => item()),
    )
    const packs: number[] = []
    for (let number = 10; number < 40; number++) packs.push((await mia.post('/packs', { name: `Pack ${number}` })).body.id)
    const ask = async () => (await max.get(`/entries/${own?.entry_id}`)).body
    const expected = await ask()
    /** What the other workspace hears meanwhile, and then on every connection that there is for reading. */
    const heardDuring = async <T>(work: Promise<T>): Promise<T> => {
      const done = Promise.allSettled([work])
      const answers: Json[] = []
      for (let isOver = false; !isOver; isOver = await Promise.race([done.then(() => true), ask().then(() => false)]))
        answers.push(await ask())
      answers.push(...(await Promise.all(Array.from({ length: 12 }, ask))))
      for (const answer of answers) expect(answer).toEqual(expected)
      return work
    }
    await slowDown(admin, { table: 'packs', column: 'notes', id: packs.at(-1) ?? 0 })
    for (const { status, body } of await heardDuring(Promise.all([mia.get('/packs'), mia.get('/packs')])))
      expect([status, body.error.details]).toEqual([503, { reason: 'database_slow' }])
    await slowDown(admin, { table: 'entries', column: 'name', id: made.at(-1)?.entry_id })
    const exported = fetch(`${mine.url}/catalog/export`, { headers: { authorization: `Bearer ${mine.keys.mia}` } })
    const lines = exported.then((response) => response.text()).catch(() => '')
    expect(await heardDuring(lines)).not.toContain('"end":true')
  })
}

// A transaction has its connection to itself, however much other work was on the way over it when it began.
import { getDefaultHighWaterMark } from 'node:stream'
import { expect, test } from 'vitest'
import { inTransaction } from '../../server/database/transaction.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

/** Whether a statement on the pool ran in a transaction that someone else had begun, by the settings that it sees. */
const seen = async (sql: typeof server.database.sql) =>
  (await sql<{ mark: string | null }[]>`select current_setting('test.mark', true) as mark`)[0]?.mark || null

async function marked(work: string): Promise<string | null> {
  const { sql } = server.database
  return inTransaction(sql, async (own) => {
    await own`select set_config('test.mark', ${work}, true)`
    return (await own<{ mark: string }[]>`select current_setting('test.mark', true) as mark`)[0]?.mark ?? null
  })
}

test('a transaction that begins behind any number of statements is its own', async () => {
  const { sql } = server.database
  for (let before = 90; before <= 110; before++) {
    const reads = Array.from({ length: before }, () => seen(sql))
    const own = marked(`transaction ${before}`)
    const after = Array.from({ length: 20 }, () => seen(sql))
    expect(await own, `behind ${before} statements`).toBe(`transaction ${before}`)
    expect(new Set(await Promise.all([...reads, ...after])), `beside ${before} statements`).toEqual(new Set([null]))
  }
})

/** Just below what a socket holds before it wants its writer to wait. */
const almostFull = 'x'.repeat(getDefaultHighWaterMark(false) - 1000)

test('a transaction whose beginning fills the socket is its own', async () => {
  const { sql } = server.database
  const isThere = async (text: string) => (await sql`select ${text} <> '' as mark`)[0]?.mark
  await isThere('once')
  for (let large = 2; large <= 6; large++)
    for (let small = 700; small <= 1000; small += 10) {
      const reads = Array.from({ length: large }, () => isThere(almostFull))
      // The driver gathers what is smaller than 1 KiB.
      const gathered = isThere('y'.repeat(small))
      expect(await marked('mine'), `behind ${large} large statements and one of ${small} bytes`).toBe('mine')
      expect(await Promise.all([...reads, gathered])).not.toContain(false)
    }
})

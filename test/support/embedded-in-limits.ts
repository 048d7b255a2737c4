/**
 * An embedded database on a disk that is full, in a process of its own: commits rows until its journal finds no room, then asks
 * until there is some again. Prints one JSON object a line: what the database tells, how it failed, and what it found afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../server/database/open.ts'

const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`)
const embeddedDir = process.argv[2] ?? ''
const database = await openDatabase({ embeddedDir, tell: (told) => say({ told }) })
const { sql } = database

await sql`create table kept (number integer)`
await sql`insert into kept values (0)`
say({ ready: true })
await new Promise((resolve) => process.stdin.once('data', resolve))

let acknowledged = 1
/** Fills the journal and nothing else. */
const oneMegabyte = () => database.sql`select pg_logical_emit_message(true, 'test', repeat('x', 1000000))`
try {
  for (; acknowledged < 100; acknowledged++) {
    await sql.begin(async (inside) => {
      await inside`insert into kept values (${acknowledged})`
      await inside`select pg_logical_emit_message(true, 'test', repeat('x', 1000000))`
    })
  }
  say({ failed: null })
} catch (error) {
  const { code, severity } = error as { code?: string; severity?: string }
  say({ failed: code, severity })
}

for (let found: number[] | undefined; found === undefined; await sleep(50)) {
  const rows = await database.sql<{ number: number }[]>`select number from kept order by number`.catch(() => undefined)
  found = rows?.map(({ number }) => number)
  if (found) say({ acknowledged, found })
}
await oneMegabyte()
await database.close()
process.stdin.destroy()

/** What the first process on a database makes, and all others find: ids and secrets of the library. */
import type { Database } from './open.ts'

export async function madeOnce({ sql }: Database, name: string, made: string): Promise<string> {
  await sql`insert into settings (name, value) values (${name}, ${made}) on conflict do nothing`
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`
  return row?.value ?? ''
}

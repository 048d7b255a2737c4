/** Who waits for a lock in PostgreSQL: in the database that is asked only, because tests of other files wait in databases beside it. */
import { expect } from 'vitest'

type Asked = (text: TemplateStringsArray) => PromiseLike<Iterable<object>>

export interface LockWait {
  /** Null where the wait is for a row: that is a wait for a transaction. */
  table: string | null
  /** The first key of an advisory lock. */
  key: number | null
}

export async function lockWaits(sql: Asked): Promise<LockWait[]> {
  const rows = await sql`
    select l.relation::regclass::text as table, case l.locktype when 'advisory' then l.classid::int end as key
      from pg_locks l join pg_stat_activity a using (pid)
     where not l.granted and a.datname = current_database()`
  return [...rows] as LockWait[]
}

/** Until someone waits, for whichever lock. */
export const someoneWaits = (sql: Asked) => expect.poll(() => lockWaits(sql), { timeout: 60_000 }).not.toHaveLength(0)

/** Until one session waits for this table, or for an advisory lock with this first key. */
export function oneWaitsFor(sql: Asked, lock: { table: string } | { key: number }) {
  const [[name, wanted] = []] = Object.entries(lock)
  const waits = async () => (await lockWaits(sql)).filter((wait) => wait[name as keyof LockWait] === wanted)
  return expect.poll(waits).toHaveLength(1)
}

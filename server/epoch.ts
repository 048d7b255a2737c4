/**
 * The history that ids and sequence numbers of a library belong to. A library that was set back to an earlier state begins another one, whose
 * numbers lie far ahead of all that were ever given out: what clients remember of the lost stretch never means something else (contract-gaps 9).
 */
import { randomBytes } from 'node:crypto'
import type { LibraryEpoch } from '../contract/shapes.ts'
import type { Sql } from './database/sql.ts'

/** As the row of `feed_heads` holds it. */
export interface EpochRow {
  epoch_id: string
  epoch_began_at: string
}

export const epochOf = ({ epoch_id: id, epoch_began_at: began_at }: EpochRow): LibraryEpoch => ({ id, began_at })

export const newEpochId = (): string => randomBytes(16).toString('hex')

/** No library gives out so many numbers in a millisecond, over the time from one restore to the next. */
const numbersPerMs = 100
const firstMs = Date.UTC(2025, 0, 1)
/** Where the clock says less than was given out already. */
const leastJump = 1_000_000_000

/** The feeds of a new workspace. */
export async function beginFeeds(sql: Sql, workspaceId: number, at: string): Promise<void> {
  await sql`
    insert into feed_heads (workspace_id, epoch_id, epoch_began_at) values (${workspaceId}, ${newEpochId()}, ${at})
    on conflict do nothing`
}

/**
 * In a transaction, while no request is answered. The numbers follow the clock: a backup that is restored twice goes on with other ones each
 * time.
 */
export async function beginEpoch(sql: Sql, { id, now }: { id: string; now: Date }): Promise<void> {
  const first = Math.max(0, now.getTime() - firstMs) * numbersPerMs
  await sql`
    select setval(quote_ident(sequencename)::regclass, greatest(coalesce(last_value, 0) + ${leastJump}::bigint, ${first}::bigint))
      from pg_sequences where schemaname = current_schema()`
  const ahead = (number: ReturnType<Sql>) => sql`greatest(${number} + ${leastJump}::bigint, ${first}::bigint)`
  await sql`
    update feed_heads set change_seq = ${ahead(sql`change_seq`)}, activity_id = ${ahead(sql`activity_id`)},
                          epoch_id = ${id}, epoch_began_at = ${now.toISOString()}`
}

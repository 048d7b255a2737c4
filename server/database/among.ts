/** Lists of values in a statement. As a subquery the planner can hash them; `= any(array)` compares each row with each value. */
import type { Fragment, Sql } from './sql.ts'

export const amongTexts = (sql: Sql, values: Iterable<string>): Fragment => sql`in (select unnest(${[...values]}::text[]))`
export const amongIds = (sql: Sql, values: Iterable<number>): Fragment => sql`in (select unnest(${[...values]}::bigint[]))`

/**
 * A list to look up one by one: `from ${lookupTexts(…)} cross join lateral (select … where key = lookup.key offset 0) found`.
 * `offset 0` makes every look-up go through the index. Left to choose, the planner takes linked conditions for independent ones,
 * expects a single row, and compares each of thousands of rows with each of thousands of keys.
 */
export const lookupTexts = (sql: Sql, values: Iterable<string>): Fragment => sql`unnest(${[...values]}::text[]) as lookup (key)`
export const lookupIds = (sql: Sql, values: Iterable<number>): Fragment => sql`unnest(${[...values]}::bigint[]) as lookup (key)`

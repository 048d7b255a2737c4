/** Ids taken before their rows are written, so that rows of several tables can refer to each other in one go. */
import type { Sql } from './sql.ts'

export async function takeIds(
  sql: Sql,
  table: 'objects' | 'entries' | 'variant_groups' | 'artifacts' | 'attachments' | 'level_sets',
  count: number,
): Promise<number[]> {
  if (count === 0) return []
  const rows = await sql<{ id: number }[]>`
    with s as materialized (select pg_get_serial_sequence(${table}, 'id')::regclass as sequence)
    select nextval(s.sequence) as id from s, generate_series(1, ${count})`
  return rows.map((row) => row.id)
}

/** The entries of lineages, which records of the activity name beside them. */

import { amongTexts } from '../database/among.ts'
import type { Writing } from '../database/transaction.ts'

/** Entry ids by lineage; lineages without an entry are left out. */
export async function entriesOf(
  { sql, workspace }: Pick<Writing, 'sql' | 'workspace'>,
  records: readonly { lineage_id: string }[],
): Promise<Map<string, number>> {
  if (records.length === 0) return new Map()
  const ids = records.map(({ lineage_id }) => lineage_id)
  const rows = await sql<{ id: number; lineage_id: string }[]>`
    select id, lineage_id from entries where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, ids)}`
  return new Map(rows.map(({ id, lineage_id }) => [lineage_id, id]))
}

/** Where a catalog is read from, and how far the library is. */
import type { Database } from '../../database/open.ts'

/** What reads whole libraries has connections of its own. */
export interface Source {
  database: Pick<Database, 'sql' | 'longSql' | 'kind'>
  workspaceId: number
}

/** The numbers of the last changes in a workspace: of the change feed, and of what is said about entries and how they look, which is not in that feed. */
export interface Head {
  changes: number
  comments: number
  looks: number
}

export async function readHead({ database: { sql }, workspaceId }: Source): Promise<Head> {
  const [row] = await sql<Head[]>`
    select change_seq as changes, comment_seq as comments, look_seq as looks from feed_heads where workspace_id = ${workspaceId}`
  if (!row) throw new Error(`workspace ${workspaceId} has no feed head`)
  return row
}

/** The last id of each batch but the last one. */
export async function selectBatchEnds({ database: { longSql }, workspaceId }: Source, size: number): Promise<number[]> {
  const rows = await longSql<{ id: number }[]>`
    select id from (select id, row_number() over (order by id) as number from entries where workspace_id = ${workspaceId}) numbered
     where number % ${size} = 0 order by id`
  return rows.map((row) => row.id)
}

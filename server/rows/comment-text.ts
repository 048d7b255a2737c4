/** What search reads of comments. */
import { lookupIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

interface Wanted {
  entryIds: readonly number[]
  /** The oldest comments of each entry up to so many, and the one that goes beyond. */
  characters: number
}

/** Of entries about which something is said, the texts, oldest first. Only entries that were ever commented are looked at. */
export async function selectCommentTexts(
  sql: Sql,
  workspaceId: number,
  { entryIds, characters }: Wanted,
): Promise<Map<number, string[]>> {
  const rows = await sql<{ entry_id: number; texts: string[] }[]>`
    select commented.entry_id, said.texts
      from ${lookupIds(sql, entryIds)}
     cross join lateral (
       select entry_id from commented_entries where workspace_id = ${workspaceId} and entry_id = lookup.key offset 0) commented
     cross join lateral (
       select json_agg(body order by id) as texts
         from (select id, body, sum(char_length(body)) over (order by id) - char_length(body) as before
                 from comments where workspace_id = ${workspaceId} and entry_id = commented.entry_id) as counted
        where before < ${characters} offset 0) said
     where said.texts is not null`
  return new Map(rows.map((row) => [row.entry_id, row.texts]))
}

/** The only list of the columns of a tag: as lists show it, and as entries do. */

import { ApiError } from '../../contract/errors.ts'
import type { Tag, TagOnEntry } from '../../contract/tags.ts'
import { lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** `tail` may use the alias t and begins with `and` or `order by`. */
export const selectTags = (sql: Sql, workspaceId: number, tail: Fragment): PromiseLike<(Tag & { name_key: string })[]> =>
  sql<(Tag & { name_key: string })[]>`
    select t.id, t.name, t.name_key, t.color,
           (select count(*)::int from entry_tags x where x.workspace_id = t.workspace_id and x.tag_id = t.id) as entry_count
      from tags t where t.workspace_id = ${workspaceId} ${tail}`

/**
 * To be joined by `entry_id`: the tags of each entry as a list, by name; entries without any are left out. A part of the statement that
 * reads the entries, so that both are of one moment.
 */
export const tagsOf = (sql: Sql, workspaceId: number, entryIds: readonly number[]): Fragment => sql`
  select lookup.key as entry_id,
         json_agg(json_build_object('id', found.id, 'name', found.name, 'color', found.color) order by found.name_key) as list
    from ${lookupIds(sql, new Set(entryIds))} cross join lateral (
      select t.* from entry_tags x cross join lateral (
        select id, name, color, name_key from tags where workspace_id = ${workspaceId} and id = x.tag_id offset 0) t
       where x.workspace_id = ${workspaceId} and x.entry_id = lookup.key offset 0) found
   group by lookup.key`

/** The entries that show the tag, looked up one by one (server/database/among.ts says why). */
export const selectTagged = (sql: Sql, workspaceId: number, tagId: number) =>
  sql<{ id: number; lineage_id: string }[]>`
    select found.* from entry_tags x cross join lateral (
      select e.id, e.lineage_id from entries e where e.workspace_id = ${workspaceId} and e.id = x.entry_id offset 0) found
     where x.workspace_id = ${workspaceId} and x.tag_id = ${tagId}`

/**
 * Until the transaction ends, for `use` by entries or for a `change` of the tag itself, which waits for every use: who hears of a
 * change hears of all entries that show it. TAG_NOT_FOUND otherwise.
 */
export async function holdTag(
  sql: Sql,
  workspaceId: number,
  { tagId, to }: { tagId: number; to: 'use' | 'change' },
): Promise<TagOnEntry> {
  const [tag] = await sql<TagOnEntry[]>`
    select id, name, color from tags where workspace_id = ${workspaceId} and id = ${tagId}
       ${to === 'use' ? sql`for key share` : sql`for update`}`
  if (!tag) throw new ApiError('TAG_NOT_FOUND', `There is no tag ${tagId} in this workspace.`)
  return tag
}

/** The only place that lists the columns of a comment, and how comments are held. */

import type { Comment } from '../../contract/comments.ts'
import { ApiError } from '../../contract/errors.ts'
import { lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { attachmentList } from './attachment.ts'
import { holdEntryRow } from './hold.ts'
import { momentOf, stubOf } from './json.ts'

/** Where, and who looks: reactions say which are their own. */
export interface View {
  workspaceId: number
  viewerId: number
}

export const viewOf = ({ workspace, actor }: { workspace: { id: number }; actor: { id: number } }): View => ({
  workspaceId: workspace.id,
  viewerId: actor.id,
})

const mentionList = (sql: Sql, workspaceId: number): Fragment => sql`
  (select coalesce(json_agg(${stubOf(sql, 'm')} order by named.place), '[]')
     from unnest(c.mentions) with ordinality as named (id, place)
     join members m on m.workspace_id = ${workspaceId} and m.id = named.id)`

/** An emoji stands where the first person put it. */
const reactionList = (sql: Sql, { workspaceId, viewerId }: View): Fragment => sql`
  (select coalesce(json_agg(json_build_object('emoji', r.emoji, 'count', r.count, 'me', r.me, 'names', r.names) order by r.first_at, r.emoji), '[]')
     from (select x.emoji, count(*) as count, bool_or(x.member_id = ${viewerId}) as me, min(x.created_at) as first_at,
                  json_agg(m.display_name order by x.created_at, x.member_id) as names
             from comment_reactions x join members m on m.workspace_id = x.workspace_id and m.id = x.member_id
            where x.workspace_id = ${workspaceId} and x.comment_id = c.id group by x.emoji) r)`

/** As JSON; c = comments, a = its author, d = who resolved it. */
const commentJson = (sql: Sql, view: View): Fragment => sql`
  json_build_object(
    'id', c.id, 'entry_id', c.entry_id, 'object_id', c.object_id, 'parent_id', c.parent_id, 'body', c.body, 'author', ${stubOf(sql, 'a')},
    'mentions', ${mentionList(sql, view.workspaceId)},
    'attachments', ${attachmentList(sql, view.workspaceId, { kind: 'comment', id: sql`c.id` })},
    'reactions', ${reactionList(sql, view)},
    'created_at', ${momentOf(sql, sql`c.created_at`)}, 'updated_at', ${momentOf(sql, sql`c.updated_at`)}, 'updated_by', c.updated_by,
    'resolved_at', ${momentOf(sql, sql`c.resolved_at`)}, 'resolved_by', ${stubOf(sql, 'd')})`

const joins = (sql: Sql): Fragment => sql`
  comments c
  left join members a on a.workspace_id = c.workspace_id and a.id = c.created_by
  left join members d on d.workspace_id = c.workspace_id and d.id = c.resolved_by`

/**
 * To be joined by `entry_id`: the comments of each entry as a list, oldest first; entries without any are left out. A part of the
 * statement that reads the entries, so that both are of one moment.
 */
export const commentsOf = (sql: Sql, view: View, entryIds: readonly number[]): Fragment => sql`
  select lookup.key as entry_id, found.list
    from ${lookupIds(sql, new Set(entryIds))} cross join lateral (
      select json_agg(${commentJson(sql, view)} order by c.id) as list from ${joins(sql)}
       where c.workspace_id = ${view.workspaceId} and c.entry_id = lookup.key offset 0) found
   where found.list is not null`

/** COMMENT_NOT_FOUND otherwise. */
export async function requireComment(sql: Sql, view: View, id: number): Promise<Comment> {
  const [row] = await sql<{ comment: Comment }[]>`
    select ${commentJson(sql, view)} as comment from ${joins(sql)} where c.workspace_id = ${view.workspaceId} and c.id = ${id}`
  if (!row) throw commentNotFound(id)
  return row.comment
}

/** What handlers look at before they change something. */
export interface HeldComment {
  id: number
  entry_id: number
  lineage_id: string
  parent_id: number | null
  created_by: number
  mentions: number[]
  resolved_at: Date | null
}

/**
 * Until the transaction ends, to `use` it, or for a `change` of the comment itself, which waits for every use. Its entry is held before
 * it, as everywhere. COMMENT_NOT_FOUND otherwise.
 */
export async function holdComment(
  sql: Sql,
  workspaceId: number,
  { id, to }: { id: number; to: 'use' | 'change' },
): Promise<HeldComment> {
  const [known] = await sql<
    { entry_id: number }[]
  >`select entry_id from comments where workspace_id = ${workspaceId} and id = ${id}`
  const entry = known && (await holdEntryRow(sql, workspaceId, known.entry_id))
  const [held] = await sql<Omit<HeldComment, 'lineage_id'>[]>`
    select id, entry_id, parent_id, created_by, mentions, resolved_at from comments
     where workspace_id = ${workspaceId} and id = ${id} ${to === 'use' ? sql`for key share` : sql`for update`}`
  if (!held || !entry) throw commentNotFound(id)
  return { ...held, lineage_id: entry.lineage_id }
}

export const commentNotFound = (id: number) => new ApiError('COMMENT_NOT_FOUND', `There is no comment ${id} in this workspace.`)

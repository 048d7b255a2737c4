/** Comments are written here: who is told of one, what it takes with it when it goes (spec 4.7, 6). */
import type { Comment, comments } from '../../contract/comments.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/route.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { notify } from '../notifications/notify.ts'
import { startWatching, watchersOf } from '../notifications/watching.ts'
import { commentNotFound, type HeldComment, holdComment, requireComment, viewOf } from '../rows/comment.ts'
import { requireEntryRow } from '../rows/entry.ts'
import { requireVersionOf } from '../rows/version.ts'
import { countGone } from '../storage/counting/stored-bytes.ts'
import { attach, deleteAttachmentsOf } from './attachments.ts'
import { mentionsIn } from './mentions.ts'

type Posting = Context & { input: InputOf<(typeof comments)['create']> }
type Editing = Context & { input: InputOf<(typeof comments)['update']> }

export async function postComment(request: Posting): Promise<Comment> {
  const { sql, workspace, actor, now, feed, input } = request
  const entry = await requireEntryRow(sql, workspace.id, input.entry_id)
  const objectId = input.object_id ?? null
  if (objectId !== null) await requireVersionOf(sql, workspace.id, { objectId, lineageId: entry.lineage_id })
  const thread = await holdThread(request)
  const mentions = await mentionsIn(sql, workspace.id, input.body)
  const parentId = thread?.id ?? null
  const [made] = await sql<{ id: number }[]>`
    insert into comments (workspace_id, entry_id, object_id, parent_id, body, mentions, created_by, created_at, updated_by)
    values (${workspace.id}, ${entry.id}, ${objectId}, ${parentId}, ${input.body}, ${mentions}::bigint[], ${actor.id},
            ${now.toISOString()}, ${actor.id})
    returning id`
  if (!made) throw new Error('the comment was not recorded')
  await attach(request, { ids: input.attachment_ids ?? [], to: { kind: 'comment', id: made.id } })
  await startWatching(request, entry.id)
  await notify(request, { entryId: entry.id, lineageId: entry.lineage_id, objectId, commentId: made.id }, [
    { reason: 'comment.mention', memberIds: mentions },
    { reason: 'comment.reply', memberIds: thread ? [thread.created_by] : [] },
    { reason: 'comment.new', memberIds: await watchersOf(sql, workspace.id, entry.id) },
  ])
  feed.happened({
    type: 'comment.create',
    entryId: entry.id,
    lineageId: entry.lineage_id,
    objectId,
    payload: { comment_id: made.id, parent_id: parentId },
  })
  feed.commentsChanged(entry.id)
  return requireComment(sql, viewOf(request), made.id)
}

/** The comment that is replied to; who deletes it waits. */
const holdThread = async (request: Posting): Promise<{ id: number; created_by: number } | undefined> => {
  const { entry_id: entryId, parent_id: id } = request.input
  return id == null ? undefined : holdTop(request, { id, entryId, field: 'parent_id' })
}

interface Top {
  id: number
  entryId: number
  /** Of the request. */
  field: string
}

/** A comment at the top of a thread of an entry that is held: COMMENT_NOT_FOUND, or VALIDATION where it is something else. */
export async function holdTop(
  { sql, workspace }: Context,
  { id, entryId, field }: Top,
): Promise<{ id: number; created_by: number }> {
  const [known] = await sql<{ entry_id: number; parent_id: number | null }[]>`
    select entry_id, parent_id from comments where workspace_id = ${workspace.id} and id = ${id}`
  if (!known) throw commentNotFound(id)
  if (known.entry_id !== entryId)
    throw validationError([{ path: field, message: `names comment ${id}, which belongs to another entry` }])
  if (known.parent_id !== null)
    throw validationError([{ path: field, message: `names comment ${id}, which is a reply; threads are one level deep` }])
  const [held] = await sql<{ id: number; created_by: number }[]>`
    select id, created_by from comments where workspace_id = ${workspace.id} and id = ${id} for key share`
  if (!held) throw commentNotFound(id)
  return held
}

/** Tells only those whom it newly mentions. */
export async function editComment(request: Editing): Promise<Comment> {
  const { sql, workspace, actor, now, feed, input } = request
  const comment = await holdOwn(request)
  const mentions = await mentionsIn(sql, workspace.id, input.body)
  await sql`
    update comments
       set body = ${input.body}, mentions = ${mentions}::bigint[], updated_by = ${actor.id}, updated_at = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id = ${comment.id}`
  if (input.attachment_ids !== undefined)
    await attach(request, { ids: input.attachment_ids, to: { kind: 'comment', id: comment.id }, replace: true })
  const fresh = mentions.filter((id) => !comment.mentions.includes(id))
  await notify(request, { entryId: comment.entry_id, lineageId: comment.lineage_id, commentId: comment.id }, [
    { reason: 'comment.mention', memberIds: fresh },
  ])
  feed.commentsChanged(comment.entry_id)
  return requireComment(sql, viewOf(request), comment.id)
}

/** With its replies, reactions and attachments; what was drawn for it stays. */
export async function deleteComment(request: Context & { input: { comment_id: number } }): Promise<void> {
  const { sql, workspace, now, feed } = request
  const comment = await holdOwn(request)
  const replies = await sql<{ id: number }[]>`
    select id from comments where workspace_id = ${workspace.id} and parent_id = ${comment.id} order by id for update`
  const ids = [comment.id, ...replies.map((reply) => reply.id)]
  await sql`update annotations set comment_id = null where workspace_id = ${workspace.id} and comment_id ${amongIds(sql, ids)}`
  await sql`delete from comment_reactions where workspace_id = ${workspace.id} and comment_id ${amongIds(sql, ids)}`
  await sql`delete from comments where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  const files = await deleteAttachmentsOf(sql, workspace.id, { kind: 'comment', ids })
  await countGone(sql, workspace.id, { files, now })
  feed.commentsChanged(comment.entry_id)
}

/** For a change by its author or an admin; FORBIDDEN for everyone else. */
async function holdOwn({ sql, workspace, actor, input }: Context & { input: { comment_id: number } }): Promise<HeldComment> {
  const comment = await holdComment(sql, workspace.id, { id: input.comment_id, to: 'change' })
  if (comment.created_by !== actor.id && actor.role !== 'admin')
    throw new ApiError('FORBIDDEN', `Comment ${comment.id} was written by someone else; only they or an admin can change it.`)
  return comment
}

/** Anyone may; a thread that is as it is asked for already stays as it is, and nobody is told. */
export async function setResolved(request: Context & { input: { comment_id: number } }, resolved: boolean): Promise<Comment> {
  const { sql, workspace, actor, now, feed, input } = request
  const comment = await holdComment(sql, workspace.id, { id: input.comment_id, to: 'change' })
  if (comment.parent_id !== null)
    throw validationError([{ path: 'comment_id', message: 'names a reply; threads are resolved at their first comment' }])
  if ((comment.resolved_at !== null) !== resolved) {
    await sql`
      update comments
         set resolved_at = ${resolved ? now.toISOString() : null}, resolved_by = ${resolved ? actor.id : null}
       where workspace_id = ${workspace.id} and id = ${comment.id}`
    const { entry_id: entryId, lineage_id: lineageId } = comment
    if (resolved)
      await notify(request, { entryId, lineageId, commentId: comment.id }, [
        { reason: 'comment.resolved', memberIds: [comment.created_by] },
      ])
    feed.happened({ type: 'comment.resolve', entryId, lineageId, payload: { comment_id: comment.id, resolved } })
  }
  return requireComment(sql, viewOf(request), comment.id)
}

/**
 * All that is said and drawn about entries, when they are deleted. The caller holds them: nobody adds to it meanwhile. Gives the files of
 * what was attached, for `countGone`.
 */
export async function deleteDiscussions(
  sql: Sql,
  workspaceId: number,
  entryIds: readonly number[],
): Promise<{ key: string; size: number }[]> {
  const ofThem = sql`workspace_id = ${workspaceId} and entry_id ${amongIds(sql, entryIds)}`
  await sql`delete from annotations where ${ofThem}`
  await sql`delete from commented_entries where ${ofThem}`
  const gone = await sql<{ id: number }[]>`delete from comments where ${ofThem} returning id`
  const ids = gone.map((comment) => comment.id)
  await sql`delete from comment_reactions where workspace_id = ${workspaceId} and comment_id ${amongIds(sql, ids)}`
  return deleteAttachmentsOf(sql, workspaceId, { kind: 'comment', ids })
}

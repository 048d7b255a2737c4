/** Comments: threads under entries, with reactions (spec 4.7). */
import type { comments as contract } from '../../contract/comments.ts'
import { deleteComment, editComment, postComment, setResolved } from '../discussion/comments.ts'
import type { Handlers } from '../handler.ts'
import { holdComment, requireComment, viewOf } from '../rows/comment.ts'
import { requireEntryComments } from '../rows/entry.ts'

export const comments: Handlers<typeof contract> = {
  async list(request) {
    return { comments: await requireEntryComments(request.sql, viewOf(request), request.input.entry_id) }
  },

  get: (request) => requireComment(request.sql, viewOf(request), request.input.comment_id),

  create: postComment,

  update: editComment,

  async remove(request) {
    await deleteComment(request)
  },

  resolve: (request) => setResolved(request, true),

  unresolve: (request) => setResolved(request, false),

  async react({ sql, workspace, actor, now, input }) {
    await holdComment(sql, workspace.id, { id: input.comment_id, to: 'use' })
    await sql`
      insert into comment_reactions (workspace_id, comment_id, emoji, member_id, created_at)
      values (${workspace.id}, ${input.comment_id}, ${input.emoji}, ${actor.id}, ${now.toISOString()})
      on conflict do nothing`
  },

  async unreact({ sql, workspace, actor, input }) {
    await holdComment(sql, workspace.id, { id: input.comment_id, to: 'use' })
    await sql`
      delete from comment_reactions
       where workspace_id = ${workspace.id} and comment_id = ${input.comment_id} and emoji = ${input.emoji} and member_id = ${actor.id}`
  },
}

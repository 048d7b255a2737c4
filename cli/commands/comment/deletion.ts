/** What goes when a comment is deleted, in words. */
import { threadsOf } from '../../../client/discussion/threads.ts'
import type { Api } from '../../../client/http/api.ts'
import type { Comment } from '../../../contract/comments.ts'
import { excerpt } from '../../discussion/comment-words.ts'
import { personName } from '../../discussion/people.ts'
import { count } from '../../terminal/amounts.ts'

export interface Deletion {
  plan: string
  done: string
  /** For programs. */
  found: { comment: Comment; replies: number }
}

export async function deletionOf(api: Api, comment: Comment): Promise<Deletion> {
  const { comments } = await api.comments.list({ entry_id: comment.entry_id })
  const replies = threadsOf(comments).find(({ top }) => top.id === comment.id)?.replies.length ?? 0
  const along = replies === 0 ? '' : `, with ${count(replies, 'reply', 'replies')}`
  const { id, author, body } = comment
  return {
    plan: `Comment ${id} of ${personName(author)} would be deleted${along}: "${excerpt(body)}"`,
    done: `Comment ${id} is deleted${along}.`,
    found: { comment, replies },
  }
}

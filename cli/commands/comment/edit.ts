/** A comment that is changed: who may, and what becomes of its text and its pictures. */

import { ClientError } from '../../../client/client-error.ts'
import { type Picture, uploadPictures } from '../../../client/discussion/pictures.ts'
import type { Api } from '../../../client/http/api.ts'
import type { Comment } from '../../../contract/comments.ts'
import { limits } from '../../../contract/limits.ts'
import type { Context } from '../../context.ts'
import { requireComment } from '../../discussion/comment-reference.ts'
import { personName } from '../../discussion/people.ts'
import { withText } from '../../discussion/text.ts'
import { requireWriter } from '../../entries/key-rights.ts'
import { failed } from '../../refusal.ts'
import { mentionWords } from './post.ts'

/** A comment that the key may change. Refuses with `FORBIDDEN` before anything is written or asked. */
export async function requireOwn(api: Api, commentId: number, act: 'change' | 'delete'): Promise<Comment> {
  const { isAdmin, user } = await requireWriter(api)
  const comment = await requireComment(api, commentId)
  if (isAdmin || comment.author.id === user.id) return comment
  throw failed(
    'FORBIDDEN',
    `Comment ${commentId} was written by ${personName(comment.author)}; only they or an admin of the workspace may ${act} it.`,
    `Ask ${personName(comment.author)}, or reply to it: \`ph comment ${comment.entry_id} --reply ${commentId}\`.`,
  )
}

interface Change {
  before: Comment
  given: readonly string[]
  pictures: readonly Picture[]
  dropsPictures: boolean
}

/** Without a text the pictures alone are changed, or the text in the editor. */
export async function editComment(context: Context, api: Api, change: Change): Promise<void> {
  const { before, given, pictures, dropsPictures } = change
  const kept = dropsPictures ? [] : before.attachments.map(({ id }) => id)
  const { perPlace } = limits.attachment
  if (kept.length + pictures.length > perPlace)
    throw new ClientError('TOO_MANY_PICTURES', `Comment ${before.id} would have more than ${perPlace} pictures.`, {
      next: 'Give fewer, or take off those that it has: --no-images',
    })
  const changesPictures = dropsPictures || pictures.length > 0
  const send = async (text: string) => {
    const added = await uploadPictures(api, pictures)
    const comment = await api.comments.update({
      comment_id: before.id,
      body: text,
      ...(changesPictures ? { attachment_ids: [...kept, ...added] } : {}),
    })
    const me = comment.updated_by
    context.out.result(comment, () => `Changed comment ${comment.id}.${mentionWords(comment, me)}`)
  }
  if (given.length === 0 && changesPictures) return send(before.body)
  const draft = () => ({ text: before.body, about: [`Comment ${before.id}. What is left empty stays as it was.`] })
  await withText(context, { given, draft }, async (text) => {
    if (text === before.body.trimEnd() && !changesPictures)
      return context.out.result(before, `Comment ${before.id} stays as it was.`)
    return send(text)
  })
}

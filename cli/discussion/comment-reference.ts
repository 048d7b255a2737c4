/** Comments as people name them: by the number that stands before each. */

import type { Api } from '../../client/http/api.ts'
import type { Comment } from '../../contract/comments.ts'
import { ApiError } from '../../contract/errors.ts'
import { failed, wrongUsage } from '../refusal.ts'

/** What the argument means. */
export const commentArgument = 'its number, as `ph comments` shows it'

/** `12`, also `#12`. */
export function readCommentId(given: string): number {
  const [, digits] = /^#?([1-9]\d{0,14})$/.exec(given.trim()) ?? []
  if (digits !== undefined) return Number(digits)
  throw wrongUsage(`"${given}" is not the number of a comment.`, 'See the numbers with `ph comments <entry>`.')
}

/** Refuses with `COMMENT_NOT_FOUND`, or `NOT_SUPPORTED` where the server shows no single comments. */
export async function requireComment(api: Api, commentId: number): Promise<Comment> {
  return api.comments.get({ comment_id: commentId }).catch((error: unknown) => {
    if (error instanceof ApiError && [404, 405].includes(error.status) && error.code !== 'COMMENT_NOT_FOUND')
      throw failed(
        'NOT_SUPPORTED',
        'This server shows comments only with their prop, so ph cannot look one up by its number.',
        'Ask the administrator of the server to update it.',
      )
    throw error
  })
}

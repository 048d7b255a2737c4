/** `ph resolve`: says that a thread is done with, or opens it again. */

import type { Comment } from '../../contract/comments.ts'
import { ApiError } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { commentArgument, readCommentId, requireComment } from '../discussion/comment-reference.ts'
import { excerpt } from '../discussion/comment-words.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { withLibrary } from '../library.ts'

export const commands = [
  command({
    usage: 'resolve <comment>',
    description: 'Anyone may. Whose thread it is is told. A reply means the thread that it stands in.',
    arguments: { comment: commentArgument },
    options: { undo: flag('--undo', 'open the thread again') },
    examples: [
      ['resolve 12', 'what comment 12 began is done'],
      ['resolve 12 --undo', 'it is not done after all'],
    ],
    async run(context, { comment: reference, undo }) {
      const given = readCommentId(reference)
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        const set = (comment_id: number) => (undo ? api.comments.unresolve({ comment_id }) : api.comments.resolve({ comment_id }))
        const thread = await set(given).catch(async (error: unknown) => {
          if (!(error instanceof ApiError && error.code === 'VALIDATION')) throw error
          const { parent_id } = await requireComment(api, given)
          if (parent_id === null) throw error
          return set(parent_id)
        })
        context.out.result(thread, () => words(thread, given))
      })
      return undefined
    },
  }),
]

function words({ id, resolved_at, body }: Comment, given: number): string {
  const thread = id === given ? `Thread ${id}` : `Thread ${id}, in which ${given} replies,`
  return `${thread} is ${resolved_at === null ? 'open' : 'resolved'}: "${excerpt(body, 60)}"`
}

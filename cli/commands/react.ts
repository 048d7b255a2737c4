/** `ph react`: an emoji under a comment, which says something without telling everyone. */
import { reactionMeant, reactionWords } from '../../client/discussion/reactions.ts'
import { command, flag } from '../command.ts'
import { commentArgument, readCommentId, requireComment } from '../discussion/comment-reference.ts'
import { reactionsOf } from '../discussion/comment-words.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'

const choices = Object.entries(reactionWords).map(([emoji, [word]]) => `${emoji} ${word}`)

export const commands = [
  command({
    usage: 'react <comment> <emoji>',
    description: `Nobody is told. There are ${choices.join(', ')}.`,
    arguments: { comment: commentArgument, emoji: 'one of them, or its word' },
    options: { undo: flag('--undo', 'take it back') },
    examples: [
      ['react 12 👍', 'agree with comment 12'],
      ['react 12 party', 'the same as 🎉, where a keyboard has none'],
      ['react 12 party --undo', 'take it back'],
    ],
    async run(context, { comment: reference, emoji: given, undo }) {
      const comment_id = readCommentId(reference)
      const emoji = reactionMeant(given)
      if (emoji === undefined) throw wrongUsage(`"${given}" is none of the reactions.`, `There are ${choices.join(', ')}.`)
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        await requireComment(api, comment_id)
        await (undo ? api.comments.unreact({ comment_id, emoji }) : api.comments.react({ comment_id, emoji }))
        const comment = await requireComment(api, comment_id)
        context.out.result(comment, () =>
          comment.reactions.length === 0
            ? `Comment ${comment_id} has no reactions now.`
            : `Comment ${comment_id}: ${reactionsOf(comment)}`,
        )
      })
      return undefined
    },
  }),
]

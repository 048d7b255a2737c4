/** `ph comment`: says something about a prop, changes what was said, takes it back. */

import { readPictures } from '../../client/discussion/pictures.ts'
import { requireEntryId } from '../../client/entries/reference.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag, texts, value } from '../command.ts'
import { commentArgument, readCommentId, requireComment } from '../discussion/comment-reference.ts'
import { textArgument, withText } from '../discussion/text.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { readVersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { deletionOf } from './comment/deletion.ts'
import { editComment, requireOwn } from './comment/edit.ts'
import { findPlace, post, postedWords } from './comment/post.ts'

const { perPlace } = limits.attachment
const editorTerms = {
  title: 'Settings',
  list: [
    [
      'PH_EDITOR, VISUAL, EDITOR',
      'the editor for texts, with its arguments, such as `code --wait`; `ph config set editor` sets the first (default: vi, on Windows notepad)',
    ],
  ],
} as const

export const commands = [
  command({
    usage: 'comment <entry> [text...]',
    description: `Everyone who watches the prop is told, and who is named by @login-name or @display-name. You watch it from then on, unless you muted it. Pictures are PNG; JPEG, WebP and GIF files are sent as PNG.`,
    arguments: { entry: 'its id, its name or its /Game path', text: textArgument },
    options: {
      reply: value('--reply <comment>', 'as a reply in the thread of this comment', readCommentId),
      version: value('--version <version>', 'about this version, such as v2', readVersionChoice),
      image: texts('--image <file>', `a picture that goes with it (repeatable, up to ${perPlace})`),
    },
    terms: editorTerms,
    examples: [
      ['comment SM_Barrel "The rings are too thin, @max"', 'say something, and tell Max'],
      ['comment SM_Barrel', 'write it in your editor'],
      ['comment SM_Barrel --reply 12 "Thicker now"', 'reply in a thread'],
      ['comment SM_Barrel --version v2 --image rings.png "Here"', 'about one version, with a picture'],
      ['comment SM_Barrel - --json', 'the text of standard input; prints the comment as JSON'],
    ],
    exits: ['conflict'],
    async run(context, { entry: reference, text: given, reply, version, image }) {
      await withLibrary(context, async ({ api }) => {
        const { id: me } = (await requireWriter(api)).user
        const place = await findPlace(api, { entryId: await requireEntryId(api, reference), reply, version })
        const pictures = await readPictures(image, context.cwd)
        const draft = () => ({ text: '', about: place.about(context.now()) })
        await withText(context, { given, draft }, async (text) => {
          const comment = await post(api, { place, text, pictures })
          context.out.result(comment, () => postedWords(comment, { place, me, pictures: pictures.length }))
        })
      })
      return undefined
    },
  }),
  command({
    usage: 'comment edit <comment> [text...]',
    summary: 'Change what you said',
    description: 'Its author may, and admins. Only those are told whom it names and did not name before.',
    arguments: { comment: commentArgument, text: textArgument },
    options: {
      image: texts('--image <file>', 'a picture more (repeatable)'),
      noImages: flag('--no-images', 'take off the pictures that it has'),
    },
    terms: editorTerms,
    examples: [
      ['comment edit 12 "The rings are too thin at the top"', 'another text'],
      ['comment edit 12', 'change the text in your editor'],
      ['comment edit 12 --no-images --image new.png', 'another picture, the same text'],
    ],
    exits: ['conflict'],
    async run(context, { comment: reference, text: given, image, noImages }) {
      const commentId = readCommentId(reference)
      await withLibrary(context, async ({ api }) => {
        const before = await requireOwn(api, commentId, 'change')
        const pictures = await readPictures(image, context.cwd)
        await editComment(context, api, { before, given, pictures, dropsPictures: noImages })
      })
      return undefined
    },
  }),
  command({
    usage: 'comment delete <comment>',
    summary: 'Delete a comment with its replies',
    description: 'Its author may, and admins. What was drawn for it stays.',
    arguments: { comment: commentArgument },
    options: { dryRun: flag('--dry-run', 'only show what would be deleted'), yes: yesOption },
    examples: [
      ['comment delete 12', 'after a question'],
      ['comment delete 12 --yes', 'in a script'],
    ],
    async run(context, { comment: reference, dryRun, yes }) {
      const commentId = readCommentId(reference)
      await withLibrary(context, async ({ api }) => {
        const comment = await (dryRun ? requireComment(api, commentId) : requireOwn(api, commentId, 'delete'))
        const { plan, done, found } = await deletionOf(api, comment)
        if (dryRun) return context.out.result({ dry_run: true, ...found }, plan)
        await confirmHarm(context, { yes, plan, details: found, question: 'Delete it?' })
        await api.comments.remove({ comment_id: comment.id })
        context.out.result({ dry_run: false, ...found }, done)
      })
      return undefined
    },
  }),
]

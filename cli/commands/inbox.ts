/** `ph inbox`: what waits for you, to be answered where you are. */
import { readInbox } from '../../client/inbox/inbox.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { withLibrary } from '../library.ts'
import { pictureTerms } from '../terminal/pictures.ts'
import { plainLines } from './inbox/item-words.ts'

export const commands = [
  command({
    usage: 'inbox',
    description:
      'Shows what waits for you: check-outs of yours that end within a day, reviews to answer, changes requested of you, mentions and replies that you have not read. On a terminal it is a list with one thing beside it: its picture, what was said, what differs from the approved version, what depends on it, the thread. One key each answers, comments, checks out, pulls, or marks as read; ? lists them. With --plain, for a screen reader (INK_SCREEN_READER=true) and without a terminal it prints lines.\n\nWith --json: items, each with kind (lock, review, changes, mention, reply), entry_id, lineage_id, object_id, name, who, text, at, request_id, comment_id, lock, notification_ids; counts by kind; other_unread.',
    options: {
      plain: flag('--plain', 'print lines instead of the view'),
      noPictures: flag('--no-pictures', 'show no pictures'),
    },
    terms: pictureTerms,
    examples: [
      ['inbox', 'look through what waits for you'],
      ['inbox --plain', 'the same as lines'],
      ['inbox --json | jq -r \'.items[] | select(.kind == "review") | .name\'', 'names of props to review, for a script'],
    ],
    async run(context, { plain, noPictures }) {
      return withLibrary(context, async (library) => {
        const { out, now } = context
        const inbox = await readInbox({ api: library.api, now: now() })
        if (plain || !isDrawn(context)) {
          out.result(inbox, () => plainLines(inbox, out, now()))
          return undefined
        }
        const { InboxSession } = await import('./inbox/session.ts')
        return new InboxSession(context, library, { inbox, style: await styleOf(context, noPictures) }).run()
      })
    },
  }),
]

/** Whether there is a terminal on which a view can be drawn, and someone who sees it. */
const isDrawn = ({ interactive, out, env }: Context): boolean =>
  interactive && out.terminal && env.TERM !== 'dumb' && env.INK_SCREEN_READER !== 'true'

/** Pictures of characters, which can be cut like lines; undefined where there are none. */
async function styleOf({ env }: Context, noPictures: boolean): Promise<{ colorDepth: number } | undefined> {
  const { pictureProtocol, colorDepth } = await import('../terminal/views/picture-terminal.ts')
  return noPictures || pictureProtocol(env) === 'none' ? undefined : { colorDepth: Math.max(8, colorDepth(env)) }
}

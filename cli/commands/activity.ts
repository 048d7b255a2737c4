/** `ph activity`: what happened in the library or to one prop, and what happens now. */
import { type FollowingState, followActivity, recentActivity } from '../../client/activity/follow.ts'
import { requireEntryId } from '../../client/entries/reference.ts'
import { activityTypes } from '../../contract/activity.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag, value, values } from '../command.ts'
import { clientName } from '../connection.ts'
import type { Context } from '../context.ts'
import { type Library, withLibrary } from '../library.ts'
import { wholeNumber, wrongUsage } from '../refusal.ts'
import { age, count, moment } from '../terminal/amounts.ts'
import { typesMeant } from './activity/event-types.ts'
import { eventLines, followingWords, type Names, namesFor } from './activity/words.ts'

const mostShown = 10_000
const defaultRecent = 10
const pollMs = 2000

export const commands = [
  command({
    usage: 'activity [entry]',
    description: `Newest first; what was done to many props at once is one line. With --follow the ${defaultRecent} latest come first, oldest at the top, and then what happens, each event for itself, until you stop it with Ctrl-C. When the server is restarted meanwhile, nothing is left out and nothing comes twice. With --follow --json each event is one line of JSON.`,
    arguments: { entry: 'only what happened to this one: its id, its name or its /Game path' },
    options: {
      follow: flag('-f, --follow', 'go on with what happens now'),
      type: values('--type <type>', 'only this type, or all that begin so (repeatable)', typesMeant),
      limit: value(
        '--limit <n>',
        `at most so many of before (default 50, with --follow ${defaultRecent})`,
        wholeNumber('--limit', 0, mostShown),
      ),
      cursor: value(
        '--cursor <id>',
        'go on where the `next_cursor` of an earlier answer stopped',
        wholeNumber('--cursor', 1, Number.MAX_SAFE_INTEGER),
      ),
    },
    terms: {
      title: 'Types',
      list: [
        [activityTypes.join(', '), 'and others, which newer servers may know; `--type review` means all that begin with it'],
      ],
    },
    examples: [
      ['activity', 'what happened lately'],
      ['activity SM_Barrel --limit 200', 'the story of a prop'],
      ['activity --follow --type push --type review', 'new versions and reviews, as they come'],
      ['activity --follow --json | jq -c "[.event_type, .entry_id]"', 'for a program'],
    ],
    async run(context, { entry: reference, follow: isFollowing, type, limit, cursor }) {
      await withLibrary(context, async (library) => {
        const { api } = library
        const entryId = reference === undefined ? undefined : await requireEntryId(api, reference)
        const filter = { entryId, types: [...new Set(type.flat())] }
        if (isFollowing && cursor !== undefined)
          throw wrongUsage('--follow goes on with what happens now, --cursor back.', 'Use one of them.')
        if (isFollowing) return follow(context, library, { ...filter, recent: limit ?? defaultRecent })
        const page = await recentActivity(api, filter, { limit: limit ?? limits.page.default, cursor, collapse: true })
        // What was deleted has a story still; what never was has none.
        if (page.events.length === 0 && entryId !== undefined) await api.entries.get({ entry_id: entryId })
        const names = context.out.json ? new Map() : await namesFor(api, page.events)
        context.out.result(page, () =>
          page.events.length > 0
            ? eventLines(page.events, { names, context, when: (at) => age(at, context.now()) })
            : 'Nothing happened.',
        )
        if (page.next_cursor !== null)
          context.out.note(
            `${count(page.events.length, 'line')} shown; there is more: raise --limit, or --cursor ${page.next_cursor}.`,
          )
      })
      return undefined
    },
  }),
]

interface Followed {
  entryId: number | undefined
  types: readonly string[]
  recent: number
}

/** Ends by its signal only. */
async function follow(context: Context, { api, connection: { url, key } }: Library, filter: Followed): Promise<void> {
  const { out, signal, pause } = context
  const [{ createApi }, { Http }] = await Promise.all([import('../../client/http/api.ts'), import('../../client/http/http.ts')])
  // A server that is away is waited for here, without end, and told once.
  const http = new Http({ url, key, clientName: clientName(), signal, pause, retryForMs: 0 })
  const poll = createApi(http)
  const tell = (state: FollowingState) => out.note(followingWords(state, 'Waiting for it; nothing will be left out.'))
  const names: Names = new Map()
  try {
    const events = followActivity(api, { ...filter, poll, everyMs: pollMs, pause, signal, tell })
    for await (const event of events) {
      if (!out.json) await namesFor(poll, [event], names).catch(() => signal.throwIfAborted())
      await out.event(event, () => eventLines([event], { names, context, when: moment }))
    }
  } finally {
    await http.close('destroy')
  }
}

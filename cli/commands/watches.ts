/** `ph watches`: whose comments you hear of, and which you muted. */
import type { Api } from '../../client/http/api.ts'
import { pagesOf } from '../../client/http/paging.ts'
import { limits } from '../../contract/limits.ts'
import type { WatchedEntry } from '../../contract/watches.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { withLibrary } from '../library.ts'
import { age } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'

export const commands = [
  command({
    usage: 'watches',
    description: 'Newest first, with what you watch because you pushed it first.',
    options: {
      muted: flag('--muted', 'only what you muted'),
      chosen: flag('--chosen', 'leave out what you watch only because you pushed it first'),
    },
    examples: [
      ['watches --chosen', 'what you chose, or took part in'],
      ['watches --muted --json | jq -r ".watches[].name"', 'names for a script'],
    ],
    async run(context, { muted, chosen }) {
      await withLibrary(context, async ({ api }) => {
        const all = await watchesOf(api)
        const watches = all.filter(({ state, reason }) => (!muted || state === 'muted') && !(chosen && reason === 'creator'))
        context.out.result({ watches }, () =>
          watches.length > 0 ? rows(watches, context) : muted ? 'You have muted nothing.' : 'You watch nothing.',
        )
      })
      return undefined
    },
  }),
]

async function watchesOf(api: Api): Promise<WatchedEntry[]> {
  const all: WatchedEntry[] = []
  const ask = (cursor: string | undefined) => api.watches.list({ limit: limits.watches, ...(cursor ? { cursor } : {}) })
  for await (const { watches } of pagesOf(ask)) all.push(...watches)
  return all
}

const reasonWords: Record<string, string> = {
  manual: 'you said so',
  participating: 'you took part',
  creator: 'you pushed it first',
}

const rows = (watches: readonly WatchedEntry[], { out, now }: Context): string[] =>
  table(
    watches,
    [
      { title: 'ID', value: ({ entry_id }) => entry_id, right: true, spare: 'late' },
      { title: 'NAME', value: ({ name }) => name, cut: 'middle' },
      { title: 'STATE', value: ({ state }) => state },
      { title: 'WHY', value: ({ reason }) => reasonWords[reason] ?? reason, cut: 'end' },
      { title: 'SINCE', value: ({ created_at }) => age(created_at, now()), spare: true },
    ],
    out,
  )

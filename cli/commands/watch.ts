/** `ph watch`: hears of every comment on props. */
import { command } from '../command.ts'
import { entriesArgument } from '../entries/list.ts'
import { changeWatches } from '../entries/watching.ts'

export const commands = [
  command({
    usage: 'watch <entries...>',
    description:
      'You are told of every new comment. What you pushed first you watch without saying so; commenting and reviewing begin it too, unless you muted the prop.',
    arguments: { entries: entriesArgument },
    examples: [
      ['watch SM_Barrel SM_Stool', 'two props'],
      ['search --tag hero --ids | ph watch -', 'all that a search finds'],
    ],
    exits: ['partly'],
    run: (context, { entries }) =>
      changeWatches(context, entries, {
        outcome: 'watched',
        isSo: ({ watching, implicit }) => watching && !implicit,
        act: (api, entry_id) => api.watches.set({ entry_id, state: 'watching' }),
      }),
  }),
]

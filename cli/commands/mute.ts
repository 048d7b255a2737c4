/** `ph mute`: hears nothing of the comments on props, whatever one does with them. */
import { command } from '../command.ts'
import { entriesArgument } from '../entries/list.ts'
import { changeWatches } from '../entries/watching.ts'

export const commands = [
  command({
    usage: 'mute <entries...>',
    description:
      'You are no longer told of new comments, also where you comment yourself. Who names you or replies to you still reaches you. `ph watch` or `ph unwatch` ends it.',
    arguments: { entries: entriesArgument },
    examples: [['mute SM_Barrel', 'too much is said about it']],
    exits: ['partly'],
    run: (context, { entries }) =>
      changeWatches(context, entries, {
        outcome: 'muted',
        isSo: ({ state }) => state === 'muted',
        act: (api, entry_id) => api.watches.set({ entry_id, state: 'muted' }),
      }),
  }),
]

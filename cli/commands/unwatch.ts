/** `ph unwatch`: goes back to the default, which is to hear of what one pushed first and of nothing else. */
import { command } from '../command.ts'
import { entriesArgument } from '../entries/list.ts'
import { changeWatches } from '../entries/watching.ts'

export const commands = [
  command({
    usage: 'unwatch <entries...>',
    description: 'Muted props are no longer muted either. What you pushed first you go on watching: `ph mute` silences that.',
    arguments: { entries: entriesArgument },
    examples: [
      ['unwatch SM_Barrel', 'its comments no longer concern you'],
      ['watches --json | jq ".watches[].entry_id" | ph unwatch -', 'everything that you watch'],
    ],
    exits: ['partly'],
    run: (context, { entries }) =>
      changeWatches(context, entries, {
        outcome: 'at the default',
        isSo: ({ state, implicit }) => state === null || implicit,
        act: (api, entry_id) => api.watches.remove({ entry_id }),
        remark: ({ implicit, entry_id }, name) =>
          implicit
            ? `You pushed ${name} first, so you still hear of its comments; \`ph mute ${entry_id}\` silences it.`
            : undefined,
      }),
  }),
]

/** `ph deprecate`: takes entries out of lists and searches, and back in. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import { command, flag } from '../command.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { actOnEach } from '../entries/one-by-one.ts'
import { withLibrary } from '../library.ts'

export const commands = [
  command({
    usage: 'deprecate <entries...>',
    description: 'Deprecated entries leave lists and searches; they can still be read and pulled, with a warning. For admins.',
    arguments: { entries: entriesArgument },
    options: {
      undo: flag('--undo', 'bring them back'),
      dryRun: flag('--dry-run', 'only show what would change'),
    },
    examples: [
      ['deprecate SM_Barrel_Old', 'one prop'],
      ['deprecate - --dry-run < names.txt', 'see what a list would change'],
      ['deprecate SM_Barrel_Old --undo', 'have it back'],
    ],
    exits: ['partly'],
    async run(context, { entries, undo, dryRun }) {
      const references = await readEntryList(context, entries)
      const status = undo ? 'active' : 'deprecated'
      return withLibrary(context, async ({ api }) =>
        actOnEach(context, api, {
          ids: await requireEntryIds(api, references),
          dryRun,
          plan: ({ id: entry_id, status: present }) =>
            present === status
              ? { outcome: `is ${status} already` }
              : { outcome: undo ? 'brought back' : 'deprecated', act: () => api.entries.update({ entry_id, status }) },
        }),
      )
    },
  }),
]

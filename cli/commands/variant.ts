/** `ph variant`: entries that are one prop in several looks. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag, text } from '../command.ts'
import { changeAll } from '../entries/bulk.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'

const dryRun = flag('--dry-run', 'only show what would change')

export const commands = [
  command({
    usage: 'variant group <entries...>',
    summary: 'Make entries one variant group, or add them to the group that one of them is in',
    arguments: { entries: entriesArgument },
    options: { label: text('--label <name>', 'the name of the group'), dryRun },
    examples: [['variant group SM_Stool_Oak SM_Stool_Pine --label Stools', 'two looks of one prop']],
    exits: ['conflict'],
    async run(context, { entries, label, dryRun: isDry }) {
      const references = await readEntryList(context, entries)
      await withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        if (ids.length > limits.bulk)
          throw wrongUsage(
            `A group is made of at most ${number(limits.bulk)} entries at once, and these are ${number(ids.length)}.`,
            'Group some of them, then group one of those with the rest.',
          )
        let variant_group_id: number | null = null
        await changeAll(context, api, {
          ids,
          dryRun: isDry,
          change: ({ variant_group: group }) =>
            group ? `is in group ${group.id} (${group.label ?? 'no name'})` : 'joins the group',
          send: async (entry_ids) => {
            const answer = await api.variants.bulk({ entry_ids, action: 'group', label })
            variant_group_id = answer.variant_group_id
            return answer
          },
          done: (props) => `Put ${props} into one variant group.`,
          more: () => ({ variant_group_id }),
        })
      })
      return undefined
    },
  }),
  command({
    usage: 'variant ungroup <entries...>',
    summary: 'Take entries out of their variant groups',
    arguments: { entries: entriesArgument },
    options: { dryRun },
    examples: [['variant ungroup SM_Stool_Pine', 'one of them']],
    async run(context, { entries, dryRun: isDry }) {
      const references = await readEntryList(context, entries)
      await withLibrary(context, async ({ api }) => {
        await changeAll(context, api, {
          ids: await requireEntryIds(api, references),
          dryRun: isDry,
          change: ({ variant_group: group }) => (group ? `leaves group ${group.id} (${group.label ?? 'no name'})` : undefined),
          send: async (entry_ids) => api.variants.bulk({ entry_ids, action: 'ungroup' }),
          done: (props) => `Took ${props} out of their variant groups.`,
          more: () => ({ variant_group_id: null }),
        })
      })
      return undefined
    },
  }),
]

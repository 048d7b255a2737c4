/** `ph category`: what kind of thing entries are. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import { printable } from '../../system/printable.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { changeAll } from '../entries/bulk.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { nearNames } from '../entries/near-names.ts'
import { withLibrary } from '../library.ts'
import { count } from '../terminal/amounts.ts'
import { confirmHarm } from '../terminal/confirmation.ts'
import { table } from '../terminal/table.ts'

const dryRun = flag('--dry-run', 'only show what would change')

export const commands = [
  command({
    usage: 'category list',
    summary: 'List the categories, with how many entries are in each',
    examples: [['category list', 'those of active entries']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const answer = await api.categories.rollup()
        context.out.result(answer, () =>
          table(
            answer.categories,
            [
              { title: 'CATEGORY', value: (row) => row.category ?? '-', cut: 'end' },
              { title: 'ENTRIES', value: (row) => row.count, right: true },
              { title: 'PACKS', value: (row) => row.pack_count, right: true },
            ],
            context.out,
          ),
        )
      })
      return undefined
    },
  }),
  command({
    usage: 'category set <category> <entries...>',
    summary: 'Put entries into a category; pushes leave it alone from then on',
    arguments: { category: 'its name; a new one is made after a question', entries: entriesArgument },
    options: { dryRun, yes: flag('--yes', 'make a new category without asking, as scripts must') },
    examples: [
      ['category set Furniture SM_Stool SM_Table', 'two props'],
      ['category set Furniture - --dry-run < names.txt', 'see what a list would change'],
    ],
    async run(context, { category, entries, dryRun: isDry, yes }) {
      const references = await readEntryList(context, entries)
      await withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        if (!isDry && !yes) await confirmCategory(context, api, { category, entries: ids.length })
        await changeAll(context, api, {
          ids,
          dryRun: isDry,
          change: (entry) =>
            entry.category === category && entry.category_locked
              ? undefined
              : `from ${entry.category ?? 'no category'} to ${category}`,
          send: async (entry_ids) => api.categories.bulk({ entry_ids, category }),
          done: (props) => `Put ${props} into the category ${printable(category)}.`,
          more: () => ({ category }),
        })
      })
      return undefined
    },
  }),
  command({
    usage: 'category clear <entries...>',
    summary: 'Take entries out of their category; the next push of an entry gives it one again',
    arguments: { entries: entriesArgument },
    options: { dryRun },
    examples: [['category clear SM_Stool', 'one prop']],
    async run(context, { entries, dryRun: isDry }) {
      const references = await readEntryList(context, entries)
      await withLibrary(context, async ({ api }) => {
        await changeAll(context, api, {
          ids: await requireEntryIds(api, references),
          dryRun: isDry,
          change: (entry) =>
            entry.category === null && !entry.category_locked ? undefined : `loses ${entry.category ?? 'the lock'}`,
          send: async (entry_ids) => api.categories.bulk({ entry_ids, category: null }),
          done: (props) => `Took the category off ${props}. The next push of a prop gives it one again.`,
          more: () => ({ category: null }),
        })
      })
      return undefined
    },
  }),
]

/** A category is there as long as an entry is in it: a misspelled one would be made by using it. */
async function confirmCategory(context: Context, api: Api, { category, entries }: { category: string; entries: number }) {
  const { categories } = await api.categories.rollup()
  const known = categories.flatMap((row) => row.category ?? [])
  if (known.includes(category)) return
  const near = nearNames(category, known)
  const meant = near.length > 0 ? ` Similar names: ${near.map(printable).join(', ')}.` : ''
  const plan = `There is no category ${printable(category)} yet.${meant} A new one would be made, with ${count(entries, 'entry', 'entries')} in it.`
  await requireWriter(api)
  await confirmHarm(context, {
    yes: false,
    plan,
    details: { category, near, entries },
    question: `Make the category ${printable(category)}?`,
  })
}

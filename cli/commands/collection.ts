/** `ph collection`: entries gathered for a purpose. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import type { CollectionDetail } from '../../contract/collections.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, text } from '../command.ts'
import type { Context } from '../context.ts'
import { changeAll } from '../entries/bulk.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { allOf, requireNamed } from '../entries/named-record.ts'
import { typeWords } from '../entries/type-names.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { table } from '../terminal/table.ts'

const dryRun = flag('--dry-run', 'only show what would change')
const collectionArgument = 'its name, or its id'

export const commands = [
  command({
    usage: 'collection list',
    summary: 'List the collections',
    examples: [['collection list', 'all of them by name']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const collections = await collectionsOf(api)
        context.out.result({ collections }, () =>
          collections.length === 0
            ? 'No collections.'
            : table(
                collections,
                [
                  { title: 'ID', value: (one) => one.id, right: true },
                  { title: 'NAME', value: (one) => one.name, cut: 'end' },
                  { title: 'ENTRIES', value: (one) => one.entry_count, right: true },
                  { title: 'DESCRIPTION', value: (one) => one.description ?? '-', cut: 'end', spare: true },
                ],
                context.out,
              ),
        )
      })
      return undefined
    },
  }),
  command({
    usage: 'collection show <collection>',
    summary: 'List the entries of a collection',
    arguments: { collection: collectionArgument },
    examples: [
      ['collection show Tavern', 'in the order in which they were added'],
      ['collection show Tavern --json | jq -r ".entries[].id" | ph send - --project Inn', 'send them all'],
    ],
    async run(context, { collection: reference }) {
      await withLibrary(context, async ({ api }) => {
        const { id } = await requireCollection(api, reference)
        const detail = await api.collections.get({ collection_id: id })
        context.out.result(detail, () => detailWords(detail, context))
      })
      return undefined
    },
  }),
  membership({ verb: 'add', summary: 'Put entries into a collection', example: ['collection add Tavern SM_Barrel', 'one prop'] }),
  membership({
    verb: 'remove',
    summary: 'Take entries out of a collection',
    example: ['collection remove Tavern SM_Barrel', 'one prop'],
  }),
  command({
    usage: 'collection create <name>',
    summary: 'Make a collection',
    options: { description: text('--description <text>', 'what it is for') },
    examples: [['collection create Tavern --description "All of the inn"', 'one to fill']],
    exits: ['conflict'],
    async run(context, { name, description }) {
      await withLibrary(context, async ({ api }) => {
        const made = await api.collections.create({ name, description })
        context.out.result(made, `Made the collection ${printable(made.name)} (${made.id}).`)
      })
      return undefined
    },
  }),
  command({
    usage: 'collection edit <collection>',
    summary: 'Rename a collection, or describe it',
    arguments: { collection: collectionArgument },
    options: {
      name: text('--name <name>', 'its new name'),
      description: text('--description <text>', 'what it is for; an empty text takes it away'),
    },
    examples: [['collection edit Tavern --name Inn', 'another name']],
    exits: ['conflict'],
    async run(context, { collection: reference, name, description }) {
      if (name === undefined && description === undefined)
        throw wrongUsage('There is nothing to change.', 'Give --name, --description, or both.')
      await withLibrary(context, async ({ api }) => {
        const { id } = await requireCollection(api, reference)
        const changed = await api.collections.update({
          collection_id: id,
          name,
          description: description === '' ? null : description,
        })
        context.out.result(changed, `Changed the collection ${printable(changed.name)}.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'collection delete <collection>',
    summary: 'Delete a collection; its entries stay',
    arguments: { collection: collectionArgument },
    options: { dryRun, yes: yesOption },
    examples: [['collection delete Tavern', 'the collection alone']],
    async run(context, { collection: reference, dryRun: isDry, yes }) {
      await withLibrary(context, async ({ api }) => {
        const collection = await requireCollection(api, reference)
        const { entry_count } = collection
        const entries = `${count(entry_count, 'entry', 'entries')} ${entry_count === 1 ? 'stays' : 'stay'}`
        const plan = `The collection ${printable(collection.name)} would be deleted; its ${entries}.`
        if (isDry) return context.out.result({ dry_run: true, collection }, plan)
        await requireWriter(api)
        await confirmHarm(context, { yes, plan, details: { collection }, question: 'Delete it?' })
        await api.collections.remove({ collection_id: collection.id })
        context.out.result(
          { dry_run: false, collection },
          `The collection ${printable(collection.name)} is deleted; its ${entries}.`,
        )
      })
      return undefined
    },
  }),
]

function membership({ verb, summary, example }: { verb: 'add' | 'remove'; summary: string; example: readonly [string, string] }) {
  const isAdding = verb === 'add'
  return command({
    usage: `collection ${verb} <collection> <entries...>` as 'collection add <collection> <entries...>',
    summary,
    arguments: { collection: collectionArgument, entries: entriesArgument },
    options: { dryRun },
    examples: [example, [`search tavern --ids | ph collection ${verb} Tavern -`, 'all that a search finds']],
    async run(context, input) {
      const references = await readEntryList(context, input.entries)
      await withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        const { id, name } = await requireCollection(api, input.collection)
        const isIn = (collections: readonly { id: number }[]) => collections.some((one) => one.id === id)
        await changeAll(context, api, {
          ids,
          dryRun: input.dryRun,
          change: ({ collections }) => (isIn(collections) === isAdding ? undefined : `${isAdding ? 'joins' : 'leaves'} ${name}`),
          send: async (entry_ids) => api.collections.bulk({ collection_id: id, entry_ids, action: verb }),
          done: (props) =>
            isAdding
              ? `Added ${props} to the collection ${printable(name)}.`
              : `Took ${props} out of the collection ${printable(name)}.`,
          more: () => ({ collection_id: id, action: verb }),
        })
      })
      return undefined
    },
  })
}

const detailWords = ({ name, description, entries }: CollectionDetail, { out }: Context): string[] => [
  `${out.paint('bold', printable(name))}, ${count(entries.length, 'entry', 'entries')}`,
  ...(description ? [printable(description)] : []),
  ...table(
    entries,
    [
      { title: 'ID', value: (entry) => entry.id, right: true },
      { title: 'NAME', value: (entry) => entry.name, cut: 'middle' },
      {
        title: 'TYPE',
        value: (entry) => typeWords(entry.entry_type) + (entry.status === 'deprecated' ? ' (deprecated)' : ''),
      },
      { title: 'CATEGORY', value: (entry) => entry.category ?? '-', cut: 'end', spare: true },
    ],
    out,
  ),
]

const collectionsOf = (api: Api) =>
  allOf(async (page) => {
    const { collections, next_cursor } = await api.collections.list(page)
    return { items: collections, next_cursor }
  })

const requireCollection = async (api: Api, reference: string) =>
  requireNamed(await collectionsOf(api), reference, { noun: 'collection', list: 'collection list' })

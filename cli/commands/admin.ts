/** `ph admin`: what owners and admins of a library look after: the denylist, sweeps, previews, storage. */
import { requireEntryIds } from '../../client/entries/reference.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag } from '../command.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { denylistCommands } from './admin/denylist.ts'
import { storageLines } from './admin/storage.ts'
import { sweepCommand } from './admin/sweep.ts'

export const commands = [
  ...denylistCommands,
  sweepCommand,
  command({
    usage: 'admin previews [entries...]',
    summary: 'Ask for thumbnails anew, and for previews that could not be made',
    description: 'What has a picture keeps it until there is a new one. The server, `ph previews work` and editors make them.',
    arguments: { entries: entriesArgument },
    options: { all: flag('--all', 'of every prop in the library') },
    examples: [
      ['admin previews SM_Barrel SM_Crate', 'these two'],
      ['admin previews --all', 'after the program that makes them got better'],
    ],
    async run(context, { entries, all }) {
      if (all === entries.length > 0) throw wrongUsage('Which props is not said.', 'Name some, or say --all.')
      const references = all ? [] : await readEntryList(context, entries)
      await withLibrary(context, async ({ api }) => {
        const ids = all ? [] : [...new Set(await requireEntryIds(api, references))]
        let affected = 0
        if (all) affected = (await api.admin.refreshPreviews({ all: true })).affected
        for (let at = 0; at < ids.length; at += limits.bulk)
          affected += (await api.admin.refreshPreviews({ entry_ids: ids.slice(at, at + limits.bulk) })).affected
        context.out.result({ affected }, `Pictures of ${count(affected, 'prop')} are wanted anew.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'admin storage',
    summary: 'Show what the library stores, by kind of file, by pack and by month',
    examples: [
      ['admin storage', 'which packs take the room?'],
      ['admin storage --json | jq .orphaned.bytes', 'what a sweep would free'],
    ],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const figures = await api.admin.storage()
        context.out.result(figures, () => storageLines(figures, context))
      })
      return undefined
    },
  }),
]

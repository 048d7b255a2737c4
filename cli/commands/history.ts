/** `ph history`: every version of an entry, newest first. */

import { requireEntryId } from '../../client/entries/reference.ts'
import { printable } from '../../system/printable.ts'
import { command } from '../command.ts'
import { versionTable } from '../entries/version-table.ts'
import { offlineOption, withLibraryOrMirror } from '../offline.ts'
import { count } from '../terminal/amounts.ts'

export const commands = [
  command({
    usage: 'history <entry>',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: { offline: offlineOption },
    examples: [
      ['history SM_Barrel', 'all versions of the barrel, newest first'],
      ['history 42 --json', 'the same as JSON, for the entry with id 42'],
      ['download SM_Barrel --version v2', 'fetch one of them'],
    ],
    async run(context, { entry: reference, offline }) {
      const leftOut = 'Versions are known of props that changed since the mirror was loaded.'
      await withLibraryOrMirror(context, { offline, leftOut }, async ({ api }) => {
        const entry = await api.entries.get({ entry_id: await requireEntryId(api, reference) })
        const lineage = await api.lineages.get({ lineage_id: entry.lineage_id })
        context.out.result(lineage, () => [
          `${context.out.paint('bold', printable(entry.name))}, ${count(lineage.objects.length, 'version')}`,
          ...versionTable(lineage.objects, context),
        ])
      })
      return undefined
    },
  }),
]

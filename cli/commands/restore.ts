/** `ph restore`: makes earlier versions current again. */
import type { Api } from '../../client/api.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { command, flag, value } from '../command.ts'
import { type Act, actOnEach } from '../entry-acts.ts'
import { entriesArgument, readEntryList } from '../entry-list.ts'
import { requireEntryIds } from '../entry-reference.ts'
import { withLibrary } from '../library.ts'
import { wholeNumber, wrongUsage } from '../refusal.ts'

export const commands = [
  command({
    usage: 'restore <entries...>',
    description:
      'Without --version each goes back to the version that its current one was made from. No version is lost: restore the newer one to have it back.',
    arguments: { entries: entriesArgument },
    options: {
      version: value(
        '--version <id>',
        'this version of one entry, by its id in `ph history`',
        wholeNumber('--version', 1, Number.MAX_SAFE_INTEGER),
      ),
      dryRun: flag('--dry-run', 'only show what would change'),
    },
    examples: [
      ['restore SM_Barrel --version 17', 'one of its versions'],
      ['restore SM_Barrel SM_Stool --dry-run', 'see what going one version back would mean'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { entries, version, dryRun }) {
      const references = await readEntryList(context, entries)
      return withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        if (version !== undefined && ids.length > 1)
          throw wrongUsage('--version names a version of one entry.', 'Restore the others by commands of their own.')
        return actOnEach(context, api, { ids, dryRun, plan: (entry) => planOf(api, entry, version) })
      })
    },
  }),
]

async function planOf(api: Api, entry: EntryDetail, wanted: number | undefined): Promise<Act> {
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  const object_id = wanted ?? objects.find((version) => version.is_face)?.parent_object_id ?? undefined
  if (object_id === undefined) return { outcome: 'has no earlier version' }
  if (object_id === entry.object_id) return { outcome: `is at version ${object_id} already` }
  const isIts = objects.some((version) => version.object_id === object_id)
  return {
    outcome: `restored to version ${object_id}`,
    act: () => api.entries.restore({ entry_id: entry.id, object_id }),
    ...(isIts ? {} : { refused: new ApiError('OBJECT_NOT_FOUND', `There is no version ${object_id} of ${entry.name}.`) }),
  }
}

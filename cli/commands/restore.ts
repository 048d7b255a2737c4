/** `ph restore`: makes earlier versions current again. */

import { versionName } from '../../client/entries/current-version.ts'
import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import { command, flag, value } from '../command.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { type Act, actOnEach } from '../entries/one-by-one.ts'
import { chooseVersion, readVersionChoice, type VersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'

export const commands = [
  command({
    usage: 'restore <entries...>',
    description:
      'Without --version each goes back to the version that its current one was made from. No version is lost: restore the newer one to have it back.',
    arguments: { entries: entriesArgument },
    options: {
      version: value('--version <version>', 'this version of one entry, such as v2, as `ph history` lists it', readVersionChoice),
      dryRun: flag('--dry-run', 'only show what would change'),
    },
    examples: [
      ['restore SM_Barrel --version v2', 'one of its versions'],
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

/** What was seen is what is restored from: where someone else was faster, the library refuses. */
async function planOf(api: Api, entry: EntryDetail, choice: VersionChoice | undefined): Promise<Act> {
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  const parentId = objects.find((version) => version.is_face)?.parent_object_id
  const parent = objects.find((version) => version.object_id === parentId)
  const version = choice ? chosen(objects, choice, entry) : parent
  if (version instanceof ApiError) return { outcome: `restored to ${choice?.given}`, refused: version }
  if (!version) return { outcome: 'has no earlier version' }
  const { object_id } = version
  if (object_id === entry.object_id) return { outcome: `is at ${versionName(version)} already` }
  return {
    outcome: `restored to ${versionName(version)}`,
    act: () => api.entries.restore({ entry_id: entry.id, object_id, expected_face_object_id: entry.object_id }),
  }
}

/** An act that is refused names its entry. */
function chosen(objects: readonly LineageObject[], choice: VersionChoice, { name }: EntryDetail): LineageObject | ApiError {
  try {
    return chooseVersion(objects, choice, name)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

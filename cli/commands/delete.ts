/** `ph delete`: deletes entries for good. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { listed, personName } from '../discussion/people.ts'
import { requireAdmin } from '../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { actOnEach } from '../entries/one-by-one.ts'
import { withLibrary } from '../library.ts'
import { yesOption } from '../terminal/confirmation.ts'

export const commands = [
  command({
    usage: 'delete <entries...>',
    description:
      'The entries go with all their versions; a version that something else needs stays. Who has one checked out, or reviews it, is named and told. What was ever pulled or downloaded cannot be deleted: deprecate it. For admins.',
    arguments: { entries: entriesArgument },
    options: { dryRun: flag('--dry-run', 'only show what would go'), yes: yesOption },
    examples: [
      ['delete SM_Test --dry-run', 'see whether it can be deleted'],
      ['delete 41 42 43', 'three entries, after a question'],
      ['delete 41 42 43 --yes', 'the same in a script'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { entries, dryRun, yes }) {
      const references = await readEntryList(context, entries)
      return withLibrary(context, async ({ api }) => {
        if (!dryRun) await requireAdmin(api, 'delete entries')
        return actOnEach(context, api, {
          ids: await requireEntryIds(api, references),
          dryRun,
          confirm: { yes, question: (these) => `Delete ${these} for good?` },
          plan: async (entry) => ({
            outcome: ['deleted', ...(await whoWorksOnIt(api, entry))].join('; '),
            act: () => api.entries.remove({ entry_id: entry.id }),
            ...(entry.ever_pulled ? { refused: wasPulled(entry.name) } : {}),
          }),
        })
      })
    },
  }),
]

/** Who is told of it. */
async function whoWorksOnIt(api: Api, { id: entry_id, lineage_id }: EntryDetail): Promise<string[]> {
  const [{ lock }, { requests }] = await Promise.all([
    api.lineages.get({ lineage_id }),
    api.reviewRequests.ofEntry({ entry_id, status: 'open' }),
  ])
  const reviewers = new Set(requests.flatMap((request) => request.reviewers.map(({ user }) => personName(user))))
  return [
    ...(lock ? [`checked out by ${personName(lock.holder)}`] : []),
    ...(reviewers.size > 0 ? [`under review by ${listed([...reviewers])}`] : []),
  ]
}

const wasPulled = (name: string) =>
  new ApiError('CONFLICT', `${name} was pulled or downloaded before, so it cannot be deleted. Deprecate it instead.`)

/** `ph delete`: deletes entries for good. */

import { activeLocks } from '../../client/entries/active-locks.ts'
import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import { readRounds } from '../../client/reviews/queue.ts'
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
        const workersOf = await readWorkers(api)
        return actOnEach(context, api, {
          ids: await requireEntryIds(api, references),
          dryRun,
          confirm: { yes, question: (these) => `Delete ${these} for good?` },
          plan: (entry) => ({
            outcome: ['deleted', ...workersOf(entry)].join('; '),
            act: () => api.entries.remove({ entry_id: entry.id }),
            ...(entry.ever_pulled ? { refused: wasPulled(entry.name) } : {}),
          }),
        })
      })
    },
  }),
]

/** Who has props checked out, and who reviews them: they are told of a deletion. Asked once, whatever is to go. */
async function readWorkers(api: Api): Promise<(entry: EntryDetail) => string[]> {
  const [{ locks }, { requests }] = await Promise.all([
    activeLocks(api),
    readRounds(api, { view: 'all', status: 'open', limit: Number.POSITIVE_INFINITY }),
  ])
  const holders = new Map(locks.map(({ lineage_id, holder }) => [lineage_id, personName(holder)]))
  const rounds = Map.groupBy(requests, ({ entry_id }) => entry_id)
  return ({ id, lineage_id }) => {
    const reviewers = new Set((rounds.get(id) ?? []).flatMap((round) => round.reviewers.map(({ user }) => personName(user))))
    const holder = holders.get(lineage_id)
    return [
      ...(holder === undefined ? [] : [`checked out by ${holder}`]),
      ...(reviewers.size > 0 ? [`under review by ${listed([...reviewers])}`] : []),
    ]
  }
}

const wasPulled = (name: string) =>
  new ApiError('CONFLICT', `${name} was pulled or downloaded before, so it cannot be deleted. Deprecate it instead.`)

/** `ph review list`: rounds of reviews, with who has answered and who has not. */
import { requireEntryId } from '../../../client/entries/reference.ts'
import { roundName } from '../../../client/reviews/find-rounds.ts'
import { type Queue, readQueue } from '../../../client/reviews/queue.ts'
import { limits } from '../../../contract/limits.ts'
import { type RequestStatus, type ReviewRequest, requestStatuses } from '../../../contract/review-requests.ts'
import { command, flag, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { personName } from '../../discussion/people.ts'
import { noteLine } from '../../entries/version-name.ts'
import { withLibrary } from '../../library.ts'
import { choiceOf, wholeNumber, wrongUsage } from '../../refusal.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import { table } from '../../terminal/table.ts'
import { namesOf, progressWords, waitingFor } from './round-words.ts'

const statuses = [...requestStatuses, 'all'] as const
const mostRounds = 100_000

export const listCommand = command({
  usage: 'review list [entry]',
  summary: 'List reviews that are open, newest first',
  description:
    'All reviews of the workspace, or of one prop. VERSION says whether the version that is reviewed is still the current one. WAITING FOR names who has not answered.',
  arguments: { entry: 'only reviews of this prop: its id, its name or its /Game path' },
  options: {
    waitingOnMe: flag('--waiting-on-me', 'only those that you were asked in and have not answered'),
    mine: flag('--mine', 'only those that you asked for'),
    status: value('--status <status>', `open (the default), ${statuses.slice(1).join(', ')}`, choiceOf('--status', statuses)),
    ids: flag('--ids', 'only their names, such as r12, one a line: for other commands to read'),
    limit: value('--limit <n>', 'at most so many (default 50)', wholeNumber('--limit', 1, mostRounds)),
    cursor: value(
      '--cursor <n>',
      'go on where the `next_cursor` of an earlier answer stopped',
      wholeNumber('--cursor', 1, Number.MAX_SAFE_INTEGER),
    ),
  },
  terms: {
    title: 'JSON',
    list: [
      [
        '--json',
        '{requests, next_cursor, waiting}; requests as `ph api GET /review-requests` gives them; waiting: how many wait for your answer, whatever is listed',
      ],
    ],
  },
  examples: [
    ['review list', 'what is open, and who has not answered'],
    ['review list --waiting-on-me', 'what you were asked to look at'],
    ['review list SM_Barrel --status all', 'every review that a prop had'],
    ['review list --json | jq .waiting', 'how many wait for you, for a prompt'],
  ],
  async run(context, { entry: reference, waitingOnMe, mine, status: given, ids, limit = limits.page.default, cursor }) {
    if (waitingOnMe && mine) throw wrongUsage('--waiting-on-me and --mine exclude each other.', 'Give one of them.')
    const view = waitingOnMe ? 'waiting_on_me' : mine ? 'requested_by_me' : 'all'
    const status: RequestStatus | undefined = given === 'all' ? undefined : (given ?? 'open')
    if (waitingOnMe && given !== undefined && given !== 'open')
      throw wrongUsage('Only open reviews wait for someone.', 'Leave --status out, or --waiting-on-me.')
    await withLibrary(context, async ({ api }) => {
      const entryId = reference === undefined ? undefined : await requireEntryId(api, reference)
      const queue = await readQueue(api, { view, status, entryId, limit, cursor })
      context.out.result(queue, () =>
        ids ? queue.requests.map(({ id }) => roundName(id)) : listWords(queue, context, { view, status }),
      )
      if (!ids) tellRest(queue, context, view)
    })
    return undefined
  },
})

interface Filter {
  view: 'waiting_on_me' | 'requested_by_me' | 'all'
  status: RequestStatus | undefined
}

function listWords({ requests }: Queue, context: Context, { view, status }: Filter): string | string[] {
  if (requests.length > 0) return roundTable(requests, context, status === undefined)
  if (view === 'waiting_on_me') return 'No review waits for your answer.'
  const which = status === undefined ? '' : `${status} `
  return view === 'requested_by_me' ? `You have asked for no ${which}reviews.` : `No ${which}reviews.`
}

function tellRest({ requests, next_cursor, waiting }: Queue, { out }: Context, view: Filter['view']): void {
  if (next_cursor !== null) out.note(`${count(requests.length, 'review')} shown; there are more: raise --limit.`)
  if (out.terminal && view !== 'waiting_on_me' && waiting > 0)
    out.note(`${number(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for your answer: \`ph review list --waiting-on-me\``)
}

const versionWords = ({ entry, object_id }: ReviewRequest): string =>
  entry === undefined ? '-' : entry.face_object_id === object_id ? 'current' : 'not current'

function roundTable(requests: readonly ReviewRequest[], { out, now }: Context, withStatus: boolean): string[] {
  return table<ReviewRequest>(
    requests,
    [
      { title: 'REVIEW', value: ({ id }) => roundName(id) },
      { title: 'NAME', value: ({ entry }) => entry?.name ?? '-', cut: 'middle' },
      { title: 'ANSWERS', value: progressWords, spare: 'late' },
      { title: 'WAITING FOR', value: (round) => namesOf(waitingFor(round)) || '-', cut: 'end' },
      { title: 'BY', value: ({ requested_by }) => personName(requested_by), cut: 'end', spare: 'late' },
      { title: 'ASKED', value: ({ created_at }) => age(created_at, now()), spare: true },
      { title: 'VERSION', value: versionWords, spare: true },
      ...(withStatus || !out.terminal ? [{ title: 'STATUS', value: ({ status }: ReviewRequest) => status }] : []),
      { title: 'NOTE', value: ({ note }) => noteLine(note) || '-', cut: 'end', spare: true },
    ],
    out,
  )
}

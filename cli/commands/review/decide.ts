/** `ph review decide`: sets the state of current versions directly, without a round or over one's own. */
import { versionName } from '../../../client/entries/current-version.ts'
import type { Api } from '../../../client/http/api.ts'
import { roundName } from '../../../client/reviews/find-rounds.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Member } from '../../../contract/members.ts'
import type { ReviewState } from '../../../contract/reviews.ts'
import { reviewStates } from '../../../contract/shapes.ts'
import { command } from '../../command.ts'
import { personName } from '../../discussion/people.ts'
import { requireWriter } from '../../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../../entries/list.ts'
import { withLibrary } from '../../library.ts'
import { choiceOf, type Refusal, wrongUsage } from '../../refusal.ts'
import { actOnReviews, type ReviewAct } from './each.ts'
import { type ReviewedEntry, readReviewed } from './entries.ts'
import { assignOption, dryRunOption, noteOption } from './options.ts'
import { readTeam, requirePerson, type Team } from './people.ts'
import { explainDecision } from './refusals.ts'

export const stateWords = (state: string): string => state.replaceAll('_', ' ')

export const decideCommand = command({
  usage: 'review decide <state> <entries...>',
  summary: 'Set the state of current versions, without asking anyone',
  description:
    'While a review is open who asked for it, or an admin, may do this, and it closes the review. Where changes are assigned to someone, that person or an admin may. A new decision takes the place of the earlier one, its note too; who is assigned stays, unless --assign says otherwise.',
  arguments: { state: 'draft, in-review, changes-requested or approved', entries: entriesArgument },
  options: {
    note: noteOption('why'),
    assign: assignOption('who is to see to it; nobody takes it off'),
    dryRun: dryRunOption,
  },
  terms: {
    title: 'JSON',
    list: [
      [
        '--json',
        '{dry_run, done, failed, reviews: [{request_id, entry_id, name, version, status: done, would or failed, outcome, request, error?}]}; request is null',
      ],
    ],
  },
  examples: [
    ['review decide approved SM_Barrel SM_Stool', 'what nobody has to look at'],
    ['review decide changes-requested SM_Barrel --assign mia --note "Needs LODs"', 'ask one person for changes'],
    ['search --path /Game/Inn/ --ids | ph review decide approved -', 'all that a search finds'],
    ['review decide draft SM_Barrel', 'as if it had never been reviewed'],
  ],
  exits: ['conflict', 'partly'],
  async run(context, { state: givenState, entries: given, note, assign, dryRun }) {
    const state = choiceOf('The state', reviewStates)(givenState)
    if (state === 'draft' && (note !== undefined || assign !== undefined))
      throw wrongUsage('A draft has no note and no assignee.', 'Leave --note and --assign out, or choose another state.')
    const references = await readEntryList(context, given)
    return withLibrary(context, async ({ api }) => {
      if (!dryRun) await requireWriter(api)
      const team = await readTeam(api)
      const assignee = readAssignee(team, assign)
      const reviewed = await readReviewed(api, references)
      const acts = reviewed.map((one) => deciding(api, one, { state, note, assignee, me: team.me }))
      return actOnReviews(context, acts, { dryRun })
    })
  },
})

/** Null: nobody. Undefined: as before. */
export function readAssignee(team: Team, given: string | undefined): Member | null | undefined {
  if (given === undefined) return undefined
  return given.trim().toLowerCase() === 'nobody' ? null : requirePerson(team, given)
}

interface Decision {
  state: ReviewState
  note: string | undefined
  assignee: Member | null | undefined
  me: Member
}

export function deciding(api: Api, { entry, open }: ReviewedEntry, { state, note, assignee, me }: Decision): ReviewAct {
  const assigned = assignee === undefined ? entry.review?.assignee : assignee
  const words = [
    stateWords(state) + (assigned && state !== 'draft' ? `, assigned to ${personName(assigned)}` : ''),
    ...(open ? [`${roundName(open.id)}, which was open, is closed`] : []),
  ].join('; ')
  return {
    ...{ entry_id: entry.id, name: entry.name, version: versionName(entry.face), request_id: null },
    plan: `would be ${words}`,
    refused: refusalOf({ entry, open }, me),
    explain: (error) => explainDecision(error, entry.name, entry.review?.assignee),
    async perform() {
      const said = state === 'draft' ? {} : { note, ...(assignee === undefined ? {} : { assignee_id: assignee?.id ?? null }) }
      await api.reviews.decide({ entry_id: entry.id, object_id: entry.object_id, state, ...said })
      return { words, request: null }
    },
  }
}

/** As far as it can be known before. */
function refusalOf({ entry, open }: ReviewedEntry, me: Member): Refusal | undefined {
  if (me.role === 'admin') return undefined
  if (open && open.requested_by.id !== me.id)
    return explainDecision(
      new ApiError(
        'CONFLICT',
        `${personName(open.requested_by)} has asked for a review of this version, and decides on it until that is closed.`,
        {
          open_request_id: open.id,
        },
      ),
      entry.name,
    )
  const assignee = entry.review?.assignee
  if (open || !assignee || assignee.id === me.id) return undefined
  return explainDecision(new ApiError('FORBIDDEN'), entry.name, assignee)
}

/** Taking back requests for review, and decisions as far as they are the own ones of who made them. */
import type { EntryDetail } from '../../contract/entries.ts'
import type { ReviewRequest } from '../../contract/review-requests.ts'
import type { Api } from '../http/api.ts'
import { type Part, type Rows, stays, takenBack } from './row.ts'
import { memberName, undefinedWhereGone } from './who.ts'

const requested = takenBack('reviewRequests', 'create', {
  keep: ({ answer: { request } }) => ({
    what: `Asked ${peopleOf(request)} to review prop ${request.entry_id} (round ${request.id})`,
    kept: { id: request.id },
  }),
  async back({ id }, { api }) {
    const what = `round ${id}: cancelled; the version is a draft then`
    const round = await readRound(api, id)
    if (!round) return [{ what: `round ${id}: is not in the library any more` }]
    if (round.status === 'cancelled') return [{ what: `round ${id}: is cancelled already` }]
    const refused = await whyNot(api, round)
    return [refused === undefined ? { what, act: () => api.reviewRequests.cancel({ request_id: id }) } : { what, refused }]
  },
})

const peopleOf = ({ reviewers }: ReviewRequest): string => reviewers.map(({ user }) => user.display_name).join(', ')

const readRound = async (api: Api, request_id: number): Promise<ReviewRequest | undefined> =>
  (await api.reviewRequests.get({ request_id }).catch(undefinedWhereGone))?.request

/** A round that someone has answered, or that is closed, is not taken back over their heads. */
async function whyNot(api: Api, round: ReviewRequest, ids?: readonly number[]): Promise<string | undefined> {
  if (round.status !== 'open')
    return `${await memberName(api, round.closed_by)} has closed round ${round.id} since: it is ${round.status}.`
  const answered = round.reviewers.find(({ user, response }) => response !== 'pending' && (ids?.includes(user.id) ?? true))
  return answered && `${answered.user.display_name} has answered in round ${round.id} already.`
}

const reviewerIds = ({ reviewers }: ReviewRequest): number[] => reviewers.map(({ user }) => user.id)

const changed = takenBack('reviewRequests', 'update', {
  before: async (api, { request_id }) => (await api.reviewRequests.get({ request_id })).request,
  keep({ answer: { request }, before }) {
    const [was, is] = [reviewerIds(before), reviewerIds(request)]
    const added = is.filter((id) => !was.includes(id))
    const removed = was.filter((id) => !is.includes(id))
    if (added.length + removed.length === 0) return undefined
    return { what: `Changed who reviews in round ${request.id}`, kept: { id: request.id, added, removed } }
  },
  async back({ id, added, removed }, { api }) {
    const what = `round ${id}: the people of before`
    const round = await readRound(api, id)
    if (!round) return [{ what: `round ${id}: is not in the library any more` }]
    const refused = await whyNot(api, round, added)
    if (refused !== undefined) return [{ what, refused }]
    const there = reviewerIds(round)
    const add_reviewer_ids = removed.filter((one) => !there.includes(one))
    const remove_reviewer_ids = added.filter((one) => there.includes(one))
    if (add_reviewer_ids.length + remove_reviewer_ids.length === 0) return [{ what: `round ${id}: is as before already` }]
    const people = {
      ...(add_reviewer_ids.length > 0 ? { add_reviewer_ids } : {}),
      ...(remove_reviewer_ids.length > 0 ? { remove_reviewer_ids } : {}),
    }
    return [{ what, act: () => api.reviewRequests.update({ request_id: id, ...people }) }]
  },
})

/** What was decided of the current version. */
interface Decided {
  state: EntryDetail['review_status']
  by: number | null
  assignee: number | null
  note: string | null
  request: number | null
}

const decidedOf = ({ review_status: state, review }: Pick<EntryDetail, 'review_status' | 'review'>): Decided => ({
  state,
  by: review?.decided_by.id ?? null,
  assignee: review?.assignee?.id ?? null,
  note: review?.note ?? null,
  request: review?.request_id ?? null,
})

const decided = takenBack('reviews', 'decide', {
  before: async (api, { entry_id }) => {
    const entry = await api.entries.get({ entry_id })
    return { name: entry.name, was: decidedOf(entry) }
  },
  keep({ input: { entry_id, object_id }, answer, before: { name, was } }) {
    const is = decidedOf(answer)
    if (JSON.stringify(was) === JSON.stringify(is)) return undefined
    return { what: `${name}: ${wordOf(is.state)}`, kept: { entry_id, object_id, name, was, is } }
  },
  async back({ entry_id, object_id, name, was, is }, { api }) {
    const what = `${name}: ${wordOf(was.state)} again`
    const entry = await api.entries.get({ entry_id }).catch(undefinedWhereGone)
    if (!entry) return [{ what: `${name}: is not in the library any more` }]
    const refused = await whyNotDecided(api, { entry, object_id, was, is })
    if (refused !== undefined) return [{ what, refused }]
    const more = was.state === 'draft' ? {} : { assignee_id: was.assignee, note: was.note }
    return [{ what, act: () => api.reviews.decide({ entry_id, object_id, state: was.state, ...more }) }] satisfies Part[]
  },
})

const wordOf = (state: string): string => state.replaceAll('_', ' ')

/** Nobody decides in the name of someone else, and a round that is closed does not open again. */
async function whyNotDecided(
  api: Api,
  { entry, object_id, was, is }: { entry: EntryDetail; object_id: number; was: Decided; is: Decided },
): Promise<string | undefined> {
  if (entry.object_id !== object_id) return `Another version of ${entry.name} is current by now.`
  const now = decidedOf(entry)
  if (JSON.stringify(now) !== JSON.stringify(is)) {
    const who = entry.review?.decided_by.display_name ?? 'someone'
    return `${who} has decided on ${entry.name} since: it is ${wordOf(now.state)}.`
  }
  if (was.request !== null || was.state === 'in_review')
    return 'It was under review in a round before, and a round does not open again. Ask for a review again.'
  if (was.by !== null && was.by !== (await api.members.me()).id)
    return `Before, it was the decision of ${await memberName(api, was.by)}, who alone can decide so again.`
  return undefined
}

export const reviews: Rows = {
  ...requested,
  ...changed,
  ...decided,
  ...stays('reviewRequests', 'respond', {
    stays: 'An answer was given and people were told of it. While the round is open you can answer again.',
    what: ({ request_id, response }) => `Answered in round ${request_id}: ${wordOf(response)}`,
  }),
  ...stays('reviewRequests', 'cancel', {
    stays: 'A round that is closed does not open again. Ask for a review again.',
    what: ({ request_id }) => `Cancelled round ${request_id}`,
  }),
}

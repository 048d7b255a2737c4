/** All that is known of a review: the round, its version beside the approved one, who answered, what was decided before. */
import type { EntryDetail } from '../../contract/entries.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import type { Impact, ReviewRequest } from '../../contract/review-requests.ts'
import type { ReviewRecord } from '../../contract/reviews.ts'
import { type AgainstApproved, compareWithApproved } from '../compare/approved.ts'
import type { Api } from '../http/api.ts'

export interface ReviewReport {
  entry: EntryDetail
  /** Null: nobody was ever asked; `review` may hold a direct decision. */
  request: ReviewRequest | null
  /** What was decided of the current version; null for a draft. */
  review: ReviewRecord | null
  /** The version under review; the current one without a round. */
  version: LineageObject
  current: LineageObject
  /** The newest version before it that is approved. */
  approved: LineageObject | null
  /** What is different from it; null where none is approved. */
  against_approved: AgainstApproved | null
  /** Versions after the approved one up to the one under review, newest first. */
  since_approved: LineageObject[]
  /** What depends on it; null without a round. */
  impact: Impact | null
  /** Its other rounds, newest first. */
  other_requests: ReviewRequest[]
}

/** Of one round. */
export async function reportOfRound(api: Api, request_id: number): Promise<ReviewReport> {
  const { request } = await api.reviewRequests.get({ request_id })
  const [entry, { requests }] = await Promise.all([
    api.entries.get({ entry_id: request.entry_id }),
    api.reviewRequests.ofEntry({ entry_id: request.entry_id }),
  ])
  return completed(api, { entry, request, requests })
}

/** Of a prop: its open round, of several that of the newest version, else the last one. */
export async function reportOfEntry(api: Api, entry_id: number): Promise<ReviewReport> {
  const [entry, { requests }] = await Promise.all([api.entries.get({ entry_id }), api.reviewRequests.ofEntry({ entry_id })])
  const open = requests.filter(({ status }) => status === 'open')
  const chosen = open.find(({ object_id }) => object_id === entry.object_id) ?? open[0] ?? requests[0]
  const request = chosen ? (await api.reviewRequests.get({ request_id: chosen.id })).request : null
  return completed(api, { entry, request, requests })
}

interface Beginning {
  entry: EntryDetail
  request: ReviewRequest | null
  requests: readonly ReviewRequest[]
}

async function completed(api: Api, { entry, request, requests }: Beginning): Promise<ReviewReport> {
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  const current = objects.find(({ is_face }) => is_face) ?? objects[0]
  const at = objects.findIndex(({ object_id }) => object_id === (request ?? current)?.object_id)
  const version = objects[at] ?? current
  if (!current || !version) throw new Error('a lineage has no version')
  const earlier = objects.slice(at + 1)
  const approvedAt = earlier.findIndex(({ review_status }) => review_status === 'approved')
  const approved = earlier[approvedAt] ?? null
  const { lineage_id } = entry
  const against = approved && (await compareWithApproved(api, { lineage_id, object_id: version.object_id }))
  return {
    entry,
    request,
    review: entry.review,
    version,
    current,
    approved,
    against_approved: against ?? null,
    since_approved: [version, ...(approvedAt === -1 ? [] : earlier.slice(0, approvedAt))],
    impact: request?.impact ?? null,
    other_requests: requests.filter(({ id }) => id !== request?.id),
  }
}

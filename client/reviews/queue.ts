/** Rounds as lists show them: those that wait for someone, that someone asked for, or all, page after page. */
import { limits } from '../../contract/limits.ts'
import type { RequestStatus, ReviewedEntry, ReviewRequest, requestViews } from '../../contract/review-requests.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

export interface QueueQuestion {
  view: (typeof requestViews)[number]
  /** Undefined: whatever became of them. */
  status: RequestStatus | undefined
  /** Only rounds of this entry. */
  entryId?: number | undefined
  limit: number
  /** The `next_cursor` of an earlier answer. */
  cursor?: number | undefined
}

export interface Queue {
  requests: ReviewRequest[]
  next_cursor: number | null
  /** How many rounds wait for the answer of who asks, whatever is listed. */
  waiting: number
}

/** Newest first. */
export async function readQueue(api: Api, question: QueueQuestion): Promise<Queue> {
  const [listed, { waiting }] = await Promise.all([
    question.entryId === undefined ? readRounds(api, question) : readOfEntry(api, question.entryId, question),
    api.reviewRequests.waitingCount(),
  ])
  return { ...listed, waiting }
}

type Listed = Omit<Queue, 'waiting'>

/** Of whatever entries; newest first. */
export async function readRounds(api: Api, { view, status, limit, cursor: first }: QueueQuestion): Promise<Listed> {
  const requests: ReviewRequest[] = []
  let next_cursor: number | null = null
  const ask = (cursor: string | undefined) =>
    api.reviewRequests.list({
      view,
      ...(status === undefined ? {} : { status }),
      limit: Math.min(limit - requests.length, limits.page.max),
      ...(cursor === undefined ? {} : { cursor: Number(cursor) }),
    })
  for await (const page of pagesOf(ask, first === undefined ? undefined : String(first))) {
    for (const request of page.requests) requests.push(request)
    next_cursor = page.next_cursor
    if (requests.length >= limit) break
  }
  return { requests, next_cursor }
}

/** All rounds of an entry come at once; views and pages are made of them here. */
async function readOfEntry(api: Api, entry_id: number, { view, status, limit, cursor }: QueueQuestion): Promise<Listed> {
  const [{ requests }, entry, me] = await Promise.all([
    api.reviewRequests.ofEntry({ entry_id, ...(status === undefined ? {} : { status }) }),
    readReviewedEntry(api, entry_id),
    view === 'all' ? undefined : api.members.me(),
  ])
  const meant = requests.filter((request) => isIn(view, request, me?.id) && (cursor === undefined || request.id < cursor))
  const shown = meant.slice(0, limit)
  return {
    requests: shown.map((request) => ({ ...request, entry })),
    next_cursor: meant.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
  }
}

function isIn(view: QueueQuestion['view'], { requested_by, reviewers, status }: ReviewRequest, me: number | undefined): boolean {
  if (view === 'all') return true
  if (view === 'requested_by_me') return requested_by.id === me
  return status === 'open' && reviewers.some(({ user, response }) => user.id === me && response === 'pending')
}

/** As queues show it, which say it with every round. */
async function readReviewedEntry(api: Api, entry_id: number): Promise<ReviewedEntry> {
  const { id, name, entry_type, asset_class, status, has_thumbnail, preview_status, preview_kind, ...entry } =
    await api.entries.get({ entry_id })
  const { review_status, object_id: face_object_id, date_updated } = entry
  return {
    ...{ id, name, entry_type, asset_class, status, has_thumbnail, preview_status, preview_kind },
    ...{ review_status, face_object_id, date_updated },
  }
}

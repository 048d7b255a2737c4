/** The feed of what happened, as pages and followed live: no event is missed and none comes twice, also when the server goes away meanwhile. */
import type { ActivityEvent } from '../../contract/activity.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { LibraryEpoch } from '../../contract/shapes.ts'
import { isUnanswered } from '../client-error.ts'
import type { Api } from '../http/api.ts'
import type { Pause } from '../http/pause.ts'
import { isOtherEpoch } from '../memory/feed.ts'

/** What of the feed is meant. */
export interface ActivityFilter {
  entryId?: number | undefined
  types?: readonly string[] | undefined
}

export interface ActivityPage {
  events: ActivityEvent[]
  next_cursor: number | null
}

type Calls = Pick<Api, 'activity'>

const questionOf = ({ entryId, types }: ActivityFilter) => ({
  ...(entryId === undefined ? {} : { entry_id: entryId }),
  ...(types && types.length > 0 ? { type: [...types] } : {}),
})

const isOf =
  ({ types }: ActivityFilter) =>
  ({ event_type }: ActivityEvent): boolean =>
    !types || types.length === 0 || types.includes(event_type)

/** The newest `limit` of them, newest first. Servers that do not know types answer all: those are left out here. */
export async function recentActivity(
  { activity }: Calls,
  filter: ActivityFilter,
  { limit, cursor: first, collapse }: { limit: number; cursor?: number | undefined; collapse: boolean },
): Promise<ActivityPage> {
  const events: ActivityEvent[] = []
  let cursor = first ?? null
  do {
    const most = Math.min(limit - events.length, limits.page.max)
    const page = await activity.list({ ...questionOf(filter), limit: most, collapse, ...(cursor === null ? {} : { cursor }) })
    events.push(...page.events.filter(isOf(filter)))
    cursor = page.next_cursor
  } while (cursor !== null && events.length < limit)
  return { events, next_cursor: cursor }
}

export interface Following extends ActivityFilter {
  /** So many events of before come first. */
  recent: number
  /** Begins behind this event instead, and gives all that came after it. */
  after?: number | undefined
  everyMs: number
  /** Asks again and again; what it throws for want of a server is waited out here. */
  poll: Calls
  pause: Pause
  signal: AbortSignal
  tell(state: FollowingState): void
}

/** Told once when the server cannot be asked, and once when it can again; and when the library was set back to an earlier state. */
export type FollowingState = { away: Error } | 'back' | 'set-back'

/** Events as they happen, oldest first, each for itself. Ends only by its signal, or by what waiting does not help. */
export async function* followActivity(api: Calls, following: Following): AsyncGenerator<ActivityEvent> {
  const { pause, everyMs, signal } = following
  const first = await headOf(api)
  let { epoch } = first
  let after = following.after ?? first.head
  if (following.after === undefined) yield* await before(api, following, after)
  for (let isAway = false; ; ) {
    const found: Newer | Error = await newer(following, { after, wasAway: isAway }).catch(orAway)
    const wasAway = isAway
    isAway = found instanceof Error
    if (found instanceof Error) {
      if (!wasAway) following.tell({ away: found })
    } else {
      if (wasAway) following.tell('back')
      if (found.setBackTo !== undefined || isOtherEpoch(found.epoch, { epoch })) following.tell('set-back')
      epoch = found.epoch?.id ?? epoch
      after = found.setBackTo ?? after
      for (const event of found.events) {
        after = event.id
        if (isOf(following)(event)) yield event
      }
    }
    if (found instanceof Error || !found.isMore) await pause(everyMs, signal)
    signal.throwIfAborted()
  }
}

interface Newer {
  events: ActivityEvent[]
  isMore: boolean
  epoch: LibraryEpoch | undefined
  /** The newest event, where that lies before the one that is followed from: the library was set back. */
  setBackTo?: number
}

/**
 * What came after an event, oldest first; types are told apart here, so that the next question begins behind all of it. A server that was
 * away may have been set back; those that do not say so are asked for their newest event then.
 */
async function newer({ poll, entryId }: Following, { after, wasAway }: { after: number; wasAway: boolean }): Promise<Newer> {
  const page = await poll.activity.list({ ...questionOf({ entryId }), after, collapse: false, limit: limits.page.max })
  const epoch = page.library_epoch
  if (page.reset || (wasAway && page.events.length === 0)) {
    const { head } = await headOf(poll)
    if (head < after) return { events: [], isMore: true, epoch, setBackTo: head }
  }
  const isOnwards = page.events.every(({ id }, at) => id > (page.events[at - 1]?.id ?? after))
  if (isOnwards) return { events: page.events, isMore: page.next_cursor !== null, epoch }
  const events = await backTo(after, page, (cursor) => poll.activity.list({ ...questionOf({ entryId }), cursor }))
  return { events, isMore: false, epoch }
}

/** From servers that only answer the newest ones: page after page back to the event. */
async function backTo(
  after: number,
  newest: ActivityPage,
  older: (cursor: number) => Promise<ActivityPage>,
): Promise<ActivityEvent[]> {
  const events: ActivityEvent[] = []
  for (let page = newest; ; ) {
    events.push(...page.events.filter(({ id }) => id > after))
    if (page.next_cursor === null || page.next_cursor <= after) return events.toSorted((a, b) => a.id - b.id)
    page = await older(page.next_cursor)
  }
}

async function headOf({ activity }: Calls): Promise<{ head: number; epoch: string | undefined }> {
  const { events, library_epoch } = await activity.list({ limit: 1, collapse: false })
  return { head: events[0]?.id ?? 0, epoch: library_epoch?.id }
}

/** The last ones up to the event with which following begins. */
async function before(api: Calls, { recent, entryId, types }: Following, head: number): Promise<ActivityEvent[]> {
  if (recent === 0 || head === 0) return []
  const { events } = await recentActivity(api, { entryId, types }, { limit: recent, cursor: head + 1, collapse: false })
  return events.toReversed()
}

/** The server is restarted, busy, or out of reach: it is asked again. */
function orAway(error: unknown): Error {
  if (isUnanswered(error)) return error
  if (error instanceof ApiError && (error.status >= 500 || error.status === 429)) return error
  throw error
}

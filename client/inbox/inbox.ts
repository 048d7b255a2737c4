/** What waits for a person: rounds to answer, changes requested of them, mentions, replies, check-outs that are about to end. */
import pLimit from 'p-limit'
import type { EntryDetail } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Notification } from '../../contract/notifications.ts'
import type { ReviewRequest } from '../../contract/review-requests.ts'
import type { UserStub } from '../../contract/shapes.ts'
import { listLocks } from '../check-out/listed-locks.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

/** In the order in which they are listed. */
export const inboxKinds = ['lock', 'review', 'changes', 'mention', 'reply'] as const
export type InboxKind = (typeof inboxKinds)[number]

export interface InboxItem {
  /** Names it from one look to the next: `review 12`. */
  key: string
  kind: InboxKind
  entry_id: number | null
  lineage_id: string
  /** The version that it is about; null where none is meant. */
  object_id: number | null
  name: string
  has_thumbnail: boolean
  /** Who asked, decided or wrote; null for check-outs, and where they are not known any more. */
  who: UserStub | null
  /** What they said, as stored. */
  text: string | null
  at: string
  request_id: number | null
  comment_id: number | null
  lock: Lock | null
  /** Unread ones about it. */
  notification_ids: number[]
}

export interface Inbox {
  items: InboxItem[]
  /** How many wait in all; rounds and mentions may be more than are listed. */
  counts: Record<InboxKind, number>
  /** Unread notifications about none of these. */
  other_unread: number
}

export interface InboxReading {
  api: Api
  now: Date
  /** Check-outs that end within this time are listed. */
  soonMs?: number
}

const dayMs = 24 * 3_600_000
/** Nobody reads more of them at a sitting; `counts` has the rest. */
const most = limits.page.max
const requestsAtOnce = 8

/** Throws what the calls throw. */
export async function readInbox({ api, now, soonMs = dayMs }: InboxReading): Promise<Inbox> {
  const me = await api.members.me()
  const [{ requests }, { waiting }, unread, { unread: unreadCount }, listed, changed] = await Promise.all([
    api.reviewRequests.list({ view: 'waiting_on_me', limit: most }),
    api.reviewRequests.waitingCount(),
    readUnread(api),
    api.notifications.unreadCount(),
    listLocks({ api, mine: true }),
    api.entries.list({ review: 'changes_requested', sort: 'date_updated', order: 'desc', limit: most }),
  ])
  const told = unread.filter(({ reason }) => reason in kindsOfReasons)
  const details = await readEntryDetails(api, [
    ...changed.entries.map(({ id }) => id),
    ...told.flatMap(({ entry_id }) => entry_id ?? []),
    ...listed.flatMap(({ entry_id }) => entry_id ?? []),
  ])
  const rounds = await readRounds(api, told)
  const items = [
    ...listed.filter(({ lock }) => Date.parse(lock.expires_at) - now.getTime() <= soonMs).map((one) => fromLock(one, details)),
    ...requests.map(fromRound),
    ...changed.entries.flatMap(({ id }) => fromChange(details.get(id), me.id)),
    ...told.map((one) => fromNotification(one, { details, rounds })),
  ]
  const attached = attachUnread(items, unread)
  const counted = Object.fromEntries(inboxKinds.map((kind) => [kind, items.filter((item) => item.kind === kind).length]))
  return {
    items: attached.toSorted((a, b) => inboxKinds.indexOf(a.kind) - inboxKinds.indexOf(b.kind)),
    counts: { ...(counted as Inbox['counts']), review: Math.max(waiting, requests.length) },
    other_unread: Math.max(0, unreadCount - new Set(attached.flatMap((item) => item.notification_ids)).size),
  }
}

const kindsOfReasons: Record<string, 'mention' | 'reply'> = {
  'comment.mention': 'mention',
  'review.mention': 'mention',
  'comment.reply': 'reply',
}

/** Newest first. */
async function readUnread(api: Api): Promise<Notification[]> {
  const found: Notification[] = []
  const ask = (cursor: string | undefined) =>
    api.notifications.list({ unread: true, limit: limits.page.max, ...(cursor ? { cursor: Number(cursor) } : {}) })
  for await (const { notifications } of pagesOf(ask)) {
    found.push(...notifications)
    if (found.length >= 5 * most) break
  }
  return found
}

/** Those in whose notes someone is mentioned: the notification has no text of its own. */
async function readRounds(api: Api, told: readonly Notification[]): Promise<Map<number, ReviewRequest>> {
  const ids = new Set(told.flatMap(({ reason, request_id }) => (reason === 'review.mention' ? (request_id ?? []) : [])))
  const atOnce = pLimit(requestsAtOnce)
  const found = await Promise.all(
    [...ids].slice(0, most).map((request_id) => atOnce(() => api.reviewRequests.get({ request_id }))),
  )
  return new Map(found.map(({ request }) => [request.id, request]))
}

type Details = ReadonlyMap<number, EntryDetail>

const blank = { who: null, text: null, request_id: null, comment_id: null, lock: null, notification_ids: [] }

function fromLock({ lock, entry_id, name }: Awaited<ReturnType<typeof listLocks>>[number], details: Details): InboxItem {
  const { lineage_id, base_object_id: object_id, note: text, expires_at: at } = lock
  const has_thumbnail = details.get(entry_id ?? 0)?.has_thumbnail ?? false
  return { ...blank, key: `lock ${lock.id}`, kind: 'lock', entry_id, lineage_id, object_id, name, has_thumbnail, text, at, lock }
}

function fromRound(round: ReviewRequest): InboxItem {
  const { id, entry_id, lineage_id, object_id, entry, requested_by: who, note: text, created_at: at } = round
  const shown = { name: entry?.name ?? `entry ${entry_id}`, has_thumbnail: entry?.has_thumbnail ?? false }
  return {
    ...blank,
    key: `review ${id}`,
    kind: 'review',
    entry_id,
    lineage_id,
    object_id,
    ...shown,
    who,
    text,
    at,
    request_id: id,
  }
}

/** Waits as long as the version is current and its review asks this person for changes. */
function fromChange(entry: EntryDetail | undefined, me: number): InboxItem[] {
  const { review } = entry ?? {}
  if (!entry || review?.state !== 'changes_requested' || review.assignee?.id !== me) return []
  const { id: entry_id, lineage_id, object_id, name, has_thumbnail } = entry
  const { decided_by: who, note: text, decided_at: at, request_id } = review
  const key = `changes ${object_id}`
  return [{ ...blank, key, kind: 'changes', entry_id, lineage_id, object_id, name, has_thumbnail, who, text, at, request_id }]
}

interface Known {
  details: Details
  rounds: ReadonlyMap<number, ReviewRequest>
}

function fromNotification(one: Notification, { details, rounds }: Known): InboxItem {
  const { id, reason, actor: who, entry_id, object_id, comment_id, request_id, created_at: at } = one
  const entry = details.get(entry_id ?? 0)
  const round = rounds.get(request_id ?? 0)
  const said = entry?.comments.find((comment) => comment.id === comment_id)?.body ?? (round && noteOf(round, who))
  return {
    ...{ ...blank, key: `notification ${id}`, kind: kindsOfReasons[reason] ?? 'mention', entry_id, object_id, who, at },
    ...{ lineage_id: one.lineage_id ?? entry?.lineage_id ?? '', name: entry?.name ?? 'a deleted prop' },
    ...{ has_thumbnail: entry?.has_thumbnail ?? false, text: said ?? null, request_id, comment_id, notification_ids: [id] },
  }
}

/** What this person wrote in a round: the question or an answer. */
function noteOf({ requested_by, note, reviewers }: ReviewRequest, who: UserStub | null): string | null {
  const answer = reviewers.find(({ user }) => user.id === who?.id)
  return (requested_by.id === who?.id ? note : null) ?? answer?.note ?? note
}

/** What was told of a round or of changes is read with it. */
function attachUnread(items: readonly InboxItem[], unread: readonly Notification[]): InboxItem[] {
  const own = new Set(items.flatMap(({ notification_ids }) => notification_ids))
  const free = unread.filter(({ id }) => !own.has(id))
  const idsOf = (isAbout: (one: Notification) => boolean) => free.filter(isAbout).map(({ id }) => id)
  return items.map((item) => {
    if (item.kind === 'review')
      return {
        ...item,
        notification_ids: idsOf(({ reason, request_id }) => reason === 'review.requested' && request_id === item.request_id),
      }
    if (item.kind !== 'changes') return item
    const about = ({ reason, object_id }: Notification) =>
      (reason === 'review.assigned' || reason === 'review.responded') && object_id === item.object_id
    return { ...item, notification_ids: idsOf(about) }
  })
}

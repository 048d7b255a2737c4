/** Whether the library still holds what it was remembered to hold: asks the change feed from where the last push ended. */

import type { ChangeRecord } from '../../contract/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { LibraryEpoch } from '../../contract/shapes.ts'
import type { Api } from '../http/api.ts'

/** What following the feed asks of a library. */
export type FeedApi = Pick<Api, 'changes' | 'lineages'>

export interface Following {
  witness?: Witness | undefined
  /** Told before each page is asked for; the pages then come with their records where the server offers that. */
  page?: (number: number) => void
  /** Told of every record that is newer than the position. */
  hear?: (change: ChangeRecord) => void
}

/**
 * A position in the feed and the record there. Another library at the same address, or one brought back from a backup, has
 * another record there or none: lineage ids are never given twice. `head` is null at the very beginning, and where the record
 * is not kept any more. One that was brought back by `ph server restore` says so: it has another epoch.
 */
export interface FeedPosition {
  cursor: number
  head: FeedRecord | null
  /** The id of the library's epoch; undefined where it did not say it. */
  epoch?: string | undefined
}

type FeedRecord = Pick<ChangeRecord, 'entity' | 'entity_id' | 'lineage_id'>

export interface FeedNews {
  position: FeedPosition
  /** Ids of versions and of entries that are gone since. */
  goneObjects: number[]
  goneEntries: number[]
  /** Versions of which something is different: the library may ask for their bytes again. */
  changedObjects: number[]
}

/** More news than this are not read one by one: asking about every file is quicker. */
const mostNews = 50_000
const pageSize = limits.changesPage.max
/** What registering one item adds to the feed at most: its version, its entry, and the version that was current before. */
const newsPerItem = 3

/** A version that the library is remembered to hold, the newest of them. */
export interface Witness {
  lineageId: string
  objectId: number
  hash: string
}

/**
 * What happened since `position`. Undefined when that cannot be told: another library, another history, records that are no
 * longer kept, or too much news. Then nothing that is remembered of the library counts.
 *
 * After 30 days without a change the record at the position is gone, and nothing in the feed tells one library from another. Then
 * the witness does: its lineage is to be found nowhere else.
 */
export async function followFeed(api: FeedApi, position: FeedPosition, following: Following = {}): Promise<FeedNews | undefined> {
  const { witness } = following
  const news = position.head ? await readFeed(api, position, following) : 'forgotten'
  if (news !== 'forgotten') return news
  if (witness && !(await isKnown(api, witness))) return undefined
  const later = await readFeed(api, { cursor: position.cursor, head: null }, following)
  return later === 'forgotten' ? undefined : later
}

async function isKnown(api: FeedApi, { lineageId, objectId, hash }: Witness): Promise<boolean> {
  try {
    const { objects } = await api.lineages.get({ lineage_id: lineageId })
    return objects.some(({ object_id, content_hash }) => object_id === objectId && content_hash === hash)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/**
 * What happened since `position`, when all that this push did lies between: its own news are read however many they are, so that
 * the next push need not ask about every file again.
 */
export async function followOwnFeed(api: FeedApi, position: FeedPosition, pushedItems: number): Promise<FeedNews | undefined> {
  const news = await readFeed(api, position, { most: mostNews + pushedItems * newsPerItem })
  return news === 'forgotten' ? undefined : news
}

/** Reads from the record at the position, or from after it when that is not known. `forgotten`: what comes then is not kept. */
async function readFeed(
  api: FeedApi,
  position: FeedPosition,
  { page, hear, most = mostNews }: Following & { most?: number } = {},
): Promise<FeedNews | 'forgotten' | undefined> {
  const news: FeedNews = { position, goneObjects: [], goneEntries: [], changedObjects: [] }
  const first = position.head ? position.cursor - 1 : position.cursor
  for (let cursor = first, number = 1; cursor - first < most; number++) {
    page?.(number)
    const question = { cursor, limit: pageSize, ...(hear && { expand: true, collection_entries: false }) }
    const { changes, next_cursor, reset, library_epoch } = await api.changes.list(question)
    if (isOtherEpoch(library_epoch, position)) return undefined
    news.position = { ...news.position, epoch: library_epoch?.id }
    if (reset) return 'forgotten'
    if (hear) for (const change of changes) if (change.seq > position.cursor) hear(change)
    if (cursor === first && position.head && !holdsHead(changes, position.cursor, position.head)) return undefined
    takeIn(news, changes, position.cursor)
    // Numbers are not repeated, so fewer of them than fit on a page mean that it was the last one.
    if (changes.length === 0 || next_cursor - cursor < pageSize) return news
    cursor = next_cursor
  }
  return undefined
}

/** The library was set back since: what happened up to then cannot be told. */
export const isOtherEpoch = (epoch: LibraryEpoch | undefined, { epoch: remembered }: Pick<FeedPosition, 'epoch'>): boolean =>
  epoch !== undefined && remembered !== undefined && epoch.id !== remembered

/** The present end of the feed; undefined where the server does not offer to say it without telling everything. */
export async function findFeedEnd(api: FeedApi): Promise<FeedPosition | undefined> {
  const end = await exportHead(api)
  if (end === undefined) return undefined
  const last = end.cursor === 0 ? undefined : await readFeed(api, { ...end, cursor: end.cursor - 1 })
  return last === undefined || last === 'forgotten' ? end : last.position
}

async function exportHead(api: FeedApi): Promise<FeedPosition | undefined> {
  try {
    for await (const line of api.changes.export()) {
      const { cursor, library_epoch } = line as { cursor?: unknown; library_epoch?: LibraryEpoch }
      return typeof cursor === 'number' ? { cursor, head: null, epoch: library_epoch?.id } : undefined
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
  }
  return undefined
}

/** A record that changed again within the page is told once, at its latest number. */
function holdsHead(changes: readonly ChangeRecord[], cursor: number, head: FeedRecord): boolean {
  const same = (change: ChangeRecord) =>
    change.entity === head.entity && change.entity_id === head.entity_id && change.lineage_id === head.lineage_id
  const there = changes.find(({ seq }) => seq === cursor)
  return there ? same(there) : changes.some((change) => change.seq > cursor && same(change))
}

function takeIn(news: FeedNews, changes: readonly ChangeRecord[], since: number): void {
  for (const { seq, op, entity, entity_id, lineage_id } of changes) {
    if (seq >= news.position.cursor) news.position = { ...news.position, cursor: seq, head: { entity, entity_id, lineage_id } }
    if (seq <= since) continue
    if (op === 'upsert' && entity === 'object') news.changedObjects.push(entity_id)
    if (op !== 'delete') continue
    if (entity === 'object') news.goneObjects.push(entity_id)
    if (entity === 'entry') news.goneEntries.push(entity_id)
  }
}

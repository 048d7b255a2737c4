/** Brings a mirror up to date by the change feed (spec 4.6): each page with the cursor behind it, in one transaction. */
import type { ChangeRecord } from '../../contract/changes.ts'
import type { Collection } from '../../contract/collections.ts'
import type { EntryWithTags } from '../../contract/entries.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'
import { isOtherEpoch } from '../memory/feed.ts'
import type { Mirror } from './mirror.ts'
import { refreshed } from './refresh.ts'
import type { MirrorRows } from './rows.ts'

export interface Followed {
  cursor: number
  head: number
  /** Records that were applied. */
  applied: number
  /** The feed does not reach back to the cursor, or tells of another history: what there is has to be loaded anew. */
  reset: boolean
  /** It tells of another history: the library was set back to an earlier state. */
  isSetBack?: boolean
}

export interface FollowOptions {
  signal?: AbortSignal
  now?: () => number
  /** That the feed tells the history that the mirror was made of was seen since the server was last away. */
  isHistorySeen?: boolean
}

/** With what came of each: about as much of an answer as a page of a list. */
const pageRecords = 500

/** Applies pages until there are no more. Records that come twice do no harm. */
export async function followOnce(mirror: Mirror, api: Api, options: FollowOptions = {}): Promise<Followed> {
  const { signal, now = Date.now, isHistorySeen = false } = options
  let applied = 0
  void mirror.loaded
  if (!isHistorySeen && !(await isSameHistory(api, mirror.meta('witness'), signal))) {
    const cursor = mirror.meta('cursor') ?? 0
    return { cursor, head: cursor, applied, reset: true, isSetBack: true }
  }
  for (;;) {
    signal?.throwIfAborted()
    const cursor = mirror.meta('cursor') ?? 0
    const question = { cursor, limit: pageRecords, expand: true, collection_entries: false }
    const page = await api.changes.list(question, { signal })
    const epoch = page.library_epoch?.id
    const isSetBack = isOtherEpoch(page.library_epoch, { epoch: mirror.meta('epoch') })
    if (page.reset || isSetBack) return { cursor, head: page.next_cursor, applied, reset: true, isSetBack }
    if (epoch !== undefined && mirror.meta('epoch') === undefined) mirror.write((_, put) => put({ epoch }))
    if (page.changes.length === 0 || page.next_cursor <= cursor) {
      mirror.markSynced(now())
      mirror.standing = { state: 'current', head: cursor }
      return { cursor, head: cursor, applied, reset: false }
    }
    const records = await refreshed({ mirror, api, signal }, page.changes)
    const last = page.changes.at(-1)
    mirror.write((rows, put) => {
      for (const record of records) apply(rows, record)
      put({ cursor: page.next_cursor, ...(last?.seq === page.next_cursor && { witness: JSON.stringify(witnessOf(last)) }) })
    })
    applied += records.length
  }
}

/**
 * A server that was set back to an earlier state numbers its changes anew: where the record that a mirror was made up to is another one
 * there, or not there at all, its cursor says nothing. One that the server has forgotten by now proves nothing.
 */
export async function isSameHistory(api: Api, witness: string | undefined, signal?: AbortSignal): Promise<boolean> {
  if (witness === undefined) return true
  const { seq } = JSON.parse(witness) as { seq: number }
  const there = await witnessAt(api, seq, signal)
  return there === 'forgotten' || there === witness
}

/** The record of this number as JSON; `forgotten` where the feed does not reach back to it, undefined where there is none. */
export async function witnessAt(api: Api, seq: number, signal?: AbortSignal): Promise<string | undefined> {
  if (seq === 0) return undefined
  const { changes, reset } = await api.changes.list({ cursor: seq - 1, limit: 1 }, { signal })
  const [there] = changes
  return reset ? 'forgotten' : there && JSON.stringify(witnessOf(there))
}

const witnessOf = ({ seq, entity, entity_id }: ChangeRecord) => ({ seq, entity, entity_id })

/** Entities that are not known are those of a newer server: they are passed over. */
function apply(rows: MirrorRows, { op, entity, entity_id, lineage_id, record }: ChangeRecord): void {
  if (entity === 'entry') {
    if (op === 'delete' || !record) rows.deleteEntry(entity_id)
    else rows.putEntry(record as unknown as EntryWithTags)
  }
  if (entity === 'review' && record) rows.putEntry(record as unknown as EntryWithTags)
  if (entity === 'lock') {
    if (op === 'delete' || !record) rows.deleteLock(entity_id)
    else rows.putLock(record as unknown as Lock)
  }
  if (entity === 'collection') {
    if (op === 'delete' || !record) rows.deleteCollection(entity_id)
    else rows.putCollection(record as unknown as Collection)
  }
  if (entity === 'object' && lineage_id) {
    if (op === 'delete') rows.deleteObject(lineage_id, entity_id)
    else if (record) rows.putLineage(record as unknown as Lineage)
    else rows.deleteLineage(lineage_id)
  }
}

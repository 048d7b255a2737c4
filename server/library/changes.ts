/** Changes: the catalog feed for mirrors, its head as it moves, and the export they start from (spec 4.6; contract-gaps 9). */

import type { ChangeEntity, ChangeRecord, changes as contract } from '../../contract/changes.ts'
import { limits } from '../../contract/limits.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import { type EpochRow, epochOf } from '../epoch.ts'
import type { Handlers } from '../handler.ts'
import { selectCollections, selectWholeCollections } from '../rows/collection.ts'
import { selectEntriesWithTags, selectEntryIdsOf } from '../rows/entry.ts'
import { selectLineages } from '../rows/lineage.ts'
import { type LockScope, selectLocks } from '../rows/lock.ts'

export const changes: Handlers<typeof contract> = {
  async list({ sql, workspace, now, input }) {
    const { cursor = 0, limit = limits.changesPage.default, expand = false, collection_entries: whole = true } = input
    // Rows first: what retention removes after that is told by the floor. The other way round it would be a gap that nobody hears of.
    const rows = await sql<ChangeRecord[]>`
      select seq, entity, entity_id, lineage_id, op from changes
       where workspace_id = ${workspace.id} and seq > ${cursor} order by seq limit ${limit}`
    const [head] = await sql<(EpochRow & { change_seq: number; changes_floor: number })[]>`
      select change_seq, changes_floor, epoch_id, epoch_began_at from feed_heads where workspace_id = ${workspace.id}`
    if (!head) throw new Error(`workspace ${workspace.id} has no feed head`)
    const library_epoch = epochOf(head)
    const isLost = await isInLostStretch(sql, { workspaceId: workspace.id, cursor, head: head.change_seq, next: rows[0]?.seq })
    if (cursor < head.changes_floor || isLost) return { changes: [], next_cursor: head.change_seq, reset: true, library_epoch }
    const latest = collapse(rows)
    return {
      changes: expand ? await expanded({ sql, workspace, now, whole }, latest) : latest,
      next_cursor: rows.at(-1)?.seq ?? cursor,
      reset: false,
      library_epoch,
    }
  },

  export({ sql, workspace, input: { after = 0 } }) {
    return exportEntries(sql, workspace.id, after)
  },

  live({ live, workspace, actor, signal }) {
    return live.open({ workspace, actor }, signal)
  },
}

interface Place {
  workspaceId: number
  cursor: number
  head: number
  /** The number of the first change after the cursor. */
  next: number | undefined
}

/**
 * Numbers follow each other without a gap but where a new epoch began (server/epoch.ts): a cursor in such a gap was given out in the stretch
 * that the library lost. One ahead of the head was, too: there the library was set back without a new epoch.
 */
async function isInLostStretch(sql: Sql, { workspaceId, cursor, head, next = head + 1 }: Place): Promise<boolean> {
  if (cursor === 0 || cursor === head || next === cursor + 1) return false
  const [there] = await sql`select 1 from changes where workspace_id = ${workspaceId} and seq between ${cursor} and ${cursor + 1}`
  return there === undefined
}

/** Of several changes to one record the last counts. */
function collapse(rows: readonly ChangeRecord[]): ChangeRecord[] {
  const latest = new Map<string, ChangeRecord>()
  for (const row of rows) {
    const key = `${row.entity} ${row.entity_id}`
    latest.delete(key)
    latest.set(key, row)
  }
  return [...latest.values()]
}

interface ExpandScope extends LockScope {
  /** Collections with their entries. */
  whole: boolean
}

/** Each upsert with what its refresh address would answer; null where the record is gone by now. A review is read with its entry. */
async function expanded({ sql, workspace, now, whole }: ExpandScope, rows: ChangeRecord[]): Promise<ChangeRecord[]> {
  const upserts = rows.filter((row) => row.op === 'upsert')
  const idsOf = (entity: ChangeEntity) => upserts.filter((row) => row.entity === entity).map((row) => row.entity_id)
  const [entryIds, lockIds, collectionIds] = [idsOf('entry'), idsOf('lock'), idsOf('collection')]
  const [lineageIds, reviewedIds] = [lineagesOf(upserts, 'object'), lineagesOf(upserts, 'review')]
  const read = async (sql: Sql) => {
    const ids = new Set([...entryIds, ...(await selectEntryIdsOf(sql, workspace.id, reviewedIds))])
    return {
      entries: ids.size > 0 ? await selectEntriesWithTags(sql, workspace.id, [...ids]) : [],
      lineages: lineageIds.length > 0 ? await selectLineages({ sql, workspace, now }, lineageIds) : [],
      locks: lockIds.length > 0 ? await selectLocks({ sql, workspace, now }, sql`and k.id ${amongIds(sql, lockIds)}`) : [],
      collections: collectionIds.length > 0 ? await collectionsOf(sql, workspace.id, { ids: collectionIds, whole }) : [],
    }
  }
  // Each is read by one statement; together they say of an entry and of its lineage which version is current.
  const isOne = reviewedIds.length === 0 && collectionIds.length === 0 && entryIds.length * lineageIds.length === 0
  const { entries, lineages, locks, collections } = await (isOne ? read(sql) : atOneMoment(sql, read))
  const entryById = new Map(entries.map((entry) => [entry.id, entry]))
  const entryByLineage = new Map(entries.map((entry) => [entry.lineage_id, entry]))
  const lineageById = new Map(lineages.map((lineage) => [lineage.id, lineage]))
  const lockById = new Map(locks.map((lock) => [lock.id, lock]))
  const collectionById = new Map(collections.map((collection) => [collection.id, collection]))
  const recordOf = ({ entity, entity_id, lineage_id }: ChangeRecord) => {
    if (entity === 'entry') return entryById.get(entity_id) ?? null
    if (entity === 'lock') return lockById.get(entity_id) ?? null
    if (entity === 'collection') return collectionById.get(entity_id) ?? null
    return (entity === 'review' ? entryByLineage : lineageById).get(lineage_id ?? '') ?? null
  }
  return rows.map((row) => (row.op === 'upsert' ? { ...row, record: recordOf(row) } : row))
}

const collectionsOf = (sql: Sql, workspaceId: number, { ids, whole }: { ids: readonly number[]; whole: boolean }) =>
  whole ? selectWholeCollections(sql, workspaceId, ids) : selectCollections(sql, workspaceId, sql`and c.id ${amongIds(sql, ids)}`)

const lineagesOf = (rows: readonly ChangeRecord[], entity: ChangeEntity): string[] => [
  ...new Set(rows.flatMap((row) => (row.entity === entity && row.lineage_id ? [row.lineage_id] : []))),
]

const exportChunk = 500

/**
 * The ids and the feed's head come from one statement; the rows follow in chunks, so a slow reader holds nothing in the database. What is
 * deleted meanwhile is left out, so only the last line knows how many there were.
 */
async function* exportEntries(sql: Sql, workspaceId: number, after: number) {
  const [start] = await sql<(EpochRow & { cursor: number; ids: number[] | null })[]>`
    select h.change_seq as cursor, h.epoch_id, h.epoch_began_at, (
             select array_agg(e.id order by e.id) from entries e where e.workspace_id = h.workspace_id and e.id > ${after}) as ids
      from feed_heads h where h.workspace_id = ${workspaceId}`
  if (!start) throw new Error(`workspace ${workspaceId} has no feed head`)
  const ids = start.ids ?? []
  yield { cursor: start.cursor, total: ids.length, ends: true as const, library_epoch: epochOf(start) }
  const read = (at: number) => heard(selectEntriesWithTags(sql, workspaceId, ids.slice(at, at + exportChunk)))
  let sent = 0
  let coming = read(0)
  for (let at = 0; at < ids.length; at += exportChunk) {
    const entries = await coming
    // The next chunk is read while this one is sent.
    coming = read(at + exportChunk)
    yield* entries
    sent += entries.length
  }
  yield { end: true as const, entries: sent }
}

/** A failure is thrown where it is waited for, and may come before that. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

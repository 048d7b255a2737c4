/** The records of what a request changed: collected while it works, numbered and written as its last statements (spec 4.6). */

import type { ActivityType } from '../contract/activity.ts'
import type { ChangeEntity } from '../contract/changes.ts'
import type { Sql } from './database/sql.ts'

export interface Change {
  entity: ChangeEntity
  entityId: number
  lineageId: string | null
  op: 'upsert' | 'delete'
}

export interface Happening {
  type: ActivityType
  /** Whose doing it is, where that is not who makes the request. */
  actorId?: number
  entryId?: number | null
  lineageId?: string | null
  objectId?: number | null
  /** Events of one bulk action share it and are shown as one. */
  batchKey?: string | null
  payload?: Record<string, unknown>
}

export class Feed {
  readonly #changes = new Map<string, Change>()
  readonly #events: Happening[] = []
  readonly #commented = new Set<number>()

  get isEmpty(): boolean {
    return this.#changes.size + this.#events.length + this.#commented.size === 0
  }

  /** Something that mirrors show is different now; the last word on one record counts. */
  changed(change: Change): void {
    const key = `${change.entity} ${change.entityId}`
    this.#changes.delete(key)
    this.#changes.set(key, change)
  }

  /** Lists or details of these entries look different now. */
  entriesChanged(entries: Iterable<{ id: number; lineage_id: string }>): void {
    for (const { id, lineage_id } of entries) this.changed({ entity: 'entry', entityId: id, lineageId: lineage_id, op: 'upsert' })
  }

  /** What is said about the entry reads differently now. No mirror is told of it (contract-gaps 5a), but search is. */
  commentsChanged(entryId: number): void {
    this.#commented.add(entryId)
  }

  /** Something happened that people want to read about. */
  happened(event: Happening): void {
    this.#events.push(event)
  }

  /**
   * Numbers and writes the records. The numbers are taken under the lock of the workspace's feed row, which is held until commit:
   * numbers become visible in their order, so a reader who pages by number never misses one. Therefore it comes last.
   */
  async write(sql: Sql, by: { workspaceId: number; actorId: number; now: Date }): Promise<void> {
    const changes = [...this.#changes.values()]
    if (this.isEmpty) return
    const commented = [...this.#commented]
    const [head] = await sql<{ change_seq: number; activity_id: number; comment_seq: number }[]>`
      update feed_heads set change_seq = change_seq + ${changes.length}, activity_id = activity_id + ${this.#events.length},
                            comment_seq = comment_seq + ${commented.length}
       where workspace_id = ${by.workspaceId} returning change_seq, activity_id, comment_seq`
    if (!head) throw new Error(`workspace ${by.workspaceId} has no feed head`)
    const at = by.now.toISOString()
    for (const { rows, before } of parts(changes))
      await sql`
      insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
      select ${by.workspaceId}, ${head.change_seq - changes.length + before} + r.ordinality, r.entity, r.entity_id, r.lineage_id, r.op, ${at}
        from rows from (jsonb_to_recordset(${sql.json(rows.map(toChangeRow))})
             as (entity text, entity_id bigint, lineage_id text, op text)) with ordinality as r`
    for (const { rows, before } of parts(this.#events))
      await sql`
      insert into activity (workspace_id, id, event_type, actor_id, entry_id, lineage_id, object_id, batch_key, payload, created_at)
      select ${by.workspaceId}, ${head.activity_id - this.#events.length + before} + r.ordinality, r.event_type,
             coalesce(r.actor_id, ${by.actorId}), r.entry_id, r.lineage_id, r.object_id, r.batch_key, r.payload, ${at}
        from rows from (jsonb_to_recordset(${sql.json(rows.map(toActivityRow))})
             as (event_type text, actor_id bigint, entry_id bigint, lineage_id text, object_id bigint, batch_key text, payload jsonb)) with ordinality as r`
    if (commented.length > 0)
      await sql`
      insert into commented_entries (workspace_id, entry_id, comment_seq)
      select ${by.workspaceId}, r.entry_id, ${head.comment_seq - commented.length} + r.place
        from unnest(${commented}::bigint[]) with ordinality as r (entry_id, place)
      on conflict (workspace_id, entry_id) do update set comment_seq = excluded.comment_seq`
  }
}

/** A pack or tag of a large library is renamed: each statement takes a part of the records that it can hold. */
const partRows = 10_000

function* parts<T>(all: readonly T[]): Iterable<{ rows: T[]; before: number }> {
  for (let before = 0; before < all.length; before += partRows) yield { rows: all.slice(before, before + partRows), before }
}

const toChangeRow = (change: Change) => ({
  entity: change.entity,
  entity_id: change.entityId,
  lineage_id: change.lineageId,
  op: change.op,
})

const toActivityRow = (event: Happening) => ({
  event_type: event.type,
  actor_id: event.actorId ?? null,
  entry_id: event.entryId ?? null,
  lineage_id: event.lineageId ?? null,
  object_id: event.objectId ?? null,
  batch_key: event.batchKey ?? null,
  payload: (event.payload ?? {}) as Record<string, string>,
})

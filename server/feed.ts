/** The records of what a request changed: collected while it works, numbered and written as its last statements (spec 4.6). */

import type { ActivityType } from '../contract/activity.ts'
import type { ChangeEntity } from '../contract/changes.ts'
import type { Fragment, Sql } from './database/sql.ts'

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
  readonly #jobs = new Set<number>()

  get isEmpty(): boolean {
    return this.#changes.size + this.#events.length + this.#commented.size + this.#jobs.size === 0
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

  /** Who ordered the pull job wants to hear that it was made, or is in another state. No mirror is told of it. */
  jobChanged(jobId: number): void {
    this.#jobs.add(jobId)
  }

  /** Something happened that people want to read about. */
  happened(event: Happening): void {
    this.#events.push(event)
  }

  /**
   * Numbers and writes the records. The numbers are taken under the lock of the workspace's feed row, which is held until commit:
   * numbers become visible in their order, so a reader who pages by number never misses one. Therefore it comes last.
   */
  async write(sql: Sql, by: By): Promise<void> {
    if (this.isEmpty) return
    const [commented, jobs] = [[...this.#commented], [...this.#jobs]]
    const [changes = [], ...moreChanges] = partsOf([...this.#changes.values()])
    const [events = [], ...moreEvents] = partsOf(this.#events)
    const numbers = { changes: this.#changes.size, events: this.#events.length }
    const ofHead = sql`from head cross join`
    const [head] = await sql<Head[]>`
      with head as (
        update feed_heads set change_seq = change_seq + ${numbers.changes}, activity_id = activity_id + ${numbers.events},
                              comment_seq = comment_seq + ${commented.length}, job_seq = job_seq + ${jobs.length}
         where workspace_id = ${by.workspaceId}
        returning change_seq - ${numbers.changes}::bigint as change_seq, activity_id - ${numbers.events}::bigint as activity_id,
                  comment_seq - ${commented.length}::bigint as comment_seq, job_seq - ${jobs.length}::bigint as job_seq)
      ${changes.length > 0 ? sql`, changed as (${insertChanges(sql, by, { rows: changes, before: sql`head.change_seq`, from: ofHead })})` : sql``}
      ${events.length > 0 ? sql`, happened as (${insertEvents(sql, by, { rows: events, before: sql`head.activity_id`, from: ofHead })})` : sql``}
      ${commented.length > 0 ? sql`, said as (${insertCommented(sql, by, commented)})` : sql``}
      ${jobs.length > 0 ? sql`, moved as (${numberJobs(sql, by, jobs)})` : sql``}
      select change_seq, activity_id from head`
    if (!head) throw new Error(`workspace ${by.workspaceId} has no feed head`)
    const from = sql`from`
    for (const [at, rows] of moreChanges.entries())
      await insertChanges(sql, by, { rows, before: sql`${head.change_seq + (at + 1) * partRows}::bigint`, from })
    for (const [at, rows] of moreEvents.entries())
      await insertEvents(sql, by, { rows, before: sql`${head.activity_id + (at + 1) * partRows}::bigint`, from })
  }
}

interface By {
  workspaceId: number
  actorId: number
  now: Date
}

/** The numbers that were given last before these records. */
interface Head {
  change_seq: number
  activity_id: number
}

interface Part<T> {
  rows: readonly T[]
  /** The number before that of its first row. */
  before: Fragment
  /** What stands before the rows. */
  from: Fragment
}

const insertChanges = (sql: Sql, by: By, { rows, before, from }: Part<Change>) => sql`
  insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
  select ${by.workspaceId}, ${before} + r.ordinality, r.entity, r.entity_id, r.lineage_id, r.op, ${by.now.toISOString()}
    ${from} rows from (jsonb_to_recordset(${sql.json(rows.map(toChangeRow))})
            as (entity text, entity_id bigint, lineage_id text, op text)) with ordinality as r`

const insertEvents = (sql: Sql, by: By, { rows, before, from }: Part<Happening>) => sql`
  insert into activity (workspace_id, id, event_type, actor_id, entry_id, lineage_id, object_id, batch_key, payload, created_at)
  select ${by.workspaceId}, ${before} + r.ordinality, r.event_type, coalesce(r.actor_id, ${by.actorId}), r.entry_id, r.lineage_id,
         r.object_id, r.batch_key, r.payload, ${by.now.toISOString()}
    ${from} rows from (jsonb_to_recordset(${sql.json(rows.map(toActivityRow))})
            as (event_type text, actor_id bigint, entry_id bigint, lineage_id text, object_id bigint, batch_key text, payload jsonb))
            with ordinality as r`

const insertCommented = (sql: Sql, by: By, entryIds: readonly number[]) => sql`
  insert into commented_entries (workspace_id, entry_id, comment_seq)
  select ${by.workspaceId}, r.entry_id, head.comment_seq + r.place
    from head cross join unnest(${[...entryIds]}::bigint[]) with ordinality as r (entry_id, place)
  on conflict (workspace_id, entry_id) do update set comment_seq = excluded.comment_seq`

const numberJobs = (sql: Sql, by: By, jobIds: readonly number[]) => sql`
  update pull_jobs j set job_seq = head.job_seq + r.place
    from head cross join unnest(${[...jobIds]}::bigint[]) with ordinality as r (job_id, place)
   where j.workspace_id = ${by.workspaceId} and j.id = r.job_id`

/** A pack or tag of a large library is renamed: each statement takes a part of the records that it can hold. */
const partRows = 10_000

const partsOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / partRows) }, (_, at) => all.slice(at * partRows, (at + 1) * partRows))

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

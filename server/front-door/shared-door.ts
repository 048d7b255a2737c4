/** The front door of several processes on one PostgreSQL: one statement finds the holder and counts the request. */
import type { Database, Fragment, Sql } from '../database/open.ts'
import type { Workspace } from '../handler.ts'
import type { Budget, Limits } from './budgets.ts'
import type { Asked, Door, Found } from './door.ts'
import { type HolderRow, selectHolder, toHolder } from './keys.ts'
import { grainMs, windowMs } from './windows.ts'
import { toWorkspace, type WorkspaceRow } from './workspaces.ts'

interface FoundRow extends HolderRow {
  let_in: boolean
  /** When the key has room again, in ms; null when it was let in. */
  free_at: number | null
  addressed_id: number | null
  addressed_slug: string | null
}

/** As request_windows keeps them: a run is its time times this, plus its count. */
const budgetNumbers: Record<Budget, number> = { requests: 0, push: 1 }

export class SharedDoor implements Door {
  readonly #database: Database
  readonly #limits: Limits

  constructor(database: Database, limits: Limits) {
    this.#database = database
    this.#limits = limits
  }

  async find(asked: Asked): Promise<Found | undefined> {
    const limit = this.#limits[asked.budget]
    const [row] = await findAndCount(this.#database.doorSql, { ...asked, limit })
    if (!row) return undefined
    const addressed = row.addressed_id === null ? undefined : { id: row.addressed_id, slug: row.addressed_slug ?? '' }
    return { holder: toHolder(row), addressed, waitMs: waitOf(row, asked.now.getTime()) }
  }

  async workspace(slug: string | undefined): Promise<Workspace | undefined> {
    const sql = this.#database.doorSql
    return this.#workspaceWhere(slug === undefined ? sql`true` : sql`slug = ${slug}`)
  }

  async workspaceById(id: number): Promise<Workspace | undefined> {
    return this.#workspaceWhere(this.#database.doorSql`id = ${id}`)
  }

  /** Rows of keys that were not used for longer than their window. */
  async tidy(now: Date): Promise<void> {
    await this.#database.doorSql`delete from request_windows where seen_at < ${now.getTime() - 2 * windowMs}`
  }

  /** None: another process may change them at any moment. */
  readonly rememberedKeys = 0

  close(): void {}

  async #workspaceWhere(where: Fragment): Promise<Workspace | undefined> {
    const [row] = await this.#database.doorSql<WorkspaceRow[]>`
      select id, slug, name, state, storage_limit_bytes from workspaces where ${where} order by id limit 1`
    return row && toWorkspace(row)
  }
}

/** At least a millisecond: 0 means let in. */
const waitOf = ({ let_in, free_at }: FoundRow, nowMs: number): number =>
  let_in ? 0 : Math.min(windowMs, Math.max(1, (free_at ?? nowMs + windowMs) - nowMs))

/**
 * The law of windows.ts in SQL. The upsert waits for other requests of the same key and goes on from what they left, so exactly as many
 * get through as may; a refused one leaves the runs as they are.
 */
function findAndCount(sql: Sql, { keyHash, slug, budget, now, limit }: Asked & { limit: number }) {
  const [nowMs, grain] = [now.getTime(), grainMs(limit)]
  return sql<FoundRow[]>`
    with holder as (${selectHolder(sql, keyHash)}),
    counted as (
      insert into request_windows as kept (workspace_id, key_id, budget, runs, let_in, seen_at)
      select workspace_id, key_id, ${budgetNumbers[budget]}::smallint,
             case when ${limit}::bigint > 0 then array[(${nowMs}::bigint << 21) | 1] else '{}' end, ${limit}::bigint > 0, ${nowMs}::bigint
        from holder
      on conflict (workspace_id, key_id, budget) do update set (runs, let_in, seen_at) = (
        with recent as (
          select least(run >> 21, ${nowMs}::bigint) as at, run & 2097151 as requests
            from unnest(kept.runs) as run where run >> 21 > ${nowMs}::bigint - ${windowMs}::bigint),
        room as (select coalesce(sum(requests), 0) < ${limit}::bigint as there from recent)
        select array(
          select (max(at) << 21) | sum(requests)::bigint
            from (select at, requests from recent union all select ${nowMs}::bigint, 1 from room where there) as all_of_them
           group by at / ${grain}::bigint order by 1), there, ${nowMs}::bigint from room)
      returning let_in, case when not let_in then (
        select min(run >> 21) + ${windowMs}::bigint
          from (select run, sum(run & 2097151) over (order by run desc) - (run & 2097151) as newer from unnest(kept.runs) as run) as runs
         where newer < ${limit}::bigint) end as free_at)
    select holder.*, counted.let_in, counted.free_at, addressed.id as addressed_id, addressed.slug as addressed_slug
      from holder cross join counted
      left join workspaces addressed on addressed.slug = coalesce(${slug ?? null}::text, (select slug from workspaces order by id limit 1))`
}

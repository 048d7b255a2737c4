/** How long things are kept: activity a year, deleted props and former names a year, the change feed 30 days, a read notification a year, editor sessions a week, spent plans an hour, what undoing a push needs a week (spec 4.6, 4.8, 6, 8). */
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { forgetDeletions } from '../rows/former/deleted-lineages.ts'
import { isForgettable } from '../webhooks/retention.ts'
import type { Step, StepDone } from './runner.ts'

const changesMs = 30 * 24 * 3_600_000
/** Of one step. */
const stepRows = 1_000
const done = (gone: number): StepDone => ({ gone, isMore: gone === stepRows })

/** Events are numbered as they happen, so the oldest come first: a step reads no more than it may remove. */
export async function forgetOldActivity({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const gone = await sql`
    with oldest as (select id, created_at from activity where workspace_id = ${workspaceId} order by id limit ${stepRows})
    delete from activity a using oldest
     where a.workspace_id = ${workspaceId} and a.id = oldest.id and oldest.created_at < ${yearBefore(now).toISOString()}
    returning a.id`
  return done(gone.length)
}

/**
 * Who follows the feed from further back is told to start over. Only records before the first one that is to be kept go, so that those
 * that are left have no gap. The floor goes up in the same transaction, and last: who commits something waits for its row
 * (server/feed.ts).
 */
export async function forgetOldChanges(database: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const last = await selectLastOldChange(database.sql, { workspaceId, now })
  if (last === undefined) return done(0)
  const forget = async (sql: Sql) => {
    const gone = await sql`delete from changes where workspace_id = ${workspaceId} and seq <= ${last}`
    await sql`
      update feed_heads set changes_floor = greatest(changes_floor, ${last}::bigint) where workspace_id = ${workspaceId}`
    return gone.count
  }
  return done(await inTransaction(database.sql, forget, workspaceId))
}

/** The number of the last record of this step that is to go. */
async function selectLastOldChange(sql: Sql, { workspaceId, now }: Step): Promise<number | undefined> {
  const before = new Date(now.getTime() - changesMs).toISOString()
  const [row] = await sql<{ last: number | null }[]>`
    with oldest as (select seq, created_at from changes where workspace_id = ${workspaceId} order by seq limit ${stepRows})
    select max(seq) filter (where is_old) as last
      from (select seq, bool_and(created_at < ${before}) over (order by seq) as is_old from oldest) as judged`
  return row?.last ?? undefined
}

/** Those that nobody has read stay. */
export async function forgetReadNotifications({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const gone = await sql`
    with oldest as (
      select member_id, id from notifications where workspace_id = ${workspaceId} and read_at < ${yearBefore(now).toISOString()}
       order by read_at limit ${stepRows})
    delete from notifications n using oldest where n.workspace_id = ${workspaceId} and n.member_id = oldest.member_id and n.id = oldest.id returning n.id`
  return done(gone.length)
}

/** Of editors that nobody has heard of since. */
export async function forgetOldSessions({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const before = new Date(now.getTime() - limits.editorSession.keptDays * 24 * 3_600_000).toISOString()
  const gone = await sql`
    delete from editor_sessions s using (
      select session_id from editor_sessions where workspace_id = ${workspaceId} and last_seen_at < ${before} limit ${stepRows}) old
     where s.workspace_id = ${workspaceId} and s.session_id = old.session_id and s.last_seen_at < ${before}
    returning s.session_id`
  return done(gone.length)
}

/** Of assistants: a token that is too old is refused by its time. The hour more is for the clocks of other servers on the database. */
export async function forgetSpentPlans({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const before = new Date(now.getTime() - 3_600_000).toISOString()
  const gone = await sql`
    delete from spent_plans p using (
      select plan_id from spent_plans where workspace_id = ${workspaceId} and expires_at < ${before}
       order by expires_at limit ${stepRows}) old
     where p.workspace_id = ${workspaceId} and p.plan_id = old.plan_id returning p.plan_id`
  return done(gone.length)
}

/** Pushes that are too old to be taken back, with the references that they took away. */
export async function forgetOldPushes({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const gone = await sql`
    with old as (
      select id from pushes where workspace_id = ${workspaceId} and pushed_at < ${pushesBefore(now)} order by pushed_at limit ${stepRows}),
    taken as (delete from push_references r using old where r.workspace_id = ${workspaceId} and r.push_id = old.id)
    delete from pushes p using old where p.workspace_id = ${workspaceId} and p.id = old.id returning p.id`
  return done(gone.length)
}

/** What is known of deleted props, and names that entries had before: for a year. */
export async function forgetOldNames({ sql }: { sql: Sql }, { workspaceId, now }: Step): Promise<StepDone> {
  const before = yearBefore(now).toISOString()
  const deleted = await sql<{ lineage_id: string }[]>`
    select lineage_id from deleted_lineages where workspace_id = ${workspaceId} and deleted_at < ${before}
     order by deleted_at limit ${stepRows}`
  await forgetDeletions(
    sql,
    workspaceId,
    deleted.map((row) => row.lineage_id),
  )
  const names = await sql`
    delete from entry_names n using (
      select entry_id, name_key from entry_names where workspace_id = ${workspaceId} and until < ${before}
       order by until limit ${stepRows}) old
     where n.workspace_id = ${workspaceId} and n.entry_id = old.entry_id and n.name_key = old.name_key and n.until < ${before}
    returning n.entry_id`
  return { gone: deleted.length + names.length, isMore: deleted.length === stepRows || names.length === stepRows }
}

/** How many records would go now. They take no room that is counted. */
export async function countExpired(sql: Sql, { workspaceId, now }: Step): Promise<{ candidates: number; bytes: number }> {
  const year = yearBefore(now).toISOString()
  const [changes, sessions, plans] = [changesMs, limits.editorSession.keptDays * 24 * 3_600_000, 3_600_000].map((ageMs) =>
    new Date(now.getTime() - ageMs).toISOString(),
  ) as [string, string, string]
  const [row] = await sql<{ candidates: number }[]>`
    select ((select count(*) from (select created_at from activity where workspace_id = ${workspaceId} order by id limit ${limits.sweepCounted}) a where a.created_at < ${year})
          + (select count(*) from (select created_at from changes where workspace_id = ${workspaceId} order by seq limit ${limits.sweepCounted}) c where c.created_at < ${changes})
          + (select count(*) from (select 1 from notifications where workspace_id = ${workspaceId} and read_at < ${year} limit ${limits.sweepCounted}) n)
          + (select count(*) from (select 1 from editor_sessions where workspace_id = ${workspaceId} and last_seen_at < ${sessions} limit ${limits.sweepCounted}) s)
          + (select count(*) from (select 1 from webhook_deliveries d join webhooks w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
                                    where d.workspace_id = ${workspaceId} and ${isForgettable(sql, now)} limit ${limits.sweepCounted}) w)
          + (select count(*) from (select 1 from deleted_lineages where workspace_id = ${workspaceId} and deleted_at < ${year} limit ${limits.sweepCounted}) g)
          + (select count(*) from (select 1 from entry_names where workspace_id = ${workspaceId} and until < ${year} limit ${limits.sweepCounted}) e)
          + (select count(*) from (select 1 from pushes where workspace_id = ${workspaceId} and pushed_at < ${pushesBefore(now)} limit ${limits.sweepCounted}) u)
          + (select count(*) from (select 1 from spent_plans where workspace_id = ${workspaceId} and expires_at < ${plans} limit ${limits.sweepCounted}) p))::int as candidates`
  return { candidates: row?.candidates ?? 0, bytes: 0 }
}

const pushesBefore = (now: Date): string => new Date(now.getTime() - limits.pushUndo.keptDays * 24 * 3_600_000).toISOString()

function yearBefore(now: Date): Date {
  const then = new Date(now)
  then.setUTCFullYear(then.getUTCFullYear() - 1)
  return then
}

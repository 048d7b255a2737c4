/** Sweeps that an admin asks for (contract-gaps 7): the same steps that background work takes, after a dry run that counted what they would find. */
import type { Sweep, SweepKind } from '../../contract/admin.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import { forgetLooseAttachments } from '../discussion/attachments.ts'
import { orphanAgeMs, sweepOrphans } from '../storage/orphans.ts'
import type { Storage } from '../storage/storage.ts'
import {
  countExpired,
  forgetOldActivity,
  forgetOldChanges,
  forgetOldSessions,
  forgetReadNotifications,
  forgetSpentPlans,
} from './retention.ts'
import type { StepDone } from './runner.ts'

type Found = Pick<Sweep, 'candidates' | 'bytes'>

interface SweepParts {
  /** The pool: each step is a transaction of its own. */
  sql: Sql
  workspaceId: number
  now: Date
  /** Where bytes lie, uncounted. */
  files: Pick<Storage, 'remove'>
}

const dryRunMs = 15 * 60_000
/** Of one request: whoever has more to remove asks again. */
const mostSteps = 200

/** DRY_RUN_REQUIRED for a real run without a dry run of its kind in the last 15 minutes. */
export async function sweep(parts: SweepParts, { kind, dry_run }: Pick<Sweep, 'kind' | 'dry_run'>): Promise<Sweep> {
  if (dry_run) await noteDryRun(parts, kind)
  else await requireDryRun(parts, kind)
  const found = await count(parts, kind)
  let deleted = 0
  if (!dry_run) for (const step of stepsOf(parts, kind)) deleted += await repeat(step)
  return { kind, dry_run, ...found, deleted }
}

async function noteDryRun({ sql, workspaceId, now }: SweepParts, kind: SweepKind): Promise<void> {
  await sql`
    insert into sweep_dry_runs (workspace_id, kind, made_at) values (${workspaceId}, ${kind}, ${now.toISOString()})
    on conflict (workspace_id, kind) do update set made_at = excluded.made_at`
}

async function requireDryRun({ sql, workspaceId, now }: SweepParts, kind: SweepKind): Promise<void> {
  const since = new Date(now.getTime() - dryRunMs).toISOString()
  const [made] = await sql`
    select 1 from sweep_dry_runs where workspace_id = ${workspaceId} and kind = ${kind} and made_at >= ${since}`
  if (!made)
    throw new ApiError(
      'DRY_RUN_REQUIRED',
      `There was no dry run of ${kind} in the last 15 minutes. Do one, and look at what it found.`,
    )
}

function count({ sql, workspaceId, now }: SweepParts, kind: SweepKind): Promise<Found> {
  if (kind === 'expired_records') return countExpired(sql, { workspaceId, now })
  if (kind === 'orphan_blobs')
    return first(sql<Found[]>`
      select count(*)::int as candidates, coalesce(sum(size), 0)::bigint as bytes from loose_files
       where workspace_id = ${workspaceId} and loose_since < ${before(now, orphanAgeMs)}`)
  return first(sql<Found[]>`
    select count(*)::int as candidates, coalesce(sum(size + coalesce(strokes_size, 0)), 0)::bigint as bytes from attachments
     where workspace_id = ${workspaceId} and loose_since < ${before(now, limits.attachment.looseHours * 3_600_000)}`)
}

const before = (now: Date, ageMs: number): string => new Date(now.getTime() - ageMs).toISOString()
const first = async (rows: Promise<Found[]>): Promise<Found> => (await rows)[0] ?? { candidates: 0, bytes: 0 }

/** Each is repeated until it finds nothing more; it chooses under its own locks what goes. */
function stepsOf({ sql, workspaceId, now, files }: SweepParts, kind: SweepKind): (() => Promise<StepDone>)[] {
  const [database, step] = [{ sql }, { workspaceId, now }]
  if (kind === 'orphan_blobs') return [() => sweepOrphans({ database, files }, step)]
  if (kind === 'unattached_attachments') return [() => forgetLooseAttachments(database, step)]
  const records = [forgetOldActivity, forgetOldChanges, forgetReadNotifications, forgetOldSessions, forgetSpentPlans]
  return records.map((forget) => () => forget(database, step))
}

async function repeat(step: () => Promise<StepDone>): Promise<number> {
  let deleted = 0
  for (let steps = 0; steps < mostSteps; steps++) {
    const { gone, isMore } = await step()
    deleted += gone
    if (!isMore) break
  }
  return deleted
}

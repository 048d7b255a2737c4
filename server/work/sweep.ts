/** Sweeps that an admin asks for (contract-gaps 7): the same steps that background work takes, after a dry run that counted what they would find. */
import { type Sweep, type SweepKind, sweepKinds } from '../../contract/admin.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'
import { countLooseAttachments, forgetLooseAttachments } from '../discussion/attachments.ts'
import { isHeldForBackup } from '../storage/backup-hold.ts'
import { selectDenylisted } from '../storage/denylist.ts'
import { countOrphans, sweepOrphans } from '../storage/orphans.ts'
import type { Storage } from '../storage/storage.ts'
import { forgetDeliveries } from '../webhooks/retention.ts'
import {
  countExpired,
  forgetOldActivity,
  forgetOldChanges,
  forgetOldNames,
  forgetOldSessions,
  forgetReadNotifications,
  forgetSpentPlans,
} from './retention.ts'
import type { StepDone } from './runner.ts'

interface SweepParts {
  /** The pool: each step is a transaction of its own, and others have their turn between two. */
  sql: Sql
  workspaceId: number
  now: Date
  /** Where bytes lie, uncounted. */
  files: Pick<Storage, 'remove'>
}

const dryRunMs = 15 * 60_000
/** Of one request. Someone who has more to remove asks again. */
const mostMs = 15_000

/** DRY_RUN_REQUIRED for a real run without a dry run of its kind in the last 15 minutes, UNAVAILABLE for one of files while a backup holds them. */
export async function sweep(parts: SweepParts, { kind, dry_run }: Pick<Sweep, 'kind' | 'dry_run'>): Promise<Sweep> {
  if (!dry_run) await requireDryRun(parts, kind)
  if (!dry_run && kind === 'orphan_blobs') await requireNoBackup(parts)
  const found = await sweeps[kind].count(parts.sql, parts)
  const deleted = dry_run ? 0 : await removeIn(parts, kind)
  if (dry_run) await noteDryRun(parts, kind)
  const denylisted = kind === 'orphan_blobs' ? { denylisted: await selectDenylisted(parts.sql, parts.workspaceId) } : {}
  return { kind, dry_run, ...found, deleted, ...denylisted }
}

/** When there was one in time to carry out what it found: null otherwise. */
async function dryRunAt({ sql, workspaceId, now }: Omit<SweepParts, 'files'>, kind: SweepKind): Promise<Date | null> {
  const since = new Date(now.getTime() - dryRunMs).toISOString()
  const [made] = await sql<{ made_at: string }[]>`
    select made_at from sweep_dry_runs where workspace_id = ${workspaceId} and kind = ${kind} and made_at >= ${since}`
  return made ? new Date(made.made_at) : null
}

/** Where a dry run was made in time, what it would find now. */
export function selectLooks(sql: Sql, where: { workspaceId: number; now: Date }) {
  const look = async (kind: SweepKind) => {
    const lookedAt = await dryRunAt({ sql, ...where }, kind)
    return { kind, lookedAt, ...(lookedAt ? await sweeps[kind].count(sql, where) : { candidates: 0, bytes: 0 }) }
  }
  return Promise.all(sweepKinds.map(look))
}

async function noteDryRun({ sql, workspaceId, now }: SweepParts, kind: SweepKind): Promise<void> {
  await sql`
    insert into sweep_dry_runs (workspace_id, kind, made_at) values (${workspaceId}, ${kind}, ${now.toISOString()})
    on conflict (workspace_id, kind) do update set made_at = excluded.made_at`
}

async function requireDryRun(parts: SweepParts, kind: SweepKind): Promise<void> {
  if (await dryRunAt(parts, kind)) return
  throw new ApiError(
    'DRY_RUN_REQUIRED',
    `There was no dry run of ${kind} in the last 15 minutes. Do one, and look at what it found.`,
  )
}

async function requireNoBackup({ sql, now }: SweepParts): Promise<void> {
  if (!(await isHeldForBackup(sql, now))) return
  throw new ApiError('UNAVAILABLE', 'A backup of the library goes on, and needs its files. Sweep again when it is over.', {
    reason: 'backup_under_way',
  })
}

type Step = (database: { sql: Sql }, parts: SweepParts) => Promise<StepDone>

interface OneSweep {
  count: (sql: Sql, parts: { workspaceId: number; now: Date }) => Promise<Pick<Sweep, 'candidates' | 'bytes'>>
  /** Each is repeated until it finds nothing more; it chooses under its own locks what goes. */
  steps: readonly Step[]
}

const sweeps: Record<SweepKind, OneSweep> = {
  orphan_blobs: {
    count: countOrphans,
    steps: [(database, parts) => sweepOrphans({ database, files: parts.files }, parts)],
  },
  unattached_attachments: { count: countLooseAttachments, steps: [forgetLooseAttachments] },
  expired_records: {
    count: countExpired,
    steps: [
      forgetOldActivity,
      forgetOldChanges,
      forgetDeliveries,
      forgetReadNotifications,
      forgetOldSessions,
      forgetOldNames,
      forgetSpentPlans,
    ],
  },
}

/** How many went. */
async function removeIn(parts: SweepParts, kind: SweepKind): Promise<number> {
  const endMs = performance.now() + mostMs
  let deleted = 0
  for (const step of sweeps[kind].steps)
    for (let isMore = true; isMore && performance.now() < endMs; ) {
      const done = await step({ sql: parts.sql }, parts)
      deleted += done.gone
      isMore = done.isMore
    }
  return deleted
}

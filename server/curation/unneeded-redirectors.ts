/** Redirectors whose path no version refers to any more, in whichever project and however old: they go a month after they came. */
import type { Sql } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { isUpgrading } from '../rows/upgrade/references.ts'
import { deleteUnnamed } from './deletion.ts'
import type { Candidate } from './deletion-reach.ts'

/** What refers to one may come with a later push than it. */
const keptMs = 30 * 24 * 3_600_000
/** Of one step, which is one transaction. */
const stepRedirectors = 200

export async function forgetUnneededRedirectors(
  { sql }: { sql: Sql },
  { workspaceId, now }: { workspaceId: number; now: Date },
): Promise<{ gone: number; isMore: boolean }> {
  const where = { workspaceId, now, before: new Date(now.getTime() - keptMs).toISOString() }
  if ((await selectUnneeded(sql, where)).length === 0) return { gone: 0, isMore: false }
  const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now }
  const gone = await transact(writing, async (inside) => {
    await lockWorkspace(inside.sql, workspaceId)
    // References of before have no paths yet.
    if (await isUpgrading(inside.sql, workspaceId)) return 0
    const redirectors = await selectUnneeded(inside.sql, where)
    if (redirectors.length > 0) await deleteUnnamed(inside, redirectors)
    return redirectors.length
  })
  return { gone, isMore: gone === stepRedirectors }
}

/** A redirector may be referred to by its path, whatever lay there when that was pushed, or by itself. No open job brings it. */
const selectUnneeded = (sql: Sql, { workspaceId, before }: { workspaceId: number; before: string }) => sql<Candidate[]>`
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size, null::bigint as home
    from objects o
   where o.workspace_id = ${workspaceId} and o.asset_class = 'ObjectRedirector' and o.date_ingested < ${before}
     and not exists (select 1 from entries e where e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id)
     and not exists (
       select 1 from objects other
        where other.workspace_id = o.workspace_id and other.lineage_id = o.lineage_id and other.asset_class <> 'ObjectRedirector')
     and not exists (select 1 from dependencies d where d.workspace_id = o.workspace_id and d.needs_object_id = o.id)
     and not exists (select 1 from awaited_imports a where a.workspace_id = o.workspace_id and a.path_key = o.path_key)
     and not exists (select 1 from dependencies d where d.workspace_id = o.workspace_id and d.path_key = o.path_key)
     and not exists (
       select 1 from pull_job_objects j join pull_jobs p on p.workspace_id = j.workspace_id and p.id = j.job_id
        where j.workspace_id = o.workspace_id and j.object_id = o.id and p.status in ('queued', 'claimed', 'running'))
   order by o.id limit ${stepRedirectors}`

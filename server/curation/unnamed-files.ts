/** Parts of levels and redirectors that nothing names, and that came more than a month ago: they go in steps, each judged again under the lock of the workspace. */
import type { Sql } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { isUpgrading } from '../rows/upgrade/references.ts'
import { deleteUnnamed } from './deletion.ts'
import type { Candidate } from './deletion-reach.ts'

const keptMs = 30 * 24 * 3_600_000
/** Of one step, which is one transaction. */
const stepFiles = 200

/** Those that came before a time, at most `stepFiles` of them. */
type SelectUnnamed = (sql: Sql, where: { workspaceId: number; before: string }) => PromiseLike<Candidate[]>

async function forgetMonthOld(
  { sql }: { sql: Sql },
  { workspaceId, now }: { workspaceId: number; now: Date },
  select: SelectUnnamed,
): Promise<{ gone: number; isMore: boolean }> {
  const where = { workspaceId, before: new Date(now.getTime() - keptMs).toISOString() }
  if ((await select(sql, where)).length === 0) return { gone: 0, isMore: false }
  const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now }
  const gone = await transact(writing, async (inside) => {
    await lockWorkspace(inside.sql, workspaceId)
    const files = await select(inside.sql, where)
    if (files.length > 0) await deleteUnnamed(inside, files)
    return files.length
  })
  return { gone, isMore: gone === stepFiles }
}

/** Parts that no set names, such as those of a push that was killed before it told the level. Old sets are kept, and what they name. */
export const forgetUnnamedParts = (database: { sql: Sql }, at: { workspaceId: number; now: Date }) =>
  forgetMonthOld(database, at, selectUnnamed)

/** Every part lies below one of two folders, which one index finds. */
const selectUnnamed = (sql: Sql, { workspaceId, before }: { workspaceId: number; before: string }) => sql<Candidate[]>`
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size, null::bigint as home
    from objects o
   where o.workspace_id = ${workspaceId} and o.path_key >= '/game/__external' and o.path_key < '/game/__externam'
     and o.path_key ~ '/__external(actors|objects)__/' and o.date_ingested < ${before}
     and not exists (select 1 from level_parts p where p.workspace_id = o.workspace_id and p.object_id = o.id)
     and not exists (select 1 from dependencies d where d.workspace_id = o.workspace_id and d.needs_object_id = o.id)
     and not exists (select 1 from entries e where e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id)
   order by o.id limit ${stepFiles}`

/** Redirectors to whose path no version refers any more, in whichever project and however old. */
export const forgetUnneededRedirectors = (database: { sql: Sql }, at: { workspaceId: number; now: Date }) =>
  forgetMonthOld(database, at, async (sql, where) =>
    // References of before have no paths yet.
    (await isUpgrading(sql, where.workspaceId)) ? [] : selectUnneeded(sql, where),
  )

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
   order by o.id limit ${stepFiles}`

/** Parts of levels that no set names, such as those of a push that was killed before it told the level: they go a month after they came. Old sets are kept, and what they name. */
import type { Sql } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { deleteUnnamed } from './deletion.ts'
import type { Candidate } from './deletion-reach.ts'

const keptMs = 30 * 24 * 3_600_000
/** Of one step, which is one transaction. */
const stepParts = 200

export async function forgetUnnamedParts(
  { sql }: { sql: Sql },
  { workspaceId, now }: { workspaceId: number; now: Date },
): Promise<{ gone: number; isMore: boolean }> {
  const where = { workspaceId, before: new Date(now.getTime() - keptMs).toISOString() }
  if ((await selectUnnamed(sql, where)).length === 0) return { gone: 0, isMore: false }
  const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now }
  const gone = await transact(writing, async (inside) => {
    await lockWorkspace(inside.sql, workspaceId)
    const parts = await selectUnnamed(inside.sql, where)
    if (parts.length > 0) await deleteUnnamed(inside, parts)
    return parts.length
  })
  return { gone, isMore: gone === stepParts }
}

/** Every part lies below one of two folders, which one index finds. */
const selectUnnamed = (sql: Sql, { workspaceId, before }: { workspaceId: number; before: string }) => sql<Candidate[]>`
  select o.id, o.lineage_id, o.pack_id, o.content_hash, o.blob_size, null::bigint as home
    from objects o
   where o.workspace_id = ${workspaceId} and o.path_key >= '/game/__external' and o.path_key < '/game/__externam'
     and o.path_key ~ '/__external(actors|objects)__/' and o.date_ingested < ${before}
     and not exists (select 1 from level_parts p where p.workspace_id = o.workspace_id and p.object_id = o.id)
     and not exists (select 1 from dependencies d where d.workspace_id = o.workspace_id and d.needs_object_id = o.id)
     and not exists (select 1 from entries e where e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id)
   order by o.id limit ${stepParts}`

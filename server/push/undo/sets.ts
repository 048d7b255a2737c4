/** The parts of levels as they were before pushes that are taken back: a new set without what these changed, as far as it is still so. */
import { amongIds } from '../../database/among.ts'
import { takeIds } from '../../database/ids.ts'
import type { Sql } from '../../database/sql.ts'
import type { Context } from '../../handler.ts'
import { type NewSet, writeSets } from '../../rows/levels/set-changes.ts'
import { type KnownSet, neverEnded, selectNewestSets } from '../../rows/levels/sets.ts'
import type { Taken } from './taken.ts'

/** What the pushes made of one level in one project. */
interface Made {
  lineage_id: string
  project_id: number
  set_ids: number[]
  /** Whether the project had sets of the level before, or has others since. */
  has_others: boolean
  entry_id: number | null
}

/** Before the versions go: a set that names one of them would lose the part instead of having the one of before. */
export async function takeSetsBack(context: Context, { pushes }: Taken): Promise<void> {
  const { sql, workspace, feed } = context
  const made = await selectMade(
    sql,
    workspace.id,
    pushes.map(({ id }) => id),
  )
  for (const level of made) {
    if (level.has_others) await recordBefore(context, level)
    else await forgetOnly(sql, workspace.id, level)
    if (level.entry_id !== null) feed.entriesChanged([{ id: level.entry_id, lineage_id: level.lineage_id }])
  }
}

const selectMade = (sql: Sql, workspaceId: number, pushIds: readonly number[]): PromiseLike<Made[]> => sql<Made[]>`
  select s.lineage_id, s.project_id, json_agg(s.id order by s.id) as set_ids, min(e.id) as entry_id,
         exists (select 1 from level_sets other
                  where other.workspace_id = ${workspaceId} and other.lineage_id = s.lineage_id and other.project_id = s.project_id
                    and (other.push_id is null or other.push_id not ${amongIds(sql, pushIds)})) as has_others
    from level_sets s
    left join entries e on e.workspace_id = s.workspace_id and e.lineage_id = s.lineage_id
   where s.workspace_id = ${workspaceId} and s.push_id ${amongIds(sql, pushIds)}
   group by s.lineage_id, s.project_id order by s.lineage_id, s.project_id`

interface Way {
  path_key: string
  now: number | null
  before: number | null
}

/** A part that another set has changed since stays as that one has it. */
const selectWay = (sql: Sql, workspaceId: number, { lineage_id, project_id, set_ids }: Made): PromiseLike<Way[]> => {
  const rows = sql`level_parts p where p.workspace_id = ${workspaceId} and p.lineage_id = ${lineage_id} and p.project_id = ${project_id}`
  const made = (set: ReturnType<Sql>) => sql`${set} ${amongIds(sql, set_ids)}`
  return sql<Way[]>`
    select touched.path_key, now.object_id as now, before.object_id as before
      from (select distinct p.path_key from ${rows} and (${made(sql`p.from_set`)} or ${made(sql`p.until_set`)})) touched
     cross join lateral (
       select p.from_set, p.until_set from ${rows} and p.path_key = touched.path_key order by p.from_set desc limit 1) last
      left join lateral (
       select p.object_id from ${rows} and p.path_key = touched.path_key and p.until_set = ${neverEnded}) now on true
      left join lateral (
       select p.object_id from ${rows} and p.path_key = touched.path_key and ${made(sql`p.until_set`)} and not ${made(sql`p.from_set`)}
        order by p.from_set desc limit 1) before on true
     where case when last.until_set = ${neverEnded} then ${made(sql`last.from_set`)} else ${made(sql`last.until_set`)} end
       and now.object_id is distinct from before.object_id`
}

async function recordBefore(context: Context, level: Made): Promise<void> {
  const { sql, workspace } = context
  const newest = (await selectNewestSets(sql, workspace.id, { lineageIds: [level.lineage_id], projectId: level.project_id })).get(
    level.lineage_id,
  )
  const way = await selectWay(sql, workspace.id, level)
  if (!newest || way.length === 0) return
  const [id] = await takeIds(sql, 'level_sets', 1)
  await writeSets(context, [withoutChanges(way, { id: Number(id), newest })])
}

function withoutChanges(way: readonly Way[], { id, newest }: { id: number; newest: KnownSet }): NewSet {
  const put = way.flatMap(({ path_key, before }) => (before === null ? [] : [{ path_key, object_id: before }]))
  const remove = way.flatMap(({ path_key, before }) => (before === null ? [path_key] : []))
  const added = way.filter(({ now }) => now === null).length
  return {
    ...newest,
    ...{ id, number: newest.number + 1, parts: newest.parts + added - remove.length },
    ...{ added, changed: put.length - added, removed: remove.length, copyOf: undefined, put, remove },
  }
}

/** The project had nothing of the level before: what others have of it counts for it again. */
async function forgetOnly(sql: Sql, workspaceId: number, { lineage_id, project_id }: Made): Promise<void> {
  const rows = sql`workspace_id = ${workspaceId} and lineage_id = ${lineage_id} and project_id = ${project_id}`
  await sql`delete from level_parts where ${rows}`
  await sql`delete from level_sets where ${rows}`
}

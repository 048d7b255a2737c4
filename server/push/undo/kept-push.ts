/** What is kept of a push, so that it can be taken back: what it registers and names again, and how it finds the lineages that it changes. */
import { amongIds, amongTexts } from '../../database/among.ts'
import type { Fragment, Sql } from '../../database/sql.ts'
import type { Context } from '../../handler.ts'
import { isFirstToNameMissing } from '../enrich.ts'
import type { LineageState, Outcome } from '../outcome.ts'
import type { ItemPlan } from '../plan.ts'

interface Keeping {
  batchKey: string
  plans: readonly ItemPlan[]
  outcome: Outcome
  projectId: number
}

/** Before the outcome is written. Undefined where nothing was registered or known: there is nothing to take back. */
export async function keepPush(context: Context, { batchKey, plans, outcome, projectId }: Keeping): Promise<number | undefined> {
  const { sql, workspace, actor, now } = context
  if (outcome.byHash.size === 0) return undefined
  const known = plans.filter((plan) => plan.action === 'dedup')
  const versions = [...outcome.versions.values()]
  const made = outcome.lineages.filter(({ entry }) => entry && !entry.known)
  const lineageIds = new Set([...versions.map(({ lineage }) => lineage.id), ...made.map(({ id }) => id)])
  const found = outcome.lineages.filter(({ id, known, entry }) => known && (lineageIds.has(id) || entry?.changed))
  const [row] = await sql<{ id: number }[]>`
    insert into pushes (workspace_id, batch_key, pushed_by, project_id, pushed_at, object_ids, known_ids, entry_ids, lineage_ids, missing_ids, before)
    values (${workspace.id}, ${batchKey}, ${actor.id}, ${projectId}, ${now.toISOString()}, ${versions.map(({ objectId }) => objectId)}::bigint[],
            ${known.map((plan) => plan.known.id)}::bigint[], ${made.flatMap(({ entry }) => entry?.id ?? [])}::bigint[],
            ${[...lineageIds]}::text[], ${known.filter(isFirstToNameMissing).map((plan) => plan.known.id)}::bigint[],
            ${asTheyAre(sql, workspace.id, found)})
    returning id`
  if (!row) throw new Error('the push was not kept')
  return row.id
}

const asTheyAre = (sql: Sql, workspaceId: number, lineages: readonly LineageState[]): Fragment => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
           'lineage_id', l.id, 'object_id', l.face_object_id, 'entry_id', e.id, 'category', e.category,
           'joins_group', r.joins_group and e.variant_group_id is null, 'sets_label', r.sets_label and e.variant_label is null)), '[]')
    from jsonb_to_recordset(${sql.json(
      lineages.map(({ id, entry }) => ({
        ...{ id, joins_group: entry?.groupRef !== undefined, sets_label: Boolean(entry?.variantLabel) },
      })),
    )}) as r(id text, joins_group boolean, sets_label boolean)
    join lineages l on l.workspace_id = ${workspaceId} and l.id = r.id
    left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id)`

/** A lineage as a push found it. */
export interface FoundLineage {
  lineage_id: string
  object_id: number
  entry_id: number | null
  category: string | null
  /** The push put the entry into a variant group, or labelled it: it had none. */
  joins_group: boolean
  sets_label: boolean
}

export interface KeptPush {
  id: number
  batch_key: string
  pushed_by: number
  pushed_at: Date
  object_ids: number[]
  known_ids: number[]
  entry_ids: number[]
  lineage_ids: string[]
  missing_ids: number[]
  before: FoundLineage[]
  undone_at: Date | null
}

/** The oldest first. The caller has the lock of the workspace. */
export const selectPushes = (sql: Sql, workspaceId: number, batchKeys: readonly string[]): PromiseLike<KeptPush[]> => sql<
  KeptPush[]
>`
  select id, batch_key, pushed_by, pushed_at, object_ids, known_ids, entry_ids, to_json(lineage_ids) as lineage_ids, missing_ids, before, undone_at
    from pushes where workspace_id = ${workspaceId} and batch_key ${amongTexts(sql, batchKeys)} order by id`

export async function markUndone(
  { sql, workspace, now }: Pick<Context, 'sql' | 'workspace' | 'now'>,
  pushes: readonly KeptPush[],
): Promise<void> {
  const ids = pushes.map(({ id }) => id)
  await sql`delete from push_references where workspace_id = ${workspace.id} and push_id ${amongIds(sql, ids)}`
  await sql`update pushes set undone_at = ${now.toISOString()} where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
}

/** Enrichment: a push of bytes that are known fills what was missing of them: name, package path, engine version (spec 4.9). */
import type { Context } from '../handler.ts'
import { pathKey } from './manifest.ts'
import type { DedupPlan, ItemPlan } from './plan.ts'

const enrichable = ['asset_name', 'origin_path', 'engine_version'] as const
type Enrichable = (typeof enrichable)[number]

/** What was filled, by content hash. */
export type Enriched = Map<string, { objectId: number; fields: Enrichable[] }>

export async function enrich({ sql, workspace }: Context, plans: readonly ItemPlan[]): Promise<Enriched> {
  const gains = plans
    .filter((plan) => plan.action === 'dedup')
    .map(gainOf)
    .filter((gain) => gain.fields.length > 0)
  if (gains.length > 0)
    await sql`
    update objects o
       set asset_name = coalesce(o.asset_name, r.asset_name), origin_path = coalesce(o.origin_path, r.origin_path),
           path_key = coalesce(o.path_key, r.path_key), engine_version = coalesce(o.engine_version, r.engine_version)
      from jsonb_to_recordset(${sql.json(gains.map((gain) => gain.row))})
           as r(id bigint, asset_name text, origin_path text, path_key text, engine_version text)
     where o.workspace_id = ${workspace.id} and o.id = r.id`
  return new Map(gains.map(({ plan, fields }) => [plan.item.content_hash, { objectId: plan.known.id, fields }]))
}

function gainOf(plan: DedupPlan) {
  const { item, known } = plan
  const fields = enrichable.filter((field) => known[field] === null && item[field])
  const gained = (field: Enrichable) => (fields.includes(field) ? (item[field] ?? null) : null)
  const origin_path = gained('origin_path')
  const row = {
    id: known.id,
    asset_name: gained('asset_name'),
    origin_path,
    path_key: origin_path && pathKey(origin_path),
    engine_version: gained('engine_version'),
  }
  return { plan, fields, row }
}

/**
 * Enrichment: a push of bytes that are known fills what was missing of them (spec 4.9): name, package path, engine version; and what
 * the bytes refer to, where nobody had said it. Note, project and source path say how a version came, and stay as they are.
 */
import type { Context } from '../handler.ts'
import { distinctNames, pathKey } from './manifest.ts'
import type { DedupPlan, ItemPlan } from './plan.ts'

const texts = ['asset_name', 'origin_path', 'engine_version'] as const
type Text = (typeof texts)[number]
type Enrichable = Text | 'missing_dependencies' | 'plugins'

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
           path_key = coalesce(o.path_key, r.path_key), engine_version = coalesce(o.engine_version, r.engine_version),
           plugins = coalesce(r.plugins, o.plugins), has_missing = o.has_missing or r.has_missing
      from jsonb_to_recordset(${sql.json(gains.map((gain) => gain.row))})
           as r(id bigint, asset_name text, origin_path text, path_key text, engine_version text, plugins jsonb, has_missing boolean)
     where o.workspace_id = ${workspace.id} and o.id = r.id`
  return new Map(gains.map(({ plan, fields }) => [plan.item.content_hash, { objectId: plan.known.id, fields }]))
}

function fieldsOf({ item, known }: DedupPlan): Enrichable[] {
  const fields: Enrichable[] = texts.filter((field) => known[field] === null && item[field])
  if (!known.has_missing && item.missing_dependencies?.length) fields.push('missing_dependencies')
  if (!known.has_plugins && item.plugins?.length) fields.push('plugins')
  return fields
}

function gainOf(plan: DedupPlan) {
  const { item, known } = plan
  const fields = fieldsOf(plan)
  const gained = (field: Text) => (fields.includes(field) ? (item[field] ?? null) : null)
  const origin_path = gained('origin_path')
  const row = {
    id: known.id,
    asset_name: gained('asset_name'),
    origin_path,
    path_key: origin_path && pathKey(origin_path),
    engine_version: gained('engine_version'),
    plugins: fields.includes('plugins') ? distinctNames(item.plugins) : null,
    has_missing: fields.includes('missing_dependencies'),
  }
  return { plan, fields, row }
}

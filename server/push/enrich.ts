/**
 * Enrichment: a push of bytes that are known fills what was missing of them (spec 4.9): name, package path, engine version; and what
 * the bytes refer to and hold, where nobody had said it. Payload ids are a fact of the bytes alone, so who says them first is as good as
 * who pushed them; what is known is never changed. Note, project and source path say how a version came, and stay as they are.
 */
import { amongIds } from '../database/among.ts'
import type { Context } from '../handler.ts'
import { distinctNames, pathKey } from './manifest.ts'
import type { DedupPlan, ItemPlan } from './plan.ts'
import { type Payloads, writePayloadIds } from './register.ts'

const texts = ['asset_name', 'origin_path', 'engine_version'] as const
type Text = (typeof texts)[number]
type Enrichable = Text | 'missing_dependencies' | 'plugins' | 'payload_ids'

/** What was filled, by content hash. */
export type Enriched = Map<string, { objectId: number; fields: Enrichable[] }>

export async function enrich(context: Context, plans: readonly ItemPlan[]): Promise<Enriched> {
  const { sql, workspace } = context
  const known = plans.filter((plan) => plan.action === 'dedup')
  const payloads = await newPayloads(context, known)
  await writePayloadIds(context, payloads)
  const holding = new Set(payloads.map(({ objectId }) => objectId))
  const gains = known
    .map((plan) => gainOf(plan, { payloadIds: holding.has(plan.known.id) }))
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

/** Of versions of which no payload is known yet. */
async function newPayloads({ sql, workspace }: Context, plans: readonly DedupPlan[]): Promise<Payloads[]> {
  const named = plans.flatMap(({ item, known }) =>
    item.payload_ids?.length ? [{ objectId: known.id, ids: item.payload_ids }] : [],
  )
  if (named.length === 0) return []
  const have = await sql<{ object_id: number }[]>`
    select distinct object_id from payload_ids
     where workspace_id = ${workspace.id} and object_id ${amongIds(
       sql,
       named.map(({ objectId }) => objectId),
     )}`
  const known = new Set(have.map((row) => row.object_id))
  return named.filter(({ objectId }) => !known.has(objectId))
}

/** Nobody had named missing packages of it before. */
export const isFirstToNameMissing = ({ item, known }: DedupPlan): boolean =>
  !known.has_missing && Boolean(item.missing_dependencies?.length)

function fieldsOf(plan: DedupPlan): Enrichable[] {
  const { item, known } = plan
  const fields: Enrichable[] = texts.filter((field) => known[field] === null && item[field])
  if (isFirstToNameMissing(plan)) fields.push('missing_dependencies')
  if (!known.has_plugins && item.plugins?.length) fields.push('plugins')
  return fields
}

function gainOf(plan: DedupPlan, { payloadIds }: { payloadIds: boolean }) {
  const { item, known } = plan
  const fields = fieldsOf(plan)
  if (payloadIds) fields.push('payload_ids')
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

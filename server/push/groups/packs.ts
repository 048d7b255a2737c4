/** The packs of a push: inline ones, the given one, and those named after the /Game folder (spec 4.9). */
import { ApiError } from '../../../contract/errors.ts'
import type { Manifest, ManifestItem } from '../../../contract/push.ts'
import { packSpelling } from '../../curation/spellings.ts'
import type { Context } from '../../handler.ts'
import { packNameOf } from '../manifest.ts'

/** Fails with PACK_NOT_FOUND when `pack_id` names nothing here. */
export async function requirePack(
  { sql, workspace }: Pick<Context, 'sql' | 'workspace'>,
  id: number | null | undefined,
): Promise<void> {
  if (id === null || id === undefined) return
  const [pack] = await sql`select 1 from packs where workspace_id = ${workspace.id} and id = ${id}`
  if (!pack) throw new ApiError('PACK_NOT_FOUND', `There is no pack ${id} in this workspace.`)
}

export interface PackIds {
  byRef: Record<string, number>
  of(item: ManifestItem): number
}

/** Creates what is missing and fills empty fields of existing packs; `registered` are the items that need a pack. */
export async function resolvePacks(context: Context, manifest: Manifest, registered: readonly ManifestItem[]): Promise<PackIds> {
  const inline = manifest.packs ?? []
  const byFolder = registered.filter((item) => !item.pack_ref && !manifest.pack_id).map((item) => packNameOf(item.origin_path))
  const named: PackRow[] = [...inline, ...[...new Set(byFolder)].map((name) => ({ name }))]
  const spelling = await packSpelling(
    context.sql,
    context.workspace.id,
    named.map(({ name }) => name),
  )
  const rows = new Map<string, PackRow>()
  for (const pack of named) {
    const name = spelling(pack.name)
    if (!rows.has(name)) rows.set(name, { ...pack, name })
  }
  const ids = await upsertPacks(context, [...rows.values()])
  const idOf = (name: string): number => ids.get(spelling(name)) ?? 0
  const byRef = Object.fromEntries(inline.map((pack) => [pack.ref, idOf(pack.name)]))
  return {
    byRef,
    of: (item) => (item.pack_ref && byRef[item.pack_ref]) || manifest.pack_id || idOf(packNameOf(item.origin_path)),
  }
}

interface PackRow {
  name: string
  source_path?: string | null | undefined
  source_type?: string | null | undefined
  engine_version?: string | null | undefined
  product_url?: string | null | undefined
}

async function upsertPacks({ sql, workspace, actor, now }: Context, packs: PackRow[]): Promise<Map<string, number>> {
  if (packs.length === 0) return new Map()
  const at = now.toISOString()
  const rows = packs.map(({ name, source_path, source_type, engine_version, product_url }) => ({
    name,
    source_path: source_path ?? null,
    source_type: source_type ?? 'uasset',
    engine_version: engine_version ?? null,
    product_url: product_url ?? null,
  }))
  const written = await sql<{ id: number; name: string }[]>`
    insert into packs (workspace_id, name, source_path, source_type, engine_version, product_url, created_by, date_added, updated_by, date_updated)
    select ${workspace.id}, r.name, r.source_path, r.source_type, r.engine_version, r.product_url, ${actor.id}, ${at}, ${actor.id}, ${at}
      from jsonb_to_recordset(${sql.json(rows)})
           as r(name text, source_path text, source_type text, engine_version text, product_url text) order by r.name
    on conflict on constraint packs_name do update
       set source_path = coalesce(packs.source_path, excluded.source_path),
           engine_version = coalesce(packs.engine_version, excluded.engine_version),
           product_url = coalesce(packs.product_url, excluded.product_url)
    returning id, name`
  return new Map(written.map((row) => [row.name, row.id]))
}

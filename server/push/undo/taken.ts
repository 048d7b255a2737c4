/** What taking back pushes takes: which versions and entries go, and what becomes of the lineages that stay. Held before anyone looks who uses it. */
import { type DoomedEntry, type GoneVersion, holdDoomed } from '../../curation/deletion.ts'
import { amongIds, amongTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import type { Context } from '../../handler.ts'
import { holdLineages } from '../../rows/hold.ts'
import type { FoundLineage, KeptPush } from './kept-push.ts'

export interface TakenVersion extends GoneVersion {
  parent_object_id: number | null
  package_guid: string | null
  version: number
  asset_name: string | null
  is_current: boolean
}

export interface Taken {
  /** The oldest first. */
  pushes: readonly KeptPush[]
  versions: readonly TakenVersion[]
  /** Versions that stay, and that the pushes named again. */
  knownIds: readonly number[]
  /** Of both. */
  lineageIds: ReadonlySet<string>
  /** Those that go. */
  entries: readonly DoomedEntry[]
  /** By lineage that stays: as the pushes found it. */
  before: ReadonlyMap<string, FoundLineage>
}

/** Orders to pull hold versions that they bring (server/library/pull-jobs.ts), reviews and check-outs lineages, comments and downloads entries. */
export async function holdTaken({ sql, workspace }: Context, pushes: readonly KeptPush[]): Promise<Taken> {
  const objectIds = new Set(pushes.flatMap(({ object_ids }) => object_ids))
  const namedIds = new Set(pushes.flatMap(({ known_ids }) => known_ids))
  const lineageIds = await selectLineages(sql, workspace.id, { pushes, ids: [...objectIds, ...namedIds] })
  await holdLineages(sql, workspace.id, lineageIds)
  const versions = await holdVersions(sql, workspace.id, objectIds)
  const gone = new Set(versions.map(({ id }) => id))
  const entries = await selectEntries(sql, workspace.id, { lineageIds, gone, pushes })
  await holdDoomed(sql, workspace.id, entries.kept)
  return {
    pushes,
    versions,
    knownIds: [...namedIds].filter((id) => !gone.has(id)),
    lineageIds,
    entries: await holdDoomed(sql, workspace.id, entries.gone),
    before: foundBefore(pushes, gone),
  }
}

async function selectLineages(
  sql: Sql,
  workspaceId: number,
  { pushes, ids }: { pushes: readonly KeptPush[]; ids: readonly number[] },
): Promise<Set<string>> {
  const rows = await sql<{ lineage_id: string }[]>`
    select distinct lineage_id from objects where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)}`
  return new Set([...rows.map((row) => row.lineage_id), ...pushes.flatMap(({ lineage_ids }) => lineage_ids)])
}

/** In the order of their ids, as orders to pull hold them. */
const holdVersions = (sql: Sql, workspaceId: number, objectIds: Iterable<number>) => sql<TakenVersion[]>`
  select o.id, o.lineage_id, o.content_hash, o.blob_size, o.parent_object_id, o.package_guid, o.version, o.asset_name,
         o.id = (select l.face_object_id from lineages l where l.workspace_id = o.workspace_id and l.id = o.lineage_id) as is_current
    from objects o where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)} order by o.id for update of o`

/**
 * An entry that the pushes made goes, also that of a version which was there without one; but for one of whose lineage a later version
 * stays.
 */
async function selectEntries(
  sql: Sql,
  workspaceId: number,
  { lineageIds, gone, pushes }: { lineageIds: ReadonlySet<string>; gone: ReadonlySet<number>; pushes: readonly KeptPush[] },
): Promise<{ gone: number[]; kept: number[] }> {
  const pushedAt = new Map(pushes.flatMap(({ entry_ids, pushed_at }) => entry_ids.map((id) => [id, pushed_at] as const)))
  const rows = await sql<{ id: number; newest: Date | null }[]>`
    select e.id, (select max(o.date_ingested) from objects o
                   where o.workspace_id = e.workspace_id and o.lineage_id = e.lineage_id and o.id not ${amongIds(sql, gone)}) as newest
      from entries e where e.workspace_id = ${workspaceId} and e.lineage_id ${amongTexts(sql, lineageIds)}`
  const goes = ({ id, newest }: (typeof rows)[number]) => {
    const madeAt = pushedAt.get(id)
    return madeAt !== undefined && (newest === null || newest <= madeAt)
  }
  return { gone: rows.filter(goes).map(({ id }) => id), kept: rows.filter((row) => !goes(row)).map(({ id }) => id) }
}

/** What the last of the pushes found counts, unless that was brought by another one of them. */
function foundBefore(pushes: readonly KeptPush[], gone: ReadonlySet<number>): Map<string, FoundLineage> {
  const before = new Map<string, FoundLineage>()
  for (const push of pushes.toReversed())
    for (const found of push.before) {
      const later = before.get(found.lineage_id)
      const counts = !later || gone.has(later.object_id) ? found : later
      const joins_group = found.joins_group || (later?.joins_group ?? false)
      const sets_label = found.sets_label || (later?.sets_label ?? false)
      before.set(found.lineage_id, { ...counts, joins_group, sets_label })
    }
  return before
}

/** Libraries with as many dependencies as a test likes, as rows: pushing millions of them would take an hour. */
import type { Fragment, Sql } from '../../server/database/sql.ts'

/** Props by number, from 1: one version each, which is its entry's current one. */
export interface Graph {
  objectId(number: number): number
  entryId(number: number): number
  lineageId(number: number): string
}

export interface GraphPlan {
  workspaceId: number
  count: number
  /** A statement that answers `from_n`, `to_n`, `hard`: numbers of props. */
  edges: (sql: Sql) => Fragment
  /** Each prop in a pack of its own. */
  hasOwnPacks?: boolean
}

export const shapes = {
  /** Each needs all before it. */
  dense: (count: number) => (sql: Sql) =>
    sql`select f as from_n, t as to_n, true as hard from generate_series(1, ${count}::int) f cross join lateral generate_series(1, f - 1) t`,
  /** Each needs the one before it. */
  chain: (count: number) => (sql: Sql) =>
    sql`select f as from_n, f - 1 as to_n, true as hard from generate_series(2, ${count}::int) f`,
  /** All others need the first. */
  wide: (count: number) => (sql: Sql) =>
    sql`select f as from_n, 1 as to_n, true as hard from generate_series(2, ${count}::int) f`,
  /** Each needs the two of the pair before it, and the first pair the last. */
  diamonds: (count: number) => (sql: Sql) =>
    sql`select f as from_n, 1 + ((f - 1) / 2 * 2 - 2 + t + ${count}::int) % ${count}::int as to_n, t = 0 as hard
          from generate_series(1, ${count}::int) f cross join generate_series(0, 1) t`,
}

export async function graphRows(sql: Sql, { workspaceId, count, edges, hasOwnPacks = false }: GraphPlan): Promise<Graph> {
  const [bases] = await sql<{ object: number; entry: number; pack: number }[]>`
    select (select coalesce(max(id), 0) from objects) + 1000000 as object, (select coalesce(max(id), 0) from entries) + 1000000 as entry,
           (select coalesce(max(id), 0) from packs) + 1000000 as pack`
  if (!bases) throw new Error('the tables could not be read')
  const lineage = `graph-${bases.object}-`
  await sql`
    insert into packs (workspace_id, id, name, date_added, date_updated) overriding system value
    select ${workspaceId}, ${bases.pack}::bigint + n, 'Graph ' || ${bases.pack}::bigint + n, now(), now()
      from generate_series(1, ${hasOwnPacks ? count : 1}::int) n`
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, asset_name, origin_path,
                         path_key, date_ingested)
    select ${workspaceId}, ${bases.object}::bigint + n, encode(sha256((${lineage}::text || n)::bytea), 'hex'), 10, ${lineage}::text || n, 'guid',
           ${bases.pack}::bigint + case when ${hasOwnPacks} then n else 1 end, 'StaticMesh', 'SM_' || n, '/Game/G/SM_' || n, '/game/g/sm_' || n, now()
      from generate_series(1, ${count}::int) n`
  await sql`
    insert into lineages (workspace_id, id, anchor, face_object_id, created_at)
    select ${workspaceId}, ${lineage}::text || n, 'guid', ${bases.object}::bigint + n, now() from generate_series(1, ${count}::int) n`
  await sql`
    insert into entries (workspace_id, id, lineage_id, name, entry_type, date_indexed, date_updated)
    select ${workspaceId}, ${bases.entry}::bigint + n, ${lineage}::text || n, 'Graph ' || n, 'mesh', now(), now() from generate_series(1, ${count}::int) n`
  await sql`
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, ${bases.object}::bigint + from_n, ${bases.object}::bigint + to_n, hard from (${edges(sql)}) as edge on conflict do nothing`
  // As a commit does (server/database/statistics.ts).
  await sql`analyze dependencies, objects, lineages, entries`
  return {
    objectId: (number) => bases.object + number,
    entryId: (number) => bases.entry + number,
    lineageId: (number) => `${lineage}${number}`,
  }
}

/** Libraries as versions of before migration 38 left them: references without project and path, parts of levels among them, second edges to a path. */
import type { Sql } from '../../server/database/sql.ts'

/** What was pushed to the workspace is as an older server kept it, and waits to be brought to what is kept now. */
export async function age(sql: Sql, workspaceId: number): Promise<void> {
  await sql`
    insert into dependencies (workspace_id, object_id, project_id, needs_object_id, hard)
    select ${workspaceId}, s.object_id, 0, p.object_id, false
      from level_sets s
      join level_parts p on p.workspace_id = s.workspace_id and p.lineage_id = s.lineage_id and p.project_id = s.project_id
       and p.from_set <= s.id and p.until_set > s.id
     where s.workspace_id = ${workspaceId} on conflict do nothing`
  await sql`delete from level_sets where workspace_id = ${workspaceId}`
  await sql`delete from level_parts where workspace_id = ${workspaceId}`
  await sql`update objects set project_id = null where workspace_id = ${workspaceId}`
  await sql`update dependencies set project_id = 0, path_key = null, push_id = null where workspace_id = ${workspaceId}`
  await sql`update awaited_imports set project_id = 0, push_id = null where workspace_id = ${workspaceId}`
  await waitFor(sql, workspaceId)
}

const waitFor = (sql: Sql, workspaceId: number) => sql`
  insert into reference_upgrades (workspace_id, found)
  select workspace_id, count(*) from objects where workspace_id = ${workspaceId} group by workspace_id`

/** As a later push of the older server did: known versions got another edge to what was current then. */
export const addEdge = (sql: Sql, workspaceId: number, [from, to]: readonly [number, number]) => sql`
  insert into dependencies (workspace_id, object_id, needs_object_id, hard) values (${workspaceId}, ${from}, ${to}, true)`

/** Many versions, made in the database itself: of each prop two, each with `edges` references, every one of them doubled by the second versions. */
export async function fillAged(sql: Sql, workspaceId: number, { props, edges }: { props: number; edges: number }): Promise<void> {
  await sql`
    insert into packs (workspace_id, name, date_added, date_updated) values (${workspaceId}, 'Aged', now(), now())`
  await sql`
    insert into push_projects (workspace_id, id, name, key) values (${workspaceId}, 1, 'Tavern', 'tavern') on conflict do nothing`
  const made = sql`
    select n + v * ${props}::int as id, n, v from generate_series(1, ${props}::int) n, generate_series(0, 1) v`
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, asset_name, origin_path, path_key,
                         date_ingested, version, pushed_from)
    select ${workspaceId}, m.id, md5(m.id::text) || md5('aged ' || m.id), 1, 'lin_' || md5(m.n::text), 'minted', p.id, 'StaticMesh', 'SM_' || m.n,
           '/Game/Aged/SM_' || m.n, '/game/aged/sm_' || m.n, now() - interval '2 days' + m.v * interval '1 day', m.v + 1, 'Tavern'
      from (${made}) m, packs p where p.workspace_id = ${workspaceId} and p.name = 'Aged'`
  await sql`
    insert into lineages (workspace_id, id, anchor, face_object_id, created_at, versions)
    select ${workspaceId}, 'lin_' || md5(n::text), 'minted', n + ${props}::int, now(), 2 from generate_series(1, ${props}::int) n`
  await sql`
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, m.id, (m.n + e) % ${props}::int + 1 + w * ${props}::int, true
      from (${made}) m, generate_series(1, ${edges}::int) e, generate_series(0, 1) w where m.v = 0 or w = 1`
}

/** The same where the schema is the current one. */
export async function fillWaiting(sql: Sql, workspaceId: number, size: { props: number; edges: number }): Promise<void> {
  await fillAged(sql, workspaceId, size)
  await sql`
    insert into placings (workspace_id, project_id, lineage_id, object_id, path_key)
    select workspace_id, 1, lineage_id, id, path_key from objects where workspace_id = ${workspaceId} order by id`
  await waitFor(sql, workspaceId)
}

/** Writes made-up props with all their versions straight into a database that the server has migrated and provisioned. */
import type { Sql } from '../server/database/sql.ts'
import { nameOfPack, nameOfTag, packCount, pathOf, propOf, tagCount } from './props.ts'

/** Changes when the same number of entries would come out different. */
const recipe = 3

export const isMade = async (sql: Sql, entries: number): Promise<boolean> => {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'made_library'`
  return row?.value === `${recipe} ${entries}`
}

/** `slug`: the workspace, which has nothing in it yet. Takes about three minutes per million entries on two cores. */
export async function makeLibrary(sql: Sql, slug: string, entries: number): Promise<void> {
  const [workspace] = await sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`
  if (!workspace) throw new Error(`there is no workspace ${slug}`)
  const to = { sql, workspaceId: Number(workspace.id) }
  await told('props', writeProps(sql, entries))
  const restore = await dropIndexes(sql)
  await told('versions', writeVersions(to))
  await told('packs, tags and groups', writeNames(to, entries))
  await told('dependencies', writeDependencies(to))
  await told('indexes', restore())
  await told('statistics', settle(to))
  await sql`insert into settings (name, value) values ('made_library', ${`${recipe} ${entries}`})`
}

interface To {
  sql: Sql
  workspaceId: number
}

async function told(what: string, work: Promise<unknown>): Promise<void> {
  const started = performance.now()
  await work
  process.stderr.write(`made ${what}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}

const batch = 5000

/** One row for each prop, from which the statements below make everything else. */
async function writeProps(sql: Sql, entries: number): Promise<void> {
  await sql`
    create unlogged table made (
      n bigint, name text, entry_type text, asset_class text, category text, category_locked boolean, status text, variant_label text,
      variant_group bigint, pack bigint, source_ext text, engine_version text, blob_size bigint, metadata jsonb, preview_status text,
      preview_kind text, has_thumbnail boolean, versions integer, indexed bigint, updated bigint, tags integer[], needs integer[],
      path text, lineage_id text)`
  let written: PromiseLike<unknown> = Promise.resolve()
  for (let first = 1; first <= entries; first += batch) {
    const rows = Array.from({ length: Math.min(batch, entries - first + 1) }, (_, at) => {
      const prop = propOf(first + at, entries)
      return { ...prop, path: pathOf(prop) }
    })
    await written
    written = sql`
      insert into made
      select r.*, 'lin_' || left(md5('lineage ' || r.n), 20) from jsonb_to_recordset(${sql.json(rows)}) as r(
        n bigint, name text, entry_type text, asset_class text, category text, category_locked boolean, status text, variant_label text,
        variant_group bigint, pack bigint, source_ext text, engine_version text, blob_size bigint, metadata jsonb, preview_status text,
        preview_kind text, has_thumbnail boolean, versions integer, indexed bigint, updated bigint, tags integer[], needs integer[],
        path text)`.then((done) => done)
  }
  await written
  await sql`analyze made`
}

/**
 * First versions have the lowest numbers, in the order in which they were pushed; later ones are strewn over everything that came after,
 * as they are in a library that people work in. The newest one is current.
 */
async function writeVersions({ sql, workspaceId }: To): Promise<void> {
  await sql`
    create unlogged table placed as
    select row_number() over (order by v, case when v = 1 then n else hashint8extended(n, v) end) as object_id, n, v, v = versions as is_face
      from made cross join lateral generate_series(1, versions) as v`
  await sql`analyze placed`
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, asset_name, origin_path,
                         path_key, engine_version, source_ext, package_guid, published_by, date_ingested, metadata,
                         thumbnail_artifact_id, preview_artifact_id, preview_status, preview_kind, version, pushed_from)
    select ${workspaceId}, p.object_id, encode(sha256(('version ' || p.object_id)::bytea), 'hex'), m.blob_size + p.v, m.lineage_id, 'guid',
           m.pack, m.asset_class, m.name, m.path, lower(m.path), m.engine_version, m.source_ext, upper(md5('package ' || m.n)),
           (select min(id) from members where workspace_id = ${workspaceId}),
           to_timestamp(m.indexed + (m.updated - m.indexed) * p.v / m.versions), m.metadata,
           case when m.has_thumbnail then p.object_id * 2 end, case when m.preview_kind is not null then p.object_id * 2 + 1 end,
           m.preview_status, m.preview_kind, p.v, case when m.n % 3 > 0 then 'Project ' || m.n % 40 end
      from placed p join made m on m.n = p.n order by p.object_id`
  await sql`
    insert into lineages (workspace_id, id, anchor, face_object_id, versions, created_at)
    select ${workspaceId}, m.lineage_id, 'guid', p.object_id, m.versions, to_timestamp(m.indexed)
      from made m join placed p on p.n = m.n and p.is_face order by m.n`
  await sql`
    insert into entries (workspace_id, id, lineage_id, name, entry_type, category, category_locked, status, variant_label, variant_group_id,
                         date_indexed, date_updated, wants_thumbnail, wants_preview)
    select ${workspaceId}, n, lineage_id, name, entry_type, category, category_locked, status, variant_label, variant_group,
           to_timestamp(indexed), to_timestamp(updated), not has_thumbnail,
           preview_status = 'none' and entry_type in ('mesh', 'skeletal_mesh', 'texture', 'audio')
      from made order by n`
}

async function writeNames({ sql, workspaceId }: To, entries: number): Promise<void> {
  const packs = Array.from({ length: packCount(entries) }, (_, at) => ({ id: at + 1, name: nameOfPack(at + 1) }))
  const tags = Array.from({ length: tagCount }, (_, at) => ({ id: at + 1, name: nameOfTag(at + 1) }))
  await sql`
    insert into packs (workspace_id, id, name, date_added, date_updated) overriding system value
    select ${workspaceId}, r.id, r.name, to_timestamp(1.6e9), to_timestamp(1.6e9) from jsonb_to_recordset(${sql.json(packs)}) as r(id bigint, name text)`
  await sql`
    insert into tags (workspace_id, id, name, name_key, color, created_at) overriding system value
    select ${workspaceId}, r.id, r.name, r.name, case when r.id % 3 = 0 then '#8a6d3b' end, to_timestamp(1.6e9)
      from jsonb_to_recordset(${sql.json(tags)}) as r(id bigint, name text)`
  await sql`insert into entry_tags (workspace_id, tag_id, entry_id) select ${workspaceId}, t, n from made, unnest(tags) as t`
  await sql`
    insert into variant_groups (workspace_id, id, label)
    select ${workspaceId}, variant_group, min(name) from made where variant_group is not null group by variant_group`
}

/** A version needs those that were there with it: the first the first, the newest the newest. */
async function writeDependencies({ sql, workspaceId }: To): Promise<void> {
  await sql`
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, p.object_id, t.object_id, needed % 7 > 0
      from placed p join made m on m.n = p.n cross join unnest(m.needs) as needed join made o on o.n = needed
      join placed t on t.n = needed and t.v = case when p.is_face then o.versions else least(p.v, o.versions) end
     order by p.object_id`
}

const filled = ['objects', 'lineages', 'entries', 'dependencies', 'entry_tags']

/** Every row would be put into every index on its own; the function that is answered makes them anew, each in one go. */
async function dropIndexes(sql: Sql): Promise<() => Promise<void>> {
  const tables = filled.map((name) => `'${name}'::regclass`).join(', ')
  const constraints = await sql.unsafe<{ table: string; name: string; definition: string }[]>(`
    select conrelid::regclass::text as table, conname::text as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where conrelid in (${tables}) and contype in ('p', 'u') or confrelid in (${tables}) and contype = 'f'
     order by contype`)
  const indexes = await sql.unsafe<{ name: string; definition: string }[]>(`
    select c.relname::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid in (${tables}) and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`)
  for (const { table, name } of constraints) await sql.unsafe(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  return async () => {
    // What others refer to first.
    for (const { table, name, definition } of constraints.toReversed())
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
    for (const { definition } of indexes) await sql.unsafe(definition)
  }
}

/** What the server would have counted on the way; then all that a database does in its own time, so that nothing of it is measured. */
async function settle({ sql, workspaceId }: To): Promise<void> {
  for (const table of ['objects', 'entries', 'packs', 'tags', 'variant_groups'])
    await sql.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
  await sql`
    update workspaces set stored_bytes = (select sum(blob_size) from objects where workspace_id = ${workspaceId}) where id = ${workspaceId}`
  // Everything was pushed before the records that are kept.
  await sql`
    update feed_heads set change_seq = n, changes_floor = n, activity_id = n from (select max(id) as n from objects) as o
     where workspace_id = ${workspaceId}`
  await sql`drop table made, placed`
  await sql.unsafe(`vacuum (analyze) ${filled.join(', ')}, packs, tags, variant_groups`)
  await sql`checkpoint`
}

/**
 * The tables that someone would search who has no catalog index: one narrow row for each active entry, its tags, and its words, with every
 * index that the questions can use. In SQLite with FTS5, and beside the library on PostgreSQL with a GIN index over a tsvector.
 */
import Database from 'better-sqlite3'
import type postgres from 'postgres'
import { nameOfPack, nameOfTag, type Prop, propOf } from './props.ts'
import { wordsOf } from './search-questions.ts'

const columns = `id integer primary key, name text not null, name_key text not null, type text not null, category text, pack integer not null,
  is_variant boolean not null, preview text not null, has_collision boolean, tri integer, vert integer, material integer, lod integer, edge real,
  size integer not null, indexed integer not null, updated integer not null`

const indexes = [
  'entry (name_key, id)',
  'entry (updated, id)',
  'entry (indexed, id)',
  'entry (size, id)',
  'entry (tri, id)',
  'entry (type, category, name_key, id)',
  'entry (type, updated, id)',
  'entry (type, size, id)',
  'entry (category, name_key, id)',
  'entry (pack, name_key, id)',
  'tagged (tag, entry_id)',
  'tagged (entry_id, tag)',
].map((on, at) => `create index contender_${at} on ${on}`)

/** Makes them in a new file. */
export function fillSqlite(file: string, entries: number): Database.Database {
  const db = new Database(file)
  db.pragma('journal_mode = off')
  db.pragma('synchronous = off')
  db.pragma('cache_size = -262144')
  db.exec(`create table entry (${columns}); create table tagged (entry_id integer not null, tag integer not null);
    create virtual table words using fts5(name, category, tags, pack, content='', detail=column, prefix='1 2 3')`)
  const entry = db.prepare(`insert into entry values (${Array.from({ length: 17 }, () => '?').join(', ')})`)
  const tagged = db.prepare('insert into tagged values (?, ?)')
  const words = db.prepare('insert into words (rowid, name, category, tags, pack) values (?, ?, ?, ?, ?)')
  db.exec('begin')
  for (let n = 1; n <= entries; n++) {
    const prop = propOf(n, entries)
    if (prop.status !== 'active') continue
    entry.run(rowOf(prop))
    for (const tag of prop.tags) tagged.run(n, tag)
    const tags = prop.tags.flatMap((tag) => wordsOf(nameOfTag(tag)))
    words.run(n, join(wordsOf(prop.name)), join(wordsOf(prop.category ?? '')), join(tags), join(wordsOf(nameOfPack(prop.pack))))
  }
  db.exec('commit')
  for (const statement of indexes) db.exec(statement)
  db.exec("insert into words (words) values ('optimize'); analyze")
  return db
}

const join = (words: readonly string[]): string => words.join(' ')

function rowOf(prop: Prop): unknown[] {
  const { metadata: of } = prop
  const edges = [of.bounds_x, of.bounds_y, of.bounds_z].filter((edge) => typeof edge === 'number')
  const flag = (value: unknown): number | null => (value === undefined ? null : Number(value))
  return [
    prop.n,
    prop.name,
    prop.name.toLowerCase(),
    prop.entry_type,
    prop.category,
    prop.pack,
    Number(prop.variant_label !== null || prop.variant_group !== null),
    prop.preview_status,
    flag(of.has_collision),
    of.tri_count ?? null,
    of.vert_count ?? null,
    of.material_count ?? null,
    of.lod_count ?? null,
    edges.length > 0 ? Math.max(...edges) : null,
    prop.blob_size + prop.versions,
    prop.indexed,
    prop.updated,
  ]
}

/** Words as the search splits them. */
const split = (text: string): string =>
  `regexp_replace(regexp_replace(${text}, '([a-z0-9])([A-Z])', '\\1 \\2', 'g'), '[^A-Za-z0-9]+', ' ', 'g')`

/** Makes them in a schema of their own, out of the library beside it. */
export async function fillPostgres(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    drop schema if exists contender cascade; create schema contender; set search_path to contender, public;
    set work_mem = '256MB'; set maintenance_work_mem = '512MB'; set synchronous_commit = off; set jit = off;
    create table tagged as
      select x.entry_id::integer, x.tag_id::integer as tag from entry_tags x
        join entries e on e.workspace_id = x.workspace_id and e.id = x.entry_id where e.status = 'active';
    create table entry (${columns}, tsv tsvector not null);
    alter table entry alter name_key type text collate "C";
    insert into entry
    select e.id, e.name, lower(e.name), e.entry_type, e.category, o.pack_id,
           coalesce(e.variant_label, '') <> '' or e.variant_group_id is not null, o.preview_status, (o.metadata->'has_collision')::boolean,
           (o.metadata->'tri_count')::integer, (o.metadata->'vert_count')::integer, (o.metadata->'material_count')::integer,
           (o.metadata->'lod_count')::integer,
           greatest((o.metadata->'bounds_x')::real, (o.metadata->'bounds_y')::real, (o.metadata->'bounds_z')::real),
           o.blob_size, extract(epoch from e.date_indexed), extract(epoch from e.date_updated),
           setweight(to_tsvector('simple', ${split('e.name')}), 'A') || setweight(to_tsvector('simple', ${split("coalesce(e.category, '')")}), 'B')
             || setweight(to_tsvector('simple', ${split("coalesce(t.names, '')")}), 'C') || setweight(to_tsvector('simple', ${split('p.name')}), 'D')
      from entries e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      join packs p on p.workspace_id = o.workspace_id and p.id = o.pack_id
      left join (select x.entry_id, string_agg(g.name, ' ') as names
                   from entry_tags x join tags g on g.workspace_id = x.workspace_id and g.id = x.tag_id group by x.entry_id) t on t.entry_id = e.id
     where e.status = 'active'`)
  for (const statement of [...indexes, 'create index on entry using gin (tsv) with (fastupdate = off)'])
    await sql.unsafe(statement)
  await sql.unsafe('vacuum (analyze) entry')
  await sql.unsafe('vacuum (analyze) tagged')
  await sql.unsafe('reset work_mem')
}

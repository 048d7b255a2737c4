-- The catalog of one workspace, for looking without the server. Indexes are made when it is full (mirror-indexes.sql).

-- What is known of the mirror itself, by name: `cursor` is how far the change feed was followed.
create table meta (name text primary key, value) without rowid;

-- What filters and orders ask about: narrow rows, so that looking at all of them is quick.
create table entries (
  id integer primary key,
  name_key text not null,
  entry_type text not null,
  category text,
  pack_id integer not null,
  is_deprecated integer not null,
  is_variant integer not null,
  variant_group_id integer,
  preview text not null,
  review text not null,
  has_collision integer,
  nanite integer,
  tri real,
  vert real,
  material real,
  lod real,
  bounds real,
  blob_size integer not null,
  date_indexed integer not null,
  date_updated integer not null,
  path_key text,
  lineage_id text not null
);

-- What is shown of each: the summary, and its tags beside it.
create table records (id integer primary key, summary text not null, tags text not null);

-- By words of `words/`, written so that SQLite has nothing to split or fold (client/mirror/tokens.ts). What begins with one or two letters
-- is listed beside, as people see hits from the first letter on.
create virtual table words using fts5 (
  name, category, tags, pack, content = '', contentless_delete = 1, detail = column, prefix = '1 2', tokenize = "ascii tokenchars '.'"
);

create table tags (id integer primary key, name text not null, name_key text not null, color text);
create table packs (id integer primary key, record text not null);
create table collections (id integer primary key, record text not null);
create table locks (id integer primary key, lineage_id text not null, record text not null);
-- Versions, as far as the feed told of them.
create table lineages (id text primary key, record text not null);

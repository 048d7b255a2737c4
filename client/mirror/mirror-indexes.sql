-- Made when all rows are there: quicker than with each of them (client/mirror/mirror.sql).
create index if not exists entries_by_name on entries (name_key, id);
create index if not exists entries_by_indexed on entries (date_indexed, id);
create index if not exists entries_by_updated on entries (date_updated, id);
create index if not exists entries_by_size on entries (blob_size, id);
create index if not exists entries_by_triangles on entries (tri, id);
create index if not exists entries_by_path on entries (path_key) where path_key is not null;
create index if not exists entries_by_lineage on entries (lineage_id);
create index if not exists entries_deprecated on entries (id) where is_deprecated;
create index if not exists locks_by_lineage on locks (lineage_id);

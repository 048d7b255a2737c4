-- What `ph status` remembers of the library: which version is current of the lineages that files of the project belong to. It lies
-- beside what pushes remember (fingerprints.sql), and can be asked again at any time.

-- One row per lineage that was asked about; all null but the id: the library has no such lineage.
create table if not exists face (
  lineage_id text not null primary key,
  object_id integer,
  content_hash text,
  entry_id integer
) without rowid;

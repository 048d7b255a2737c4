-- What an entry waits for, kept with the entry: found through every version of a large library, a page of a short queue would take seconds.
-- server/media/awaited-media.ts weighs them anew whenever the current version or its media change.

-- The current version has no thumbnail, or a new one was asked for.
alter table entries add column wants_thumbnail boolean not null default true;
-- The entry is of a type that has previews, and the current version has none yet.
alter table entries add column wants_preview boolean not null default false;

update entries e
   set wants_thumbnail = o.thumbnail_artifact_id is null or o.refresh_requested_at is not null,
       wants_preview = o.preview_status = 'none' and e.entry_type in ('mesh', 'skeletal_mesh', 'texture', 'audio')
  from lineages l
  join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
 where l.workspace_id = e.workspace_id and l.id = e.lineage_id;

create index entries_wanting_thumbnail on entries (workspace_id, id) where wants_thumbnail and status = 'active';
create index entries_wanting_preview on entries (workspace_id, id) where wants_preview and status = 'active';

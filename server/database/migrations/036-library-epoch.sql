-- The history that the numbers of a library belong to: another one after it was set back to an earlier state (server/epoch.ts).
alter table feed_heads add column epoch_id text, add column epoch_began_at timestamptz;
update feed_heads h
   set epoch_id = md5(concat_ws(' ', (select value from settings where name = 'library_id'), w.id, w.slug, w.created_at)),
       epoch_began_at = w.created_at
  from workspaces w where w.id = h.workspace_id;
alter table feed_heads alter column epoch_id set not null, alter column epoch_began_at set not null;

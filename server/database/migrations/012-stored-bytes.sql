-- What every workspace keeps, counted anew: a media file that was named several times in one finalize had been counted each time.
-- Whoever counts holds these rows (server/storage/ledger.ts), so nobody does meanwhile.
select id from workspaces order by id for no key update;

update workspaces w
   set stored_bytes = (select coalesce(sum(o.blob_size), 0) from objects o where o.workspace_id = w.id)
                    + (select coalesce(sum(a.size), 0) from artifacts a where a.workspace_id = w.id and a.finished_at is not null)
                    + (select coalesce(sum(l.size), 0) from loose_files l where l.workspace_id = w.id and l.is_counted);

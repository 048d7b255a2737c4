-- Who ordered a pull job is told when it changes (GET /catalog/changes/live): of each job the number of its last change. Numbers are taken
-- as those of the change feed are (server/feed.ts), so who has heard up to one has missed nothing before it.
alter table feed_heads add column job_seq bigint not null default 0;
alter table pull_jobs add column job_seq bigint not null default 0;
create index pull_jobs_changed on pull_jobs (workspace_id, requested_by, job_seq);

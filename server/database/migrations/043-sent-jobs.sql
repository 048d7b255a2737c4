-- Why someone sent a job, in their words; and which part of a list of planned files it brings, where one order came to several jobs.
alter table pull_jobs add column note text, add column slice jsonb;

-- Jobs that other people sent to a project, for desktop agents of the people who work in it.
create index pull_jobs_sent on pull_jobs (workspace_id, target_project, id)
  where delivery = 'agent' and status in ('queued', 'claimed', 'running');

-- Claims whose time is over are looked for by the clock (server/pulls/lapsed.ts): among those that hold, of all workspaces.
create index pull_jobs_leased on pull_jobs (lease_expires_at) where status in ('claimed', 'running');

-- Calls of tools by assistants (spec 8, allowances): how many a workspace made in a month of UTC, `2026-11`.
create table agent_calls (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  month        text   not null,
  used         bigint not null,
  primary key (workspace_id, month)
);

-- What plans of assistants are signed with, the same for all servers of this database.
create table plan_signature (
  one    boolean primary key default true check (one),
  secret text    not null default gen_random_uuid()::text || gen_random_uuid()::text
);
insert into plan_signature default values;

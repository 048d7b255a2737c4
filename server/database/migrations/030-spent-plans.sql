-- Plans of assistants that were carried out: the id in their token, until the token would be too old anyway.
create table spent_plans (
  workspace_id bigint      not null references workspaces (id) on delete cascade,
  plan_id      text        not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, plan_id)
);
create index spent_plans_by_expiry on spent_plans (workspace_id, expires_at);

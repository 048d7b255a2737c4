-- Signing in: sessions of the dashboard, sign-ins of devices, and how often was tried. None of it belongs to one workspace: an account may be
-- a member of several. Secrets are kept as their SHA-256 only.

create table sessions (
  id_hash      text   primary key collate "C",   -- of the cookie
  account_id   bigint not null references accounts (id),
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,             -- at most an hour old while the session is in use
  expires_at   timestamptz not null
);
create index sessions_account on sessions (account_id, last_seen_at);
create index sessions_expiry on sessions (expires_at);

-- A program that asks to act for somebody, who may approve it elsewhere (spec 5). The key is made when it is collected, so no row holds one.
-- `expired` is no state of its own: it is pending or approved past expires_at.
create table device_sign_ins (
  device_code_hash   text    primary key collate "C",
  user_code_hash     text    not null unique collate "C",
  client_name        text    not null,
  scope              text    not null check (scope in ('read', 'write')),    -- asked for
  asked_from         text    not null,                                       -- address of the program
  asked_workspace_id bigint  references workspaces (id),                     -- where the address that it asked names one
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  interval_seconds   integer not null,
  polled_at          timestamptz,
  state              text    not null default 'pending' check (state in ('pending', 'approved', 'denied', 'collected')),
  granted_scope      text    check (granted_scope in ('read', 'write')),
  workspace_id       bigint,
  member_id          bigint,
  decided_at         timestamptz,
  foreign key (workspace_id, member_id) references members (workspace_id, id)
);
create index device_sign_ins_expiry on device_sign_ins (expires_at);

-- attempts: [[milliseconds since 1970, ticket while it is open, else null], …], never more than the kind allows in its window.
-- A row that nobody touched for that long counts nothing and goes.
create table throttles (
  kind       text  not null,
  subject    text  not null collate "C",          -- SHA-256 of the e-mail, address or account
  attempts   jsonb not null,
  touched_at timestamptz not null,
  primary key (kind, subject)
);
create index throttles_age on throttles (touched_at);

create index api_keys_member on api_keys (workspace_id, member_id) where revoked_at is null;
create index members_account on members (account_id);

-- Links with which somebody chooses a password, once: for a new member, or one who has forgotten it. One of an account at a time.
create table invitations (
  account_id   bigint primary key references accounts (id),
  code_hash    text   not null unique collate "C",
  workspace_id bigint not null references workspaces (id),  -- where it was made
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);

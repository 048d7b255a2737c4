-- Browsers that signed in to an account before: each has a count of failed sign-ins of its own, so that nobody else can use it up.
-- One cookie may be known to several accounts. The number stays when the cookie is renewed, because failures are counted by it.
create table known_devices (
  id          bigint primary key generated always as identity,
  account_id  bigint not null references accounts (id),
  secret_hash text   not null collate "C",       -- of the cookie
  seen_at     timestamptz not null,              -- when it signed in last
  expires_at  timestamptz not null,
  unique (secret_hash, account_id)
);
create index known_devices_account on known_devices (account_id, seen_at);
create index known_devices_expiry on known_devices (expires_at);

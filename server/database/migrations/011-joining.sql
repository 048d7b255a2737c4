-- Nobody belongs to a workspace before they have accepted; and a login name is one person's.

-- Links with which a member chooses a new password were all that there was. A link of before leads to the same page as ever.
alter table invitations rename to password_links;
alter index invitations_pkey rename to password_links_pkey;
alter index invitations_code_hash_key rename to password_links_code_hash_key;

-- Somebody who was invited, and is no member until they accept. Of an e-mail address one in a workspace, and no link but the newest.
create table invitations (
  workspace_id bigint not null references workspaces (id),
  id           bigint generated always as identity,
  email        text   not null,                    -- lower case; there may be an account with it, or not
  name         text   not null,
  display_name text   not null,
  role         text   not null check (role in ('owner', 'admin', 'member')),
  code_hash    text   not null collate "C",
  made_by      bigint not null,                    -- who made the link that is good now
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, id),
  constraint invitations_email unique (workspace_id, email),
  constraint invitations_code unique (code_hash),
  foreign key (workspace_id, made_by) references members (workspace_id, id)
);

-- Whether the password was chosen by a link that somebody of a workspace made, or follows from one that was: then they may know it.
-- False: whoever runs the server gave it, or the one it follows from. Of passwords of before nobody knows.
alter table accounts add column is_password_linked boolean not null default true;
update accounts set is_password_linked = false where password_hash is null;
alter table accounts alter column is_password_linked drop default;

-- The name without its case. Of several people with one name whoever came first keeps it; the others are called name-2, name-3 and so on,
-- the first that is free, in the order in which they came.
do $$
declare
  twin record;
  n integer;
  freed text;
begin
  for twin in
    select workspace_id, id, name from (
      select workspace_id, id, name, row_number() over (partition by workspace_id, lower(name) order by id) as nth from members) m
     where nth > 1 order by workspace_id, id
  loop
    n := 2;
    loop
      freed := left(twin.name, 79 - length(n::text)) || '-' || n;
      exit when not exists (select 1 from members where workspace_id = twin.workspace_id and lower(name) = lower(freed));
      n := n + 1;
    end loop;
    update members set name = freed where workspace_id = twin.workspace_id and id = twin.id;
  end loop;
end $$;

alter table members add column name_key text collate "C";
update members set name_key = lower(name);
alter table members alter column name_key set not null;
-- At the end of each statement: one may let people change names with each other.
alter table members add constraint members_name unique (workspace_id, name_key) deferrable initially immediate;

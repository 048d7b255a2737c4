-- When a member first pushed, and first brought something from the library: what the overview ticks. Written once, when it happens, because
-- nothing else tells it cheaply and for good: activity is not kept for ever, versions are deleted, and an index over the versions by member
-- would cost each of a million rows something for one yes or no. Members are read here from what there is of the past.
alter table members
  add column first_push_at timestamptz,
  add column first_pull_at timestamptz;

update members m
   set first_push_at = happened.pushed_at, first_pull_at = least(happened.downloaded_at, pulled.at)
  from members known
  left join (select workspace_id, actor_id, min(created_at) filter (where event_type like 'push.%') as pushed_at,
                    min(created_at) filter (where event_type = 'download.pull' and batch_key is null) as downloaded_at
               from activity where event_type in ('push.commit', 'push.enrich', 'download.pull')
              group by workspace_id, actor_id) happened
         on happened.workspace_id = known.workspace_id and happened.actor_id = known.id
  left join (select workspace_id, claimed_by, min(updated_at) as at from pull_jobs where status = 'done' group by workspace_id, claimed_by) pulled
         on pulled.workspace_id = known.workspace_id and pulled.claimed_by = known.id
 where m.workspace_id = known.workspace_id and m.id = known.id
   and (happened.pushed_at is not null or happened.downloaded_at is not null or pulled.at is not null);

-- Keys of a member, revoked ones too: signing out takes back no tick.
drop index api_keys_member;
create index api_keys_member on api_keys (workspace_id, member_id);

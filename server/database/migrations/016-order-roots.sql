-- A project that an order makes has the root of that order (contract-gaps 4). Until now it got /Game/PropHouse, whatever the order said,
-- and no pull read it. Such a project is made in the moment of its first job. Orders without a root gave their files no chosen place either.
update projects p
   set default_root = coalesce(nullif(first.target_root, '/Game/PropHouse'), '/Game')
  from (select distinct on (workspace_id, lower(target_project)) workspace_id, lower(target_project) as name, target_root, created_at
          from pull_jobs order by workspace_id, lower(target_project), id) first
 where first.workspace_id = p.workspace_id and first.name = lower(p.name) and first.created_at = p.created_at
   and p.default_root = '/Game/PropHouse';

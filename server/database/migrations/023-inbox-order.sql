-- An inbox is read by person, newest first. Found by id alone as well, a page of it was: while one person has most of what there is the
-- planner expects to find it at the end of all ids, and then a comment that a thousand others were told of lies before it.
alter table notifications drop constraint notifications_pkey;
drop index notifications_member;
alter table notifications add primary key (workspace_id, member_id, id);

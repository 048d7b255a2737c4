-- A link opens no more than whoever made it could open at the moment when it is used: they may have been disabled since, or the person may
-- have become an owner, or a member of another workspace.

-- The member of the same workspace who made it; null: whoever runs the server.
alter table invitations add column made_by bigint;
alter table invitations add foreign key (workspace_id, made_by) references members (workspace_id, id);

-- From a version to the lineage, and with it the entry, whose current version it is: a closure asks this of thousands of versions at once.
create index lineages_face on lineages (workspace_id, face_object_id) include (id);

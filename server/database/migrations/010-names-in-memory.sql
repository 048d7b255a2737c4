-- Lists are sorted by the catalog index of the server process (server/search): no statement looks entries up by name any more.
drop index entries_name;

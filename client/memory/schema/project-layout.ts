/** The tables of a project's memory, and how memories of earlier versions of ph are brought to them. */
import type { Layout } from '../state-file.ts'

const columnsOfVersion1 =
  'file, stat, hash, size, settled, package, guid, base_hash, base_guid, base_class, lineage_id, object_id, entry_id, edges, facts'
const linked = 'alter table file add column linked integer not null default 0;'
/** What the library was asked is asked again. */
const faces = "drop table if exists face; delete from remembered where key = 'faces';"
/** A path is a part of one level. */
const levelNews = `alter table level add column news_set integer; alter table level_part add column stays integer not null default 0;
  delete from level_part where exists (select 1 from level_part o where o.path = level_part.path and o.lineage_id > level_part.lineage_id);`
const pushedBytes = 'alter table pushed add column content_hash text;'
/** Libraries keep references and places for each project, and sets of levels: what they hold of this one's files they are told once more. */
const toldAgain = 'update file set settled = 0;'
/** Version 2 lets the facts of a file be unknown and keeps the pulls under way; 3 keeps current versions; 4 which files are links; 5 the last push; 6 deletions; 7 the bytes of the last push; 8 its commits; 9 the parts of levels; 10 what newer sets of theirs changed. */
export const projectLayout: Layout = {
  version: 10,
  schema: new URL('./project-memory.sql', import.meta.url),
  tables: ['file', 'remembered', 'pull', 'pulled', 'face', 'pushed', 'pushed_batch', 'level', 'level_part', 'level_news'],
  upgrades: {
    1: {
      before: `alter table file rename to file_before; drop index file_package; drop index file_guid; drop index file_object;
        drop index file_entry; ${faces}`,
      after: `insert into file (${columnsOfVersion1}) select ${columnsOfVersion1} from file_before; drop table file_before; ${toldAgain}`,
    },
    2: { before: linked + faces, after: toldAgain },
    3: { before: linked + faces, after: toldAgain },
    4: { before: faces, after: toldAgain },
    5: { before: `${faces} alter table pushed add column renamed_from text; ${pushedBytes}`, after: toldAgain },
    6: { before: pushedBytes, after: toldAgain },
    7: { before: '', after: toldAgain },
    8: { before: '', after: toldAgain },
    9: { before: levelNews, after: '' },
  },
}

/** What a workspace stores, and where it lies: by kind of file, by pack, by the month in which a version came (contract-gaps 9). */
import type { StorageFigures } from '../../../contract/admin.ts'
import { limits } from '../../../contract/limits.ts'
import type { Sql } from '../../database/sql.ts'
import { atOneMoment } from '../../database/transaction.ts'
import { selectDenylisted } from '../denylist.ts'
import { countOrphans } from '../orphans.ts'

interface Where {
  workspaceId: number
  now: Date
}

export function selectFigures(pool: Sql, { workspaceId, now }: Where): Promise<StorageFigures> {
  return atOneMoment(pool, async (sql) => {
    const [room] = await sql<Pick<StorageFigures, 'stored_bytes' | 'limit_bytes'>[]>`
      select stored_bytes, storage_limit_bytes as limit_bytes from workspaces where id = ${workspaceId}`
    const versions = await selectVersions(sql, workspaceId)
    const { listed: _listed, ...denylisted } = await selectDenylisted(sql, workspaceId)
    const { candidates: files, bytes } = await countOrphans(sql, { workspaceId, now })
    return {
      stored_bytes: room?.stored_bytes ?? 0,
      limit_bytes: room?.limit_bytes ?? null,
      ...versions,
      by_kind: await selectKinds(sql, workspaceId),
      orphaned: { files, bytes },
      denylisted,
    }
  })
}

type OfVersions = Pick<StorageFigures, 'by_pack' | 'other_packs' | 'by_month'>

/** One pass over an index, whatever is asked of it. */
async function selectVersions(sql: Sql, workspaceId: number): Promise<OfVersions> {
  const [row] = await sql<OfVersions[]>`
    with sums as materialized (
      select pack_id, date_trunc('month', date_ingested at time zone 'UTC') as month, count(*) as files, sum(blob_size) as bytes
        from objects where workspace_id = ${workspaceId}
       group by grouping sets ((pack_id), (date_trunc('month', date_ingested at time zone 'UTC')))),
    largest as (select * from sums where pack_id is not null order by bytes desc, pack_id limit ${limits.storagePacks}),
    others as (select * from sums where pack_id is not null and pack_id not in (select pack_id from largest))
    select (select coalesce(json_agg(json_build_object('pack', json_build_object('id', p.id, 'name', p.name), 'files', l.files, 'bytes', l.bytes)
                                     order by l.bytes desc, l.pack_id), '[]'::json)
              from largest l join packs p on p.workspace_id = ${workspaceId} and p.id = l.pack_id) as by_pack,
           (select json_build_object('packs', count(*), 'files', coalesce(sum(files), 0), 'bytes', coalesce(sum(bytes), 0)) from others) as other_packs,
           (select coalesce(json_agg(json_build_object('month', to_char(month, 'YYYY-MM'), 'files', files, 'bytes', bytes) order by month desc), '[]'::json)
              from sums where month is not null) as by_month`
  if (!row) throw new Error('the figures of versions have no row')
  return row
}

/** In the order in which they take room, most of the time. */
async function selectKinds(sql: Sql, workspaceId: number): Promise<StorageFigures['by_kind']> {
  return sql<StorageFigures['by_kind'][number][]>`
    select kind, files::bigint, bytes::bigint from (
      select 1 as place, 'versions' as kind, count(*) as files, coalesce(sum(blob_size), 0) as bytes from objects where workspace_id = ${workspaceId}
      union all
      select 2, 'previews', count(*), coalesce(sum(size), 0) from artifacts
       where workspace_id = ${workspaceId} and kind <> 'thumbnail' and finished_at is not null
      union all
      select 3, 'thumbnails', count(*), coalesce(sum(size), 0) from artifacts
       where workspace_id = ${workspaceId} and kind = 'thumbnail' and finished_at is not null
      union all
      select 4, 'attachments', count(*) + count(strokes_id), coalesce(sum(size + coalesce(strokes_size, 0)), 0) from attachments
       where workspace_id = ${workspaceId}
      union all
      select 5, 'unused', count(*), coalesce(sum(size), 0) from loose_files where workspace_id = ${workspaceId}) kinds
     order by place`
}

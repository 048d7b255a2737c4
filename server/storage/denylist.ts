/** The denylist: what is on it, what comes on it and off it, and which stored files are on it. What it does to a push stands in server/push/plan.ts. */
import type { DenylistedFiles, DenylistRecord } from '../../contract/admin.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { guidKey } from '../../formats/package-guid.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { lockWorkspace } from '../rows/hold.ts'

export const selectDenylist = (sql: Sql, workspaceId: number) => sql<DenylistRecord[]>`
  select id, kind, value, note, created_by, created_at from denylist where workspace_id = ${workspaceId} order by id`

export interface Denial extends Pick<DenylistRecord, 'kind' | 'value' | 'note' | 'created_by'> {
  now: Date
}

/** In a transaction. Takes the lock: commits that have read the denylist are through by then, and none that comes later registers what is on it. */
export async function deny(
  sql: Sql,
  workspaceId: number,
  { kind, value: given, note, created_by, now }: Denial,
): Promise<DenylistRecord> {
  const value = checkedValue({ kind, value: given })
  await lockWorkspace(sql, workspaceId)
  const [made] = await sql<DenylistRecord[]>`
    insert into denylist (workspace_id, kind, value, note, created_by, created_at)
    values (${workspaceId}, ${kind}, ${value}, ${note}, ${created_by}, ${now.toISOString()})
    on conflict on constraint denylist_value do nothing
    returning id, kind, value, note, created_by, created_at`
  if (made) return made
  const [existing] = await sql<{ id: number }[]>`
    select id from denylist where workspace_id = ${workspaceId} and kind = ${kind} and value = ${value}`
  throw new ApiError('CONFLICT', `${value} is on the denylist already.`, { existing_id: existing?.id })
}

/** NOT_FOUND where there is no such record. */
export async function allow(sql: Sql, workspaceId: number, id: number): Promise<void> {
  const [gone] = await sql`delete from denylist where workspace_id = ${workspaceId} and id = ${id} returning id`
  if (!gone) throw new ApiError('NOT_FOUND', `There is nothing with the id ${id} on the denylist.`)
}

function checkedValue({ kind, value }: Pick<DenylistRecord, 'kind' | 'value'>): string {
  if (kind === 'package_guid') return guidKey(value) ?? value
  if (/^[0-9a-f]{64}$/.test(value)) return value
  throw validationError([{ path: 'value', message: 'must be the SHA-256 of a file, 64 lowercase hex digits' }])
}

/**
 * They came before they were denied. No sweep removes them: people decide what becomes of their entries. Versions by their hash and by the
 * GUID of their package, and files that no version has; each file once.
 */
const stored = (sql: Sql, workspaceId: number): Fragment => sql`
  select distinct on (found.content_hash) found.*
    from (
      select o.content_hash, o.blob_size as bytes, d.id as denylist_id, d.kind as denylist_kind, o.id as object_id, o.lineage_id
        from denylist d join objects o on o.workspace_id = d.workspace_id and o.content_hash = d.value collate "C"
       where d.workspace_id = ${workspaceId} and d.kind = 'content_hash'
      union all
      select o.content_hash, o.blob_size, d.id, d.kind, o.id, o.lineage_id
        from denylist d join objects o on o.workspace_id = d.workspace_id and o.package_guid = d.value
       where d.workspace_id = ${workspaceId} and d.kind = 'package_guid'
      union all
      select d.value collate "C", l.size, d.id, d.kind, null, null
        from denylist d
        join loose_files l on l.workspace_id = d.workspace_id
                          and l.key = (${`${workspaceId}/blobs/`}::text || left(d.value, 2) || '/' || d.value) collate "C"
       where d.workspace_id = ${workspaceId} and d.kind = 'content_hash' and not exists (
         select 1 from objects o where o.workspace_id = d.workspace_id and o.content_hash = d.value collate "C")) found
   order by found.content_hash, found.denylist_id`

/** All are counted, and the largest of them listed with the entry that they belong to. */
export async function selectDenylisted(sql: Sql, workspaceId: number): Promise<DenylistedFiles> {
  const [row] = await sql<DenylistedFiles[]>`
    with stored as materialized (${stored(sql, workspaceId)}),
    largest as (select * from stored order by bytes desc, content_hash limit ${limits.denylisted})
    select (select count(*) from stored)::bigint as files, (select coalesce(sum(bytes), 0) from stored)::bigint as bytes,
           (select coalesce(json_agg(json_build_object(
              'content_hash', f.content_hash, 'bytes', f.bytes, 'denylist_id', f.denylist_id, 'denylist_kind', f.denylist_kind,
              'object_id', f.object_id, 'entry_id', e.id, 'name', e.name) order by f.bytes desc, f.content_hash), '[]'::json)
              from largest f left join entries e on e.workspace_id = ${workspaceId} and e.lineage_id = f.lineage_id) as listed`
  return row ?? { files: 0, bytes: 0, listed: [] }
}

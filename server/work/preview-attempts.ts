/** Which version the server makes media of next, and which it has given up. */

import { sourceTypes } from '../../previews/previewed-types.ts'
import { makerVersion } from '../../previews/threads/media-order.ts'
import type { Sql } from '../database/sql.ts'

/** A current version that lacks something. */
export interface Attempt {
  entry_id: number
  object_id: number
  content_hash: string
  /** What people call it, and the name of its file. */
  name: string
  file_name: string
  preview: boolean
  thumbnail: boolean
  entry_type: string | null
}

/** A server that was killed in the middle may not have been killed by the file. */
const mostTries = 2

interface Where {
  workspaceId: number
  /** Only entries behind this one. */
  after: number
  now: Date
}

/** The next of them, written down before it is tried: a file that ends the whole server is not tried for ever either. */
export async function beginAttempt(sql: Sql, { workspaceId, after, now }: Where): Promise<Attempt | undefined> {
  const [next] = await sql<Attempt[]>`
    with next as (
      select e.id as entry_id, o.id as object_id, o.content_hash, e.name, e.entry_type,
             coalesce(o.asset_name, e.name) || '.' || coalesce(o.source_ext, 'uasset') as file_name,
             e.wants_preview or (o.preview_status = 'none' and e.entry_type = any(${[...sourceTypes]}::text[])) as preview,
             e.wants_thumbnail as thumbnail
        from entries e
        join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
        join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
        left join preview_attempts a on a.workspace_id = o.workspace_id and a.object_id = o.id and a.maker = ${makerVersion}
       where e.workspace_id = ${workspaceId} and e.status = 'active' and e.id > ${after}
         and (e.wants_preview or e.wants_thumbnail or (o.preview_status = 'none' and e.entry_type = any(${[...sourceTypes]}::text[])))
         and (a.object_id is null or (a.reason is null and a.tries < ${mostTries}) or o.refresh_requested_at > a.tried_at)
       order by e.id limit 1),
    noted as (
      insert into preview_attempts (workspace_id, object_id, maker, tries, tried_at)
      select ${workspaceId}, object_id, ${makerVersion}, 1, ${now.toISOString()} from next
      on conflict (workspace_id, object_id) do update
        set tries = case when preview_attempts.maker = excluded.maker and preview_attempts.reason is null then preview_attempts.tries + 1 else 1 end,
            maker = excluded.maker, tried_at = excluded.tried_at, reason = null)
    select * from next`
  return next
}

type Tried = Pick<Attempt, 'object_id'>

/** Everything is there, or nothing was tried after all. */
export async function forgetAttempt(sql: Sql, workspaceId: number, { object_id }: Tried): Promise<void> {
  await sql`delete from preview_attempts where workspace_id = ${workspaceId} and object_id = ${object_id}`
}

/** This maker does not try it again. */
export async function giveUp(sql: Sql, workspaceId: number, { object_id, reason }: Tried & { reason: string }): Promise<void> {
  await sql`update preview_attempts set reason = ${reason} where workspace_id = ${workspaceId} and object_id = ${object_id}`
}

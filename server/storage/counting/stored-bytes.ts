/** How many bytes a workspace keeps: every distinct file of its versions and media, and those that were uploaded and wait for a commit. */

import { ApiError } from '../../../contract/errors.ts'
import { amongTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import { writeRefusal } from '../../front-door/states.ts'
import type { Workspace } from '../../principal.ts'
import { holdCount } from './workspace-ledger.ts'

interface KeptFile {
  key: string
  size: number
}

/** A file that is named twice is kept once. */
const eachOnce = (files: readonly KeptFile[]): KeptFile[] => [...new Map(files.map((file) => [file.key, file])).values()]

const bytesOf = (files: readonly KeptFile[]): number => files.reduce((sum, { size }) => sum + size, 0)

/**
 * Versions or media files take bytes over. Comes late in the transaction that records them, because everyone else who counts waits for
 * its end. Bytes that were counted when they came in are not counted again.
 */
export async function countTaken(sql: Sql, workspaceId: number, named: readonly KeptFile[]): Promise<void> {
  if (named.length === 0) return
  const files = eachOnce(named)
  const keys = files.map((file) => file.key)
  await holdCount(sql, workspaceId)
  await sql`
    with taken as (
      delete from loose_files where workspace_id = ${workspaceId} and key ${amongTexts(sql, keys)}
      returning case when is_counted then size else 0 end as size)
    update workspaces set stored_bytes = stored_bytes + ${bytesOf(files)} - (select coalesce(sum(size), 0)::bigint from taken)
     where id = ${workspaceId}`
}

/** What used the bytes was deleted: they make room at once, and lie loose until a sweep or an upload of the same bytes. Comes late as well. */
export async function countGone(
  sql: Sql,
  workspaceId: number,
  { files: named, now }: { files: readonly KeptFile[]; now: Date },
): Promise<void> {
  if (named.length === 0) return
  const files = eachOnce(named)
  await holdCount(sql, workspaceId)
  await sql`
    insert into loose_files (workspace_id, key, size, is_counted, loose_since)
    select ${workspaceId}, r.key, r.size, false, ${now.toISOString()} from jsonb_to_recordset(${sql.json(files.map(({ key, size }) => ({ key, size })))}) as r(key text, size bigint)
    on conflict do nothing`
  await sql`update workspaces set stored_bytes = stored_bytes - ${bytesOf(files)} where id = ${workspaceId}`
}

/** Undefined where new bytes are taken: neither the state of the workspace nor its limit says otherwise (contract-gaps 2). */
export async function ingestRefusal(sql: Sql, workspace: Workspace): Promise<ApiError | undefined> {
  const refusal = writeRefusal(workspace)
  if (refusal) return refusal
  const { id, slug, state, storageLimitBytes: limit } = workspace
  if (state === 'ingest_blocked')
    return blocked(`The workspace "${slug}" takes no new files at present. Its owner can change that.`)
  if (limit === null) return undefined
  const [row] = await sql<{ stored_bytes: number }[]>`select stored_bytes from workspaces where id = ${id}`
  if (row && row.stored_bytes < limit) return undefined
  return blocked(
    `The workspace "${slug}" is full: it keeps ${row?.stored_bytes} of the ${limit} bytes that it may. Remove something, or ask for more.`,
  )
}

/** The same for bytes that take the place of damaged ones, and need no more room than those. */
export const repairRefusal = (workspace: Workspace): ApiError | undefined => writeRefusal(workspace)

const blocked = (message: string) => new ApiError('FORBIDDEN', message, { reason: 'ingest_blocked' })

/** For routes that bring new bytes, before they are read. */
export async function requireIngest({ sql, workspace }: { sql: Sql; workspace: Workspace }): Promise<void> {
  const refusal = await ingestRefusal(sql, workspace)
  if (refusal) throw refusal
}

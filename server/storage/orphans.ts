/**
 * Orphans: files that came in and that nothing took over for a day, or that nothing has used for as long (contract-gaps 7). They go from
 * the disk with their rows and what was counted. Who is about to take old files over spares them first.
 */
import { limits } from '../../contract/limits.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { lockOf } from '../database/workspace-lock.ts'
import { isHeldForBackup } from './backup-hold.ts'
import { holdCount, takeOff } from './counting/workspace-ledger.ts'
import { artifactKey, attachmentKey, blobKey, readKey, type Storage } from './storage.ts'

const hourMs = 3_600_000
const orphanAgeMs = 24 * hourMs
/** Those that are younger have nothing to fear for most of a day, whatever the clocks of other servers say. */
const carefreeMs = hourMs
/** Of one step, during which others of the workspace wait who commit or count. */
const stepFiles = 50

/**
 * For who looks whether files are there, to take them over later: comes before that look. From then on old files are as if they had just
 * come in, or a sweep that was at them is over, and the look finds that they are gone. Waits for nobody where all are young.
 */
export async function spareOrphans(
  sql: Sql,
  workspaceId: number,
  { keys, now }: { keys: readonly string[]; now: Date },
): Promise<void> {
  if (keys.length === 0) return
  const before = new Date(now.getTime() - carefreeMs).toISOString()
  const areOld = (own: Sql) => own`workspace_id = ${workspaceId} and key ${amongTexts(own, keys)} and loose_since < ${before}`
  const [old] = await sql`select 1 from loose_files where ${areOld(sql)} limit 1`
  if (!old) return
  const spare = async (own: Sql) => {
    await holdCount(own, workspaceId)
    await own`update loose_files set loose_since = ${now.toISOString()} where ${areOld(own)}`
  }
  await inTransaction(sql, spare, workspaceId)
}

/** What steps would remove now. */
export async function countOrphans(
  sql: Sql,
  { workspaceId, now }: { workspaceId: number; now: Date },
): Promise<{ candidates: number; bytes: number }> {
  const [row] = await sql<{ candidates: number; bytes: number }[]>`
    select count(*)::bigint as candidates, coalesce(sum(size), 0)::bigint as bytes from (
      select size from loose_files where workspace_id = ${workspaceId} and loose_since < ${orphanedBefore(now)} limit ${limits.sweepCounted}) old`
  return row ?? { candidates: 0, bytes: 0 }
}

const orphanedBefore = (now: Date): string => new Date(now.getTime() - orphanAgeMs).toISOString()

interface Swept {
  database: { sql: Sql }
  /** Where the bytes lie; not counted, because the rows go here. */
  files: Pick<Storage, 'remove'>
}

/** One step. */
export async function sweepOrphans(
  { database, files }: Swept,
  { workspaceId, now }: { workspaceId: number; now: Date },
): Promise<{ gone: number; isMore: boolean }> {
  const before = orphanedBefore(now)
  const [some] = await database.sql`
    select 1 from loose_files where workspace_id = ${workspaceId} and loose_since < ${before} limit 1`
  if (!some) return { gone: 0, isMore: false }
  return inTransaction(database.sql, (sql) => sweep(sql, files, { workspaceId, before, now }), workspaceId)
}

/**
 * Holds, then chooses: nobody commits meanwhile, and nobody counts, so what is chosen here nobody takes over. The bytes go before the rows
 * are committed: a step that is cut off leaves rows, and with them the work for the next one.
 */
async function sweep(
  sql: Sql,
  files: Swept['files'],
  { workspaceId, before, now }: { workspaceId: number; before: string; now: Date },
): Promise<{ gone: number; isMore: boolean }> {
  await lockOf(sql).hold(sql, workspaceId)
  await holdCount(sql, workspaceId)
  if (await isHeldForBackup(sql, now)) return { gone: 0, isMore: false }
  const rows = await sql<{ key: string }[]>`
    select key from loose_files where workspace_id = ${workspaceId} and loose_since < ${before} order by key limit ${stepFiles}`
  const keys = rows.map((row) => row.key)
  const orphans = await unusedOf(sql, workspaceId, keys)
  await takeOff(sql, workspaceId, keys)
  await files.remove(orphans)
  return { gone: orphans.length, isMore: rows.length === stepFiles }
}

/** Those that no version, media file or attachment has: what a mistake in a row says otherwise costs a row, not bytes. */
async function unusedOf(sql: Sql, workspaceId: number, keys: readonly string[]): Promise<string[]> {
  const made = keys.map((key) => ({ key, ...readKey(key) }))
  const hashes = made.flatMap(({ contentHash }) => contentHash ?? [])
  const ids = made.flatMap(({ artifactId }) => artifactId ?? [])
  const versions = await sql<{ content_hash: string }[]>`
    select content_hash from objects where workspace_id = ${workspaceId} and content_hash ${amongTexts(sql, hashes)}`
  // An address for it was given out, and nobody said that the file had come.
  await sql`delete from artifacts where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)} and finished_at is null`
  const media = await sql<{ id: number }[]>`
    select id from artifacts where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)}`
  const used = new Set([
    ...versions.map((row) => blobKey(workspaceId, row.content_hash)),
    ...media.map((row) => artifactKey(workspaceId, row.id)),
    ...(await attachedOf(
      sql,
      workspaceId,
      made.flatMap(({ attachmentFileId }) => attachmentFileId ?? []),
    )),
  ])
  return keys.filter((key) => !used.has(key))
}

/** The keys of those files that are pictures, or strokes over one. */
async function attachedOf(sql: Sql, workspaceId: number, fileIds: readonly number[]): Promise<string[]> {
  const files = await sql<{ id: number }[]>`
    select id from attachments where workspace_id = ${workspaceId} and id ${amongIds(sql, fileIds)}
     union all
    select strokes_id from attachments where workspace_id = ${workspaceId} and strokes_id ${amongIds(sql, fileIds)}`
  return files.map((file) => attachmentKey(workspaceId, file.id))
}

/** The files of one workspace that came in and belong to nothing yet: gathered, and written down together. */

import { amongTexts } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { inTransaction } from '../../database/transaction.ts'
import { readKey } from '../storage.ts'

export interface LooseFile {
  key: string
  size: number
  storedAt: Date
}

/** Files wait so long for others to be written down with. */
const batchMs = 250
/** Files written down by one statement. */
const batchFiles = 1000
/** Files that wait while the database is away; what comes beyond is counted when a version takes it over. */
const mostNoted = 100_000

export class WorkspaceLedger {
  readonly #workspaceId: number
  readonly #database: Database
  readonly #failed: (error: unknown) => void
  #noted: LooseFile[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(workspaceId: number, database: Database, failed: (error: unknown) => void) {
    this.#workspaceId = workspaceId
    this.#database = database
    this.#failed = failed
  }

  note(file: LooseFile): void {
    if (this.#noted.length < mostNoted) this.#noted.push(file)
    this.#timer ??= setTimeout(() => void this.written().catch(this.#failed), batchMs)
  }

  /** Done when everything noted before this call is written down: by one transaction for all who wait. */
  written(): Promise<void> {
    this.#next ??= this.#writing
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#writing = this.#write()
        return this.#writing
      })
    return this.#next
  }

  async removed(keys: readonly string[]): Promise<void> {
    const gone = new Set(keys)
    this.#noted = this.#noted.filter((file) => !gone.delete(file.key))
    await this.#writing.catch(() => {})
    if (gone.size > 0) await this.#transaction((sql) => takeOff(sql, this.#workspaceId, [...gone]))
  }

  get waiting(): number {
    return this.#noted.length
  }

  async close(): Promise<void> {
    await this.written().catch(this.#failed)
    clearTimeout(this.#timer)
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let batch = this.#noted.splice(0, batchFiles); batch.length > 0; batch = this.#noted.splice(0, batchFiles)) {
      const files = batch
      try {
        await this.#transaction((sql) => add(sql, this.#workspaceId, files))
      } catch (error) {
        this.#noted = [...files, ...this.#noted]
        throw error
      }
    }
  }

  #transaction(work: (sql: Sql) => Promise<void>): Promise<void> {
    return inTransaction(this.#database.sql, work, this.#workspaceId)
  }
}

/**
 * Who counts holds the row of the workspace, and looks only then: a file that was taken over meanwhile is counted already, and one that
 * is written down first is found by who takes it over.
 */
export async function holdCount(sql: Sql, workspaceId: number): Promise<void> {
  await sql`select id from workspaces where id = ${workspaceId} for no key update`
}

async function add(sql: Sql, workspaceId: number, files: readonly LooseFile[]): Promise<void> {
  const rows = files.map(({ key, size, storedAt }) => {
    const { contentHash: content_hash = null, artifactId: artifact_id = null, attachmentFileId: file_id = null } = readKey(key)
    return { key, size, loose_since: storedAt.toISOString(), content_hash, artifact_id, file_id }
  })
  await holdCount(sql, workspaceId)
  // Bytes that came after the row of their key was made have come again: a sweep was cut off after it had removed the first ones.
  await sql`
    with came as materialized (
      select distinct on (r.key) r.key, r.size, r.loose_since
        from jsonb_to_recordset(${sql.json(rows)})
             as r(key text, size bigint, loose_since timestamptz, content_hash text, artifact_id bigint, file_id bigint)
       where not exists (select 1 from objects o where o.workspace_id = ${workspaceId} and o.content_hash = r.content_hash)
         and not exists (
           select 1 from artifacts a where a.workspace_id = ${workspaceId} and a.id = r.artifact_id and a.finished_at is not null)
         and not exists (select 1 from attachments t where t.workspace_id = ${workspaceId} and t.id = r.file_id)
         and not exists (select 1 from attachments t where t.workspace_id = ${workspaceId} and t.strokes_id = r.file_id)
       order by r.key, r.loose_since desc),
    known as (
      select l.key, l.is_counted from came join loose_files l on l.workspace_id = ${workspaceId} and l.key = came.key),
    added as (
      insert into loose_files as l (workspace_id, key, size, loose_since)
      select ${workspaceId}, key, size, loose_since from came
      on conflict (workspace_id, key) do update
         set is_counted = true, loose_since = excluded.loose_since
       where l.loose_since < excluded.loose_since
      returning l.key, l.size)
    update workspaces
       set stored_bytes = stored_bytes + (
             select coalesce(sum(size), 0)::bigint from added where key not in (select key from known where is_counted))
     where id = ${workspaceId}`
}

/** The files are gone, and do not count any more. */
export async function takeOff(sql: Sql, workspaceId: number, keys: readonly string[]): Promise<void> {
  await holdCount(sql, workspaceId)
  await sql`
    with gone as (
      delete from loose_files where workspace_id = ${workspaceId} and key ${amongTexts(sql, keys)}
      returning case when is_counted then size else 0 end as size)
    update workspaces set stored_bytes = stored_bytes - (select coalesce(sum(size), 0)::bigint from gone) where id = ${workspaceId}`
}

/** The files that came in and belong to nothing yet, written down in the database with what each workspace keeps (005-front-door.sql). */
import type { Database, Sql } from '../database/open.ts'
import { inTransaction } from '../transaction.ts'
import { readKey } from './storage.ts'

export interface LooseFile {
  key: string
  size: number
  storedAt: Date
}

/** Files wait so long for others to be written down with. */
const gatherMs = 250
/** Files written down by one statement. */
const batchFiles = 1000
/** Files that wait while the database is away; what comes beyond is counted when a version takes it over. */
const mostNoted = 100_000

export class Ledger {
  readonly #database: Database
  readonly #failed: (error: unknown) => void
  #noted: LooseFile[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  /** `failed` hears why files could not be written down; they are tried again with the next. */
  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database
    this.#failed = failed
  }

  /** To be written down soon. */
  note(file: LooseFile): void {
    if (this.#noted.length < mostNoted) this.#noted.push(file)
    this.#timer ??= setTimeout(() => void this.written().catch(this.#failed), gatherMs)
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

  /** The files are no longer kept. */
  async removed(keys: readonly string[]): Promise<void> {
    const gone = new Set(keys)
    this.#noted = this.#noted.filter((file) => !gone.delete(file.key))
    await this.#writing.catch(() => {})
    if (gone.size > 0) await inTransaction(this.#database.sql, (sql) => takeOff(sql, [...gone]))
  }

  /** How many wait to be written down. */
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
        await inTransaction(this.#database.sql, (sql) => add(sql, files))
      } catch (error) {
        this.#noted = [...files, ...this.#noted]
        throw error
      }
    }
  }
}

/**
 * Whoever counts holds the row of the workspace, and looks only then: a file that was taken over meanwhile is counted already, and one
 * that is written down first is found by whoever takes it over.
 */
export async function holdCount(sql: Sql, workspaceIds: readonly number[]): Promise<void> {
  await sql`select id from workspaces where id = any(${[...new Set(workspaceIds)]}) order by id for no key update`
}

async function add(sql: Sql, files: readonly LooseFile[]): Promise<void> {
  const rows = files.map(({ key, size, storedAt }) => {
    const { workspaceId, contentHash, artifactId } = readKey(key)
    const [content_hash, artifact_id] = [contentHash ?? null, artifactId ?? null]
    return { workspace_id: workspaceId, key, size, loose_since: storedAt.toISOString(), content_hash, artifact_id }
  })
  await holdCount(
    sql,
    rows.map((row) => row.workspace_id),
  )
  await sql`
    with added as (
      insert into loose_files (workspace_id, key, size, loose_since)
      select r.workspace_id, r.key, r.size, r.loose_since
        from jsonb_to_recordset(${sql.json(rows)})
             as r(workspace_id bigint, key text, size bigint, loose_since timestamptz, content_hash text, artifact_id bigint)
       where not exists (select 1 from objects o where o.workspace_id = r.workspace_id and o.content_hash = r.content_hash)
         and not exists (
           select 1 from artifacts a where a.workspace_id = r.workspace_id and a.id = r.artifact_id and a.finished_at is not null)
      on conflict do nothing
      returning workspace_id, size)
    update workspaces w set stored_bytes = w.stored_bytes + a.bytes
      from (select workspace_id, sum(size)::bigint as bytes from added group by workspace_id) a
     where w.id = a.workspace_id`
}

async function takeOff(sql: Sql, keys: readonly string[]): Promise<void> {
  const rows = keys.map((key) => ({ workspace_id: readKey(key).workspaceId, key }))
  await holdCount(
    sql,
    rows.map((row) => row.workspace_id),
  )
  await sql`
    with gone as (
      delete from loose_files f using jsonb_to_recordset(${sql.json(rows)}) as r(workspace_id bigint, key text)
       where f.workspace_id = r.workspace_id and f.key = r.key
      returning f.workspace_id, case when f.is_counted then f.size else 0 end as size)
    update workspaces w set stored_bytes = w.stored_bytes - g.bytes
      from (select workspace_id, sum(size)::bigint as bytes from gone group by workspace_id) g
     where w.id = g.workspace_id`
}

/** Pulls that began and did not end, in the memory of their project: which claim to take up again, and what was put into place. */
import type { StateFile } from './state-file.ts'

export interface OpenPull {
  jobId: number
  /** Of a claim that was sent, whether or not its answer came; null before, when other jobs of the order may still be missing. */
  claimToken: string | null
  /** What was asked for, as JSON: the same for every job that one order came to. Null for a job that someone else ordered. */
  ordered: string | null
}

/** A file that was about to be put into place, or of which is known that it was. `identity`: of the new file, see `fileIdentity`. */
export interface IntendedFile<Item> {
  contentHash: string
  file: string
  identity: string
  item: Item
}

interface PullRow {
  job_id: number
  claim_token: string | null
  ordered: string | null
}

interface PulledRow {
  content_hash: string
  file: string
  identity: string
  item: string
}

export class OpenPulls {
  readonly #state: StateFile

  constructor(state: StateFile) {
    this.#state = state
  }

  /** Oldest job first. */
  list(): OpenPull[] {
    const rows = this.#state.guard(() =>
      this.#state.db.prepare<[], PullRow>('select job_id, claim_token, ordered from pull order by job_id').all(),
    )
    return rows.map(({ job_id, claim_token, ordered }) => ({ jobId: job_id, claimToken: claim_token, ordered }))
  }

  /** Remembers pulls, or what is new of them: all or none. */
  keep(pulls: readonly OpenPull[], now: Date): void {
    this.#write(`
      insert into pull (job_id, claim_token, ordered, begun_at) values (?, ?, ?, ?)
      on conflict (job_id) do update set claim_token = excluded.claim_token, ordered = excluded.ordered`)(
      pulls.map(({ jobId, claimToken, ordered }) => [jobId, claimToken, ordered, now.toISOString()]),
    )
  }

  /** Written before the first of these files is put into place, all of them or none. */
  intend(jobId: number, files: readonly IntendedFile<unknown>[]): void {
    this.#write('insert or replace into pulled (job_id, content_hash, file, mark, item) values (?, ?, ?, ?, ?)')(
      files.map(({ contentHash, file, identity, item }) => [jobId, contentHash, file, identity, JSON.stringify(item)]),
    )
  }

  /** What an earlier run of this pull was about to put into place. `Item` is what that run gave to `intend`. */
  intended<Item>(jobId: number): IntendedFile<Item>[] {
    const rows = this.#state.guard(() =>
      this.#state.db
        .prepare<[number], PulledRow>('select content_hash, file, mark as identity, item from pulled where job_id = ?')
        .all(jobId),
    )
    return rows.map(({ content_hash, file, identity, item }) => ({
      contentHash: content_hash,
      file,
      identity,
      item: JSON.parse(item) as Item,
    }))
  }

  /** What became of them is known: these rows stand for all that there were. */
  settle(jobId: number, files: readonly IntendedFile<unknown>[]): void {
    this.#state.write(() => {
      this.#state.db.prepare('delete from pulled where job_id = ?').run(jobId)
      this.intend(jobId, files)
    })
  }

  /** They have ended. */
  forget(jobIds: readonly number[]): void {
    this.#state.write(() => {
      for (const table of ['pull', 'pulled']) {
        const statement = this.#state.db.prepare(`delete from ${table} where job_id = ?`)
        for (const jobId of jobIds) statement.run(jobId)
      }
    })
  }

  #write = (sql: string) => (rows: readonly (string | number | null)[][]) =>
    this.#state.write(() => {
      const statement = this.#state.db.prepare(sql)
      for (const row of rows) statement.run(...row)
    })
}

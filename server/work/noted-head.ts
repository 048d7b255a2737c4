/**
 * How far the change feeds had come, written down where the files lie. A start that finds the feeds behind that has another state of the
 * database under it: one that was brought back by other means than `ph server restore`.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { madeOnce } from '../database/made-once.ts'
import type { Database } from '../database/open.ts'
import { inTransaction } from '../database/transaction.ts'
import { beginEpoch, newEpochId } from '../epoch.ts'
import type { Logger } from '../monitoring/log.ts'
import type { Note } from '../storage/note.ts'

interface NotedParts {
  database: Database
  clock: Clock
  log: Logger
  note: Note
}

export class NotedHead {
  readonly #parts: NotedParts
  #written: string | undefined

  private constructor(parts: NotedParts) {
    this.#parts = parts
  }

  /** Begins a new epoch where the feeds lie behind what was noted, and says so. Before anything else is written to the database. */
  static async open(parts: NotedParts): Promise<NotedHead> {
    const head = new NotedHead(parts)
    await head.#check()
    return head
  }

  async #check(): Promise<void> {
    const { database, clock, log, note } = this.#parts
    // Read before the feeds are: another server may note more meanwhile.
    const noted = readNote(await note.read())
    const { library, changes } = await this.#feeds()
    if (noted?.library !== library || BigInt(noted.changes) <= BigInt(changes)) return
    await inTransaction(database.sql, (sql) => beginEpoch(sql, { id: newEpochId(), now: clock.now() }))
    log.warn(
      { noted_changes: noted.changes, found_changes: changes },
      'The database is an earlier state of this library: it was brought back from a backup. Its numbers go on far ahead of those that were given out since, and clients ask again for all that they remember. Run `ph server check`: files that were pushed since the backup are not known any more',
    )
  }

  /** Writes down how far the feeds are, where that is news. */
  async write(): Promise<void> {
    const text = JSON.stringify(await this.#feeds())
    if (text === this.#written) return
    await this.#parts.note.write(text)
    this.#written = text
  }

  /** The last time. */
  async close(): Promise<void> {
    await this.write().catch((err: unknown) =>
      this.#parts.log.warn({ err }, 'how far the change feeds are could not be written down'),
    )
  }

  /** Of all workspaces together: none goes back, and none goes away. */
  async #feeds(): Promise<Noted> {
    const { database } = this.#parts
    const library = await madeOnce(database, 'library_id', randomBytes(16).toString('hex'))
    const [row] = await database.sql<{ changes: string }[]>`select coalesce(sum(change_seq), 0)::text as changes from feed_heads`
    return { library, changes: row?.changes ?? '0' }
  }
}

interface Noted {
  /** The id of the library: its folder may be given to another one. */
  library: string
  /** A whole number. */
  changes: string
}

/** Undefined too for what was never written so. */
function readNote(text: string | undefined): Noted | undefined {
  try {
    const { library, changes } = JSON.parse(text ?? '') as Partial<Noted>
    return library !== undefined && /^\d{1,30}$/.test(changes ?? '') ? { library, changes: changes ?? '0' } : undefined
  } catch {
    return undefined
  }
}

/** Fills a file from the export. It has no journal: of a process that is killed nothing is kept; what is left in good order is gone on with. */
import Database from 'better-sqlite3'
import type { LibraryEpoch } from '../../../contract/shapes.ts'
import { ClientError } from '../../client-error.ts'
import type { Api } from '../../http/api.ts'
import { isOtherEpoch } from '../../memory/feed.ts'
import { isSameHistory, witnessAt } from '../follow.ts'
import { type Mirror, makeTables, putMeta, version } from '../mirror.ts'
import { MirrorRows } from '../rows.ts'
import { listBeside } from './lists.ts'
import type { LoadOptions } from './news.ts'
import { settle } from './settle.ts'

/** Written at once: so much work is done between two looks at anything else. */
const batchRows = 1000
const toldEvery = 10_000
const loadingHashBytes = 16 * 1024 * 1024

/** `export_after`: the last entry that came, written when a load is left, and taken back before another one writes. */
interface Left {
  address: string
  cursor: number
  witness: string | undefined
  epoch: string | undefined
  export_after: number
}

const countOf = (db: Database.Database): number => db.prepare('select count(*) from records').pluck().get() as number

type Entry = Parameters<MirrorRows['putEntry']>[0]

export class ExportLoad {
  /** That came, those of earlier starts too. */
  entries = 0
  readonly #mirror: Mirror
  readonly #db: Database.Database
  readonly #rows: MirrorRows
  /** The feed's head before the first row of all was read; older than what came later, which does no harm. */
  #cursor: number | undefined
  #witness: string | undefined
  #epoch: string | undefined
  #last: number | undefined
  #batch: Entry[] = []

  private constructor(mirror: Mirror, db: Database.Database, left: Left | undefined) {
    this.#mirror = mirror
    this.#db = db
    for (const pragma of ['synchronous = off', 'locking_mode = exclusive', 'cache_size = -65536']) db.pragma(pragma)
    this.#rows = new MirrorRows(db)
    this.#cursor = left?.cursor
    this.#witness = left?.witness
    this.#epoch = left?.epoch
    this.#last = left?.export_after
    this.entries = countOf(db)
    // One transaction for all rows: pages are written when the cache is full, not again and again. A crash needs nothing of it.
    db.exec('begin')
  }

  /** Behind what an earlier one left, else anew. */
  static begin(mirror: Mirror): ExportLoad {
    const left = takeLeft(mirror)
    if (left) return new ExportLoad(mirror, left.db, left)
    mirror.files.removeLoading()
    const db = new Database(mirror.files.loading)
    for (const pragma of ['page_size = 8192', 'journal_mode = off', 'synchronous = off']) db.pragma(pragma)
    makeTables(db)
    // Many words are gathered before they are written: with fewer pieces there is less to merge.
    db.exec(`insert into words (words, rank) values ('hashsize', ${loadingHashBytes})`)
    return new ExportLoad(mirror, db, undefined)
  }

  async run(api: Api, { signal, tell, now = Date.now }: LoadOptions): Promise<number> {
    await this.#read(api, { signal, tell })
    const lists = await listBeside(api, signal)
    lists.write(this.#rows, this.#db)
    this.#db.exec('commit')
    await settle(this.#db, signal)
    putMeta(this.#db, { ...this.#state, loaded_at: now(), synced_at: now() })
    const entries = countOf(this.#db)
    this.#db.close()
    return entries
  }

  async #read(api: Api, { signal, tell }: LoadOptions): Promise<void> {
    const came = this.entries
    let total: number | undefined
    let began = false
    try {
      const isSame = await isSameHistory(api, this.#witness, signal)
      began = !isSame
      if (!isSame) this.#refuseHistory()
      for await (const line of api.changes.export(this.#last === undefined ? {} : { after: this.#last }, { signal })) {
        if (!began) {
          began = true
          total = came + this.#begin(line)
          const there = await witnessAt(api, this.#cursor ?? 0, signal)
          if (there !== 'forgotten') this.#witness ??= there
        } else if ('id' in line && (await this.#take(line))) tell?.({ kind: 'loading', entries: this.entries, total })
      }
    } catch (error) {
      if (!began && error instanceof ClientError) error.details.began = false
      throw error
    }
    if (!began) throw new ClientError('ANSWER_CUT', 'The export was empty.')
    this.#flush()
  }

  /** Takes the first line; gives how many lines it says are to come. */
  #begin(line: object): number {
    const { cursor, total, library_epoch } = line as { cursor?: unknown; total?: unknown; library_epoch?: LibraryEpoch }
    if (typeof cursor !== 'number')
      throw new ClientError('NOT_A_LIBRARY', 'The export does not say where the change feed stands.')
    if (cursor < (this.#cursor ?? 0) || isOtherEpoch(library_epoch, { epoch: this.#epoch })) this.#refuseHistory()
    this.#cursor ??= cursor
    this.#epoch ??= library_epoch?.id
    return typeof total === 'number' ? total : 0
  }

  /** What came belongs to no history that there is. */
  #refuseHistory(): never {
    this.#last = undefined
    throw new ClientError('ANSWER_CUT', 'The server was set back since the load began.')
  }

  get #state() {
    const witness = this.#witness === undefined ? {} : { witness: this.#witness }
    const epoch = this.#epoch === undefined ? {} : { epoch: this.#epoch }
    return { address: this.#mirror.address, cursor: this.#cursor, ...witness, ...epoch }
  }

  /** Whether it is time to tell how many came. */
  async #take(line: Entry): Promise<boolean> {
    this.#batch.push(line)
    if (this.#batch.length < batchRows) return false
    this.#flush()
    await new Promise(setImmediate)
    return this.entries % toldEvery < batchRows
  }

  #flush(): void {
    for (const entry of this.#batch) this.#rows.putEntry(entry)
    this.entries += this.#batch.length
    this.#last = this.#batch.at(-1)?.id ?? this.#last
    this.#batch = []
  }

  /** After a failure: `keep` what came, to be gone on with by the next one. */
  leave({ keep }: { keep: boolean }): void {
    try {
      if (keep && this.#cursor !== undefined) this.#keep()
      this.#db.close()
      if (!keep || this.#last === undefined) this.#mirror.files.removeLoading()
    } catch {
      this.#db.close()
      this.#mirror.files.removeLoading()
    }
  }

  /** That there is something to go on with is written when all of it is on the disk. */
  #keep(): void {
    if (this.#db.inTransaction) {
      this.#flush()
      this.#db.exec('commit')
    }
    if (this.#last === undefined) return
    this.#db.pragma('synchronous = full')
    putMeta(this.#db, this.#state)
    putMeta(this.#db, { export_after: this.#last })
  }
}

/** What was left is taken over: from here on it counts only when it is left again, or whole. */
function takeLeft(mirror: Mirror): (Left & { db: Database.Database }) | undefined {
  let db: Database.Database | undefined
  try {
    db = new Database(mirror.files.loading, { fileMustExist: true })
    const read = db.prepare('select value from meta where name = ?').pluck()
    const names = ['address', 'cursor', 'witness', 'epoch', 'export_after'] as const
    const left = Object.fromEntries(names.map((name) => [name, read.get(name)])) as unknown as Left
    if (
      left.export_after !== undefined &&
      left.address === mirror.address &&
      db.pragma('user_version', { simple: true }) === version
    ) {
      db.pragma('journal_mode = off')
      db.pragma('synchronous = full')
      db.exec("delete from meta where name = 'export_after'")
      return { ...left, db }
    }
  } catch {}
  db?.close()
  return undefined
}

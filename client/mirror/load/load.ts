/**
 * Loads a mirror: by the export where the server has one, else by the pages of GET /entries (spec 4.6; contract-gaps 9). The feed's head
 * is heard first and written last, in a file of its own that counts only when it is whole: no cursor is ever ahead of its data.
 *
 * An export that is cut has to begin again, since servers send it from the beginning only. Cut twice, the pages are read instead:
 * they are kept one by one, and who comes back goes on behind the last.
 */
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { ApiError } from '../../../contract/errors.ts'
import { ClientError } from '../../client-error.ts'
import type { Api } from '../../http/api.ts'
import { pause as realPause } from '../../http/pause.ts'
import { type Mirror, makeTables, putMeta } from '../mirror.ts'
import { MirrorRows } from '../rows.ts'
import { listBeside } from './lists.ts'
import type { LoadOptions } from './news.ts'
import { loadPages } from './pages.ts'
import { settle } from './settle.ts'

/** Rows of one transaction: so much work is done between two looks at anything else. */
const batchRows = 1000
const toldEvery = 10_000
const cutsBeforePages = 2

/** What is loaded replaces what there is when it is whole; until then that serves. The caller holds the mirror's lock. */
export async function loadMirror(mirror: Mirror, api: Api, options: LoadOptions = {}): Promise<{ entries: number }> {
  mirror.files.make()
  try {
    const entries = (await loadExports(mirror, api, options)) ?? (await loadPages(mirror, api, options))
    mirror.close()
    mirror.files.adopt()
    mirror.files.removeOld()
    options.tell?.({ kind: 'loaded', entries })
    return { entries }
  } catch (error) {
    throw mirror.failure(error)
  }
}

/** Undefined where there is no export, or only one that is cut again and again. */
async function loadExports(mirror: Mirror, api: Api, options: LoadOptions): Promise<number | undefined> {
  if (hasPages(mirror)) return undefined
  for (let cuts = 0; cuts < cutsBeforePages; cuts++) {
    const loading = new Loading(mirror)
    try {
      return await loading.fromExport(api, options)
    } catch (error) {
      loading.abandon()
      if (error instanceof ApiError && [403, 404, 405].includes(error.status)) return undefined
      if (!isCut(error)) throw error
      options.tell?.({ kind: 'cut', entries: loading.entries })
      await (options.pause ?? realPause)(1000, options.signal)
    }
  }
  return undefined
}

const isCut = (error: unknown): boolean =>
  error instanceof ClientError && (error.code === 'ANSWER_CUT' || error.code === 'UNREACHABLE') && !isFirstContact(error)

/** The stream never began: nobody was reached. */
const isFirstContact = (error: ClientError): boolean => error.details.began === false

/** Pages of an earlier start wait to be gone on with. */
function hasPages(mirror: Mirror): boolean {
  try {
    const db = new Database(mirror.files.loading, { readonly: true, fileMustExist: true })
    try {
      return db.prepare("select value from meta where name = 'page_cursor'").get() !== undefined
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

/** A file that is filled from an export, without a journal: what a crash leaves of it is thrown away. */
class Loading {
  entries = 0
  readonly #mirror: Mirror
  readonly #db: Database.Database
  readonly #rows: MirrorRows
  #batch: Parameters<MirrorRows['putEntry']>[0][] = []

  constructor(mirror: Mirror) {
    this.#mirror = mirror
    mirror.files.removeLoading()
    this.#db = new Database(mirror.files.loading)
    for (const pragma of [
      'page_size = 8192',
      'journal_mode = off',
      'synchronous = off',
      'locking_mode = exclusive',
      'cache_size = -65536',
    ])
      this.#db.pragma(pragma)
    makeTables(this.#db)
    this.#rows = new MirrorRows(this.#db)
    // Many words are gathered before they are written: with fewer pieces there is less to merge.
    this.#db.exec(`insert into words (words, rank) values ('hashsize', ${loadingHashBytes})`)
  }

  async fromExport(api: Api, { signal, tell, now = Date.now }: LoadOptions): Promise<number> {
    let head: { cursor: number; total?: number } | undefined
    try {
      for await (const line of api.changes.export({}, { signal })) {
        if (!head) head = headOf(line)
        else if ('id' in line) await this.#take(line, tell, head.total)
      }
    } catch (error) {
      if (!head && error instanceof ClientError) error.details.began = false
      throw error
    }
    if (!head) throw new ClientError('ANSWER_CUT', 'The export was empty.')
    this.#flush()
    const lists = await listBeside(api, signal)
    this.#db.transaction(() => lists.write(this.#rows, this.#db))()
    await settle(this.#db)
    const { address } = this.#mirror
    putMeta(this.#db, { address, cursor: head.cursor, loaded_at: now(), synced_at: now() })
    this.#db.close()
    return this.entries
  }

  async #take(line: Parameters<MirrorRows['putEntry']>[0], tell: LoadOptions['tell'], total: number | undefined): Promise<void> {
    this.#batch.push(line)
    if (this.#batch.length < batchRows) return
    this.#flush()
    if (this.entries % toldEvery === 0) tell?.({ kind: 'loading', entries: this.entries, total })
    await new Promise(setImmediate)
  }

  #flush(): void {
    const batch = this.#batch
    this.#batch = []
    this.#db.transaction(() => {
      for (const entry of batch) this.#rows.putEntry(entry)
    })()
    this.entries += batch.length
  }

  abandon(): void {
    this.#db.close()
    for (const end of ['', '-journal']) rmSync(this.#mirror.files.loading + end, { force: true })
  }
}

const loadingHashBytes = 16 * 1024 * 1024

function headOf(line: object): { cursor: number; total?: number } {
  const { cursor, total } = line as { cursor?: unknown; total?: unknown }
  if (typeof cursor !== 'number') throw new ClientError('NOT_A_LIBRARY', 'The export does not say where the change feed stands.')
  return { cursor, ...(typeof total === 'number' && { total }) }
}

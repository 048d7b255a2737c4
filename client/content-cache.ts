/** The content cache: files by their hash, shared by the projects and processes of a person on one machine, bounded in size. */
import { randomUUID } from 'node:crypto'
import { type BigIntStats, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { bootMark } from './boot-mark.ts'
import { defaultCacheBytes } from './cache-size.ts'
import { aboutFile, ClientError } from './client-error.ts'
import { type Layout, StateFile } from './state-file.ts'

/** A file by its SHA-256 and its size in bytes. */
export interface Content {
  hash: string
  size: number
}

interface Row {
  hash: string
  size: number
  mtime_ns: string
  ctime_ns: string
  boot: string
}

const layout: Layout = {
  version: 1,
  schema: new URL('./content-cache.sql', import.meta.url),
  tables: ['object', 'hold'],
}
/** A hold is renewed while a pull runs; this is how long one of a killed process keeps its files from being evicted. */
const holdMs = 60 * 60_000
/** Evicting makes some room beyond what is needed, so that not every pull has to. */
const evictedShare = 0.95

const ownFolder = 'content'
const objectPath = (folder: string, hash: string): string => join(folder, 'objects', hash.slice(0, 2), hash)

/** Where the cache in this folder keeps a file, if it has it. */
export const cachedPath = (folder: string, hash: string): string => objectPath(join(folder, ownFolder), hash)

export interface CacheOptions {
  limitBytes?: number
  now?: () => number
}

/** Throws ClientError `CACHE_UNUSABLE` when its folder cannot be used. */
export class ContentCache {
  readonly folder: string
  /** Where files are received, on the same disk. */
  readonly incoming: string
  readonly #state: StateFile
  readonly #db: Database.Database
  readonly #holder = randomUUID()
  readonly #limitBytes: number
  readonly #now: () => number
  readonly #boot = bootMark()
  /** Folders that are known to be there. */
  readonly #made = new Set<string>()
  /** Put in and not written down yet. */
  #fresh: { content: Content; stats: BigIntStats }[] = []

  constructor(folder: string, { limitBytes = defaultCacheBytes, now = Date.now }: CacheOptions = {}) {
    this.folder = join(folder, ownFolder)
    this.incoming = join(this.folder, 'incoming')
    this.#limitBytes = limitBytes
    this.#now = now
    const unusable = (reason: string, cause: unknown) =>
      new ClientError('CACHE_UNUSABLE', `The content cache in ${this.folder} cannot be used: ${reason}.`, { cause })
    this.#state = new StateFile(join(this.folder, 'index.sqlite'), { layout, unusable })
    this.#db = this.#state.db
    this.#state.guard(() => mkdirSync(this.incoming, { recursive: true, mode: 0o700 }))
  }

  /** Ends the holds of this pull, and evicts what is too much. */
  close(): void {
    try {
      this.#writeDown()
      this.#state.write(() => {
        this.#db.prepare('delete from hold where holder = ? or until_ms < ?').run(this.#holder, this.#now())
      })
      this.#evict()
    } finally {
      this.#state.close()
    }
  }

  pathOf = (hash: string): string => objectPath(this.folder, hash)

  /** Keeps these from being evicted, whether they are there already or not. To be repeated in work of more than half an hour. */
  hold(contents: readonly Content[]): void {
    const until = this.#now() + holdMs
    const hold = this.#db.prepare('insert or replace into hold (holder, hash, until_ms) values (?, ?, ?)')
    this.#state.write(() => {
      for (const { hash } of contents) hold.run(this.#holder, hash, until)
    })
  }

  /**
   * Which of these are there. What was touched since it was last known, was never written down, or was written before the
   * system started anew is read first; what then has another hash is `damaged`, and gone.
   */
  async find(contents: readonly Content[], signal?: AbortSignal): Promise<{ present: Set<string>; damaged: string[] }> {
    const known = this.#db.prepare<[string], Row>('select hash, size, mtime_ns, ctime_ns, boot from object where hash = ?')
    const present = new Set<string>()
    const doubtful: Content[] = []
    this.#state.guard(() => {
      for (const content of contents) {
        const stats = statSync(this.pathOf(content.hash), { bigint: true, throwIfNoEntry: false })
        if (!stats) continue
        if (this.#isAsKnown(known.get(content.hash), stats)) present.add(content.hash)
        else doubtful.push(content)
      }
    })
    const damaged = doubtful.length > 0 ? await this.#verify(doubtful, signal) : []
    for (const { hash } of doubtful) if (!damaged.includes(hash)) present.add(hash)
    this.#touch(present)
    return { present, damaged }
  }

  /** Takes in bytes that have this hash, by way of a file in `incoming`. */
  putBytes(content: Content, bytes: Uint8Array, receivedPath: string): void {
    try {
      writeFileSync(receivedPath, bytes)
      this.put(content, receivedPath)
    } catch (error) {
      rmSync(receivedPath, { force: true })
      throw aboutFile(error, receivedPath)
    }
  }

  /** Takes in a file that was received in `incoming` and has this hash. */
  put(content: Content, receivedPath: string): void {
    const path = this.pathOf(content.hash)
    const folder = dirname(path)
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#made.add(folder)
    renameSync(receivedPath, path)
    this.#fresh.push({ content, stats: statSync(path, { bigint: true }) })
    if (this.#fresh.length >= 500) this.#writeDown()
  }

  /** Its attributes changed and its bytes did not: it was linked to. */
  touched(content: Content): void {
    this.#fresh.push({ content, stats: statSync(this.pathOf(content.hash), { bigint: true }) })
  }

  /** Removes a file whose bytes turned out to be others. */
  drop(hash: string): void {
    rmSync(this.pathOf(hash), { force: true })
    this.#state.write(() => this.#db.prepare('delete from object where hash = ?').run(hash))
  }

  #isAsKnown(row: Row | undefined, { size, mtimeNs, ctimeNs }: BigIntStats): boolean {
    return (
      row !== undefined &&
      row.boot === this.#boot &&
      BigInt(row.size) === size &&
      row.mtime_ns === String(mtimeNs) &&
      row.ctime_ns === String(ctimeNs)
    )
  }

  async #verify(doubtful: readonly Content[], signal?: AbortSignal): Promise<string[]> {
    const { readFiles } = await import('./hash.ts')
    const damaged: string[] = []
    const jobs = doubtful.map(({ hash, size }) => ({ path: this.pathOf(hash), size }))
    await readFiles(jobs, {
      signal,
      onFile: (index, result) => {
        const content = doubtful[index]
        if (!content) return
        const stats = statSync(this.pathOf(content.hash), { bigint: true, throwIfNoEntry: false })
        if (stats && 'hash' in result && result.hash === content.hash) this.#fresh.push({ content, stats })
        else damaged.push(content.hash)
      },
    })
    for (const hash of damaged) this.drop(hash)
    this.#writeDown()
    return damaged
  }

  #touch(hashes: ReadonlySet<string>): void {
    const touch = this.#db.prepare('update object set used_ms = ? where hash = ?')
    this.#state.write(() => {
      for (const hash of hashes) touch.run(this.#now(), hash)
    })
  }

  #writeDown(): void {
    const fresh = this.#fresh
    this.#fresh = []
    if (fresh.length === 0) return
    const save = this.#db.prepare(
      'insert or replace into object (hash, size, mtime_ns, ctime_ns, boot, used_ms) values (?, ?, ?, ?, ?, ?)',
    )
    this.#state.write(() => {
      for (const { content, stats } of fresh)
        save.run(content.hash, stats.size, String(stats.mtimeNs), String(stats.ctimeNs), this.#boot, this.#now())
    })
  }

  /** Least recently used first; never what a running pull holds. */
  #evict(): void {
    let total = Number(this.#state.guard(() => this.#db.prepare('select total(size) from object').pluck().get()))
    if (total <= this.#limitBytes) return
    const oldest = this.#db.prepare<[number], Content>(`
      select hash, size from object o
       where not exists (select 1 from hold h where h.hash = o.hash and h.until_ms > ?) order by used_ms, hash`)
    for (const { hash, size } of this.#state.guard(() => oldest.all(this.#now()))) {
      if (total <= this.#limitBytes * evictedShare) break
      this.drop(hash)
      total -= size
    }
  }
}

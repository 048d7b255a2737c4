/**
 * The content cache: files by their hash, for all projects and processes of a person on one machine, bounded in size. A file of it
 * may be the very file of one project (pull/placing/staging.ts): an edit in place then shows in its times, and costs the cache that file.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { bootId } from '../../system/boot-id.ts'
import { ClientError } from '../client-error.ts'
import { type Layout, StateFile } from '../memory/state-file.ts'
import { statKey } from '../project/fingerprint.ts'
import { defaultCacheBytes } from './cache-size.ts'

/** A file by its SHA-256 and its size in bytes. */
export interface Content {
  hash: string
  size: number
}

export const sizeOf = (contents: readonly Content[]): number => contents.reduce((sum, { size }) => sum + size, 0)

interface Row {
  stat: string
  boot: string
}

const layout: Layout = {
  version: 2,
  schema: new URL('./cache.sql', import.meta.url),
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

/** Parts that this process writes at the moment. One that lives long, as the agent does, has left others behind. */
const partsInUse = new Set<string>()
export const isPartInUse = (path: string): boolean => partsInUse.has(path)

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
  readonly #boot = bootId()
  /** Folders that are there. */
  readonly #made = new Set<string>()
  /** What the files looked like when their bytes were known to be right, as far as this process has asked. */
  readonly #known = new Map<string, string>()
  /** Known and not written down yet. */
  #fresh: { content: Content; stat: string }[] = []

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
    const written = this.#db.prepare<[string], Row>('select stat, boot from object where hash = ?')
    const present = new Set<string>()
    const doubtful: Content[] = []
    this.#state.guard(() => {
      for (const content of contents) {
        const stat = this.#look(content.hash)
        if (stat === undefined) continue
        const row = written.get(content.hash)
        if (row?.boot !== this.#boot || row.stat !== stat) doubtful.push(content)
        else {
          present.add(content.hash)
          this.#known.set(content.hash, stat)
        }
      }
    })
    const damaged = doubtful.length > 0 ? await this.#verify(doubtful, { present, signal }) : []
    this.#touch(present)
    return { present, damaged }
  }

  /** Takes in a file that was received in `incoming` and has this hash. */
  put(content: Content, receivedPath: string): void {
    const path = this.pathOf(content.hash)
    this.#make(dirname(path))
    renameSync(receivedPath, path)
    this.touched(content)
  }

  /** Its attributes changed and its bytes did not: it was linked to by someone who has not shown the link to anyone yet. */
  touched(content: Content): void {
    const stat = this.#look(content.hash)
    if (stat !== undefined) this.#believe(content, stat)
  }

  /** Where a file of this hash may be received. It is this caller's until it is put in or left; a killed process leaves it too. */
  newPart(hash: string): string {
    const path = join(this.incoming, `${hash}.${process.pid}.${randomUUID().slice(0, 8)}.part`)
    partsInUse.add(path)
    return path
  }

  /** Who wants the same file may take it up, if it is there. */
  leavePart(path: string): void {
    partsInUse.delete(path)
  }

  /** Gives the cache a file of its own instead of one that a project has too. */
  async part(content: Content): Promise<void> {
    const own = this.newPart(content.hash)
    try {
      await copyFile(this.pathOf(content.hash), own)
      if (!this.isUntouched(content.hash)) throw changedInCache(content.hash)
      this.put(content, own)
    } finally {
      rmSync(own, { force: true })
      this.leavePart(own)
    }
  }

  /** Whether a file that was found or put in was left alone since. */
  isUntouched = (hash: string): boolean => this.#look(hash) === this.#known.get(hash)

  /**
   * These were placed in a project and looked like `stat` (`statKey`) there. Where the cache has the very same file, and nobody has
   * touched it since, it is believed further.
   */
  placed(files: readonly (Content & { stat: string })[]): void {
    for (const { stat, ...content } of files) if (this.#look(content.hash) === stat) this.#believe(content, stat)
    this.#writeDown()
  }

  /** Removes a file whose bytes turned out to be others. */
  drop(hash: string): void {
    rmSync(this.pathOf(hash), { force: true })
    this.#state.write(() => this.#db.prepare('delete from object where hash = ?').run(hash))
  }

  #make(folder: string): void {
    if (this.#made.has(folder)) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#made.add(folder)
  }

  #look(hash: string): string | undefined {
    const stats = statSync(this.pathOf(hash), { bigint: true, throwIfNoEntry: false })
    return stats && statKey(stats)
  }

  #believe(content: Content, stat: string): void {
    this.#known.set(content.hash, stat)
    this.#fresh.push({ content, stat })
    if (this.#fresh.length >= 500) this.#writeDown()
  }

  /** Adds to `present` what is right. What could not be read is left where it is: someone may be using it. */
  async #verify(
    doubtful: readonly Content[],
    { present, signal }: { present: Set<string>; signal: AbortSignal | undefined },
  ): Promise<string[]> {
    const { readFiles } = await import('../project/read-files.ts')
    const damaged: string[] = []
    const jobs = doubtful.map(({ hash, size }) => ({ path: this.pathOf(hash), size }))
    const looks = doubtful.map(({ hash }) => this.#look(hash))
    await readFiles(jobs, {
      signal,
      onFile: (index, result) => {
        const [content, look] = [doubtful[index], looks[index]]
        if (!content) return
        if (look === undefined || !('hash' in result)) return
        if (result.hash !== content.hash) return damaged.push(content.hash)
        present.add(content.hash)
        if (result.stat === look) this.#believe(content, look)
        // Touched just now, so that a later edit might carry the same time: good for this run only.
        else this.#known.set(content.hash, look)
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
    const save = this.#db.prepare('insert or replace into object (hash, size, stat, boot, used_ms) values (?, ?, ?, ?, ?)')
    this.#state.write(() => {
      for (const { content, stat } of fresh) save.run(content.hash, content.size, stat, this.#boot, this.#now())
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

export const changedInCache = (hash: string): ClientError =>
  new ClientError('CACHE_UNUSABLE', `The file ${hash} changed in the content cache while it was used.`, {
    next: 'Run it again: it is read anew.',
  })

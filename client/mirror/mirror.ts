/** The catalog of one workspace in a SQLite file of this machine: opened, read, written, begun anew when it is damaged. */
import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isFullCode } from '../../system/disk-codes.ts'
import { isRoomMissing } from '../../system/free-space.ts'
import { ClientError } from '../client-error.ts'
import { type Folders, mirrorFolder } from '../folders.ts'
import { MirrorFiles } from './mirror-files.ts'
import { MirrorRows } from './rows.ts'

/** Kept in each file as its `user_version`; a file of another version is loaded anew. */
export const version = 1
const busyMs = 10_000
const cacheKiB = 16 * 1024

const sqlOf = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** What is known of the mirror itself. */
export interface MirrorMeta {
  address: string
  /** How far the change feed was followed. */
  cursor: number
  /** The record at the cursor, as JSON: where it is another one, the feed tells of another history. */
  witness: string
  /** The id of the library's epoch, where the server says it. */
  epoch: string
  /** Milliseconds since 1970: when it was loaded, and when it was last known to be as the library. */
  loaded_at: number
  synced_at: number
  /** Who the key acted as, as JSON. */
  me: string
}

/** How the mirror stands to the library, as its keeper last saw it. */
export interface Standing {
  state: 'loading' | 'current' | 'behind' | 'offline' | 'failed'
  head: number | null
}

export class Mirror {
  readonly address: string
  readonly files: MirrorFiles
  /** A file could not be read, and was taken away. */
  wasDamaged = false
  standing: Standing = { state: 'offline', head: null }
  #opened: { db: Database.Database; number: number } | undefined
  #rows: MirrorRows | undefined
  #syncedAt: number | undefined

  constructor(folders: Folders, address: string) {
    this.address = address
    this.files = new MirrorFiles(mirrorFolder(folders, address))
  }

  /** The newest file that was loaded whole, or undefined where there is none for this workspace. */
  get db(): Database.Database | undefined {
    const newest = this.files.newest()
    if (this.#opened && this.#opened.number === newest) return this.#opened.db
    this.close()
    if (newest === undefined) return undefined
    const db = this.#open(newest)
    if (db) this.#opened = { db, number: newest }
    return db
  }

  /** Throws ClientError `NO_MIRROR`. */
  get loaded(): Database.Database {
    const { db } = this
    if (!db) throw noMirror(this.address)
    return db
  }

  close(): void {
    this.#opened?.db.close()
    this.#opened = undefined
    this.#rows = undefined
  }

  meta<K extends keyof MirrorMeta>(name: K): MirrorMeta[K] | undefined {
    return this.guard(
      () => this.db?.prepare('select value from meta where name = ?').pluck().get(name) as MirrorMeta[K] | undefined,
    )
  }

  /** One transaction: what it writes is there with the cursor, or neither is. */
  write(work: (rows: MirrorRows, put: (meta: Partial<MirrorMeta>) => void) => void): void {
    this.guard(() => {
      const db = this.loaded
      this.#rows ??= new MirrorRows(db)
      const rows = this.#rows
      db.transaction(() => work(rows, (meta) => putMeta(db, meta))).immediate()
    })
  }

  /** When it was last as the library. What is written to the disk of it may be half a minute older. */
  get syncedAt(): number | undefined {
    const written = this.meta('synced_at')
    return written === undefined ? undefined : (this.#syncedAt ?? written)
  }

  markSynced(nowMs: number): void {
    this.#syncedAt = nowMs
    // Also where the clock was set back.
    if (Math.abs(nowMs - (this.meta('synced_at') ?? 0)) >= writtenEveryMs) this.write((_, put) => put({ synced_at: nowMs }))
  }

  /** Throws ClientError `MIRROR_UNUSABLE` for a full disk and the like; a damaged file is taken away first, and that is `MIRROR_DAMAGED`. */
  guard<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      throw this.failure(cause)
    }
  }

  failure(cause: unknown): unknown {
    if (!(cause instanceof Database.SqliteError)) return isFullCode((cause as { code?: string })?.code) ? unusable(cause) : cause
    if (isRoomMissing(cause.code, this.files.folder)) return unusable(cause, 'the disk is full')
    if (!isDamage(cause)) return unusable(cause)
    return new ClientError('MIRROR_DAMAGED', `The mirror of ${this.address} is damaged.`, { cause })
  }

  /** Takes away what is there: what it holds can be loaded again. */
  discard(): void {
    this.close()
    const newest = this.files.newest()
    if (newest !== undefined) this.files.removeOne(newest)
    this.#syncedAt = undefined
  }

  #open(number: number): Database.Database | undefined {
    const path = this.files.path(number)
    try {
      const db = new Database(path, { timeout: busyMs, fileMustExist: true })
      try {
        db.pragma('journal_mode = wal')
        db.pragma('synchronous = normal')
        db.pragma(`cache_size = -${cacheKiB}`)
        if (db.pragma('user_version', { simple: true }) === version && this.#isOurs(db)) return db
      } catch (error) {
        db.close()
        throw error
      }
      db.close()
      return undefined
    } catch (cause) {
      // Another process removed it just now, since there is a newer one.
      if (!existsSync(path)) return this.files.newest() === number ? undefined : this.#open(this.files.newest() ?? number)
      throw this.failure(cause)
    }
  }

  /** Folders are named by hashes of addresses: what lies there says itself whose it is. */
  #isOurs = (db: Database.Database): boolean =>
    db.prepare("select value from meta where name = 'address'").pluck().get() === this.address
}

const writtenEveryMs = 30_000

const isDamage = ({ code }: { code: string }): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(code)

export const isDamaged = (error: unknown): boolean => error instanceof ClientError && error.code === 'MIRROR_DAMAGED'

export const noMirror = (address: string): ClientError =>
  new ClientError('NO_MIRROR', `There is no mirror of ${address} on this machine.`)

function unusable(cause: unknown, why = cause instanceof Error ? cause.message : String(cause)): ClientError {
  return new ClientError('MIRROR_UNUSABLE', `The mirror cannot be written: ${why}. What it held is kept.`, { cause })
}

export function putMeta(db: Database.Database, meta: Partial<MirrorMeta> & Record<string, unknown>): void {
  const put = db.prepare('insert or replace into meta (name, value) values (?, ?)')
  for (const [name, value] of Object.entries(meta)) put.run(name, value)
}

/** An empty one to be filled: what is written there counts only when all of it is. */
export function makeTables(db: Database.Database): void {
  db.exec(sqlOf('mirror.sql'))
  db.pragma(`user_version = ${version}`)
}

export const indexStatements = (): string[] =>
  sqlOf('mirror-indexes.sql')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

/** Opens what there is; makes nothing. */
export const openMirror = (folders: Folders, address: string): Mirror => new Mirror(folders, address)

/** Whether one was loaded for this workspace. */
export const hasMirror = (folders: Folders, address: string): boolean =>
  new MirrorFiles(mirrorFolder(folders, address)).newest() !== undefined

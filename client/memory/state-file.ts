/** SQLite files of `ph` itself: opened or made, replaced when damaged, brought to the present layout, safe for several processes. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { isRoomMissing } from '../../system/free-space.ts'
import { ClientError } from '../client-error.ts'

export interface Layout {
  /** Kept in the file as its `user_version`. */
  version: number
  /** SQL that makes every table that is not there. */
  schema: URL
  /** Tables by name. Those of a version that `upgrades` does not know are made anew: all of it can be learnt again. */
  tables: readonly string[]
  /** From older versions to this one: SQL that makes room for the schema, and SQL that fills it. */
  upgrades?: Record<number, { before: string; after: string }>
}

export interface StateFileOptions {
  layout: Layout
  /** The error for a folder that cannot be used; takes the reason. */
  unusable: (reason: string, cause: unknown) => ClientError
}

const busyMs = 10_000

/** One SQLite file. Whatever SQLite says against it is thrown as the error that its owner gave. */
export class StateFile {
  readonly db: Database.Database
  /** What was there could not be read, and it was begun anew. */
  readonly wasDamaged: boolean
  readonly #unusable: StateFileOptions['unusable']
  readonly #folder: string

  /** Opens or makes it, and its folder. A damaged file is replaced by an empty one. */
  constructor(path: string, { layout, unusable }: StateFileOptions) {
    this.#unusable = unusable
    this.#folder = dirname(path)
    const { db, wasDamaged } = this.guard(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      return openOrReplace(path)
    })
    this.db = db
    this.wasDamaged = wasDamaged
    if (this.guard(() => this.#version()) !== layout.version) this.write(() => this.#bring(layout))
  }

  close(): void {
    this.db.close()
  }

  /** One transaction that takes its lock at once, so that two processes wait for each other instead of failing in the middle. */
  write<T>(work: () => T): T {
    return this.guard(() => this.db.transaction(work).immediate())
  }

  guard<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      if (cause instanceof ClientError) throw cause
      const { code, message = String(cause) } = cause as { code?: string; message?: string }
      throw this.#unusable(isRoomMissing(code, this.#folder) ? 'the disk is full' : message, cause)
    }
  }

  #version = (): unknown => this.db.pragma('user_version', { simple: true })

  /** Two processes may come here at once: the second finds the work done. */
  #bring({ version, schema, tables, upgrades = {} }: Layout): void {
    const from = Number(this.#version())
    if (from === version) return
    const { before, after } = upgrades[from] ?? {
      before: tables.map((table) => `drop table if exists ${table};`).join(''),
      after: '',
    }
    this.db.exec(before + readFileSync(schema, 'utf8') + after)
    this.db.pragma(`user_version = ${version}`)
  }
}

function openOrReplace(path: string): { db: Database.Database; wasDamaged: boolean } {
  try {
    return { db: open(path), wasDamaged: false }
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) throw error
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    return { db: open(path), wasDamaged: true }
  }
}

function open(path: string): Database.Database {
  const db = new Database(path, { timeout: busyMs })
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = normal')
  return db
}

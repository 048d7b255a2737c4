/** Where a made-up library is: a database of its own on PostgreSQL, or a folder of PGlite; made when it is not there. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { openDatabase } from '../server/database/open.ts'
import type { Sql } from '../server/database/sql.ts'
import { libraryMs, usualWaits } from '../server/database/waits.ts'
import { isMade, makeLibrary } from './made-library.ts'
import { type Around, type PhServer, startPhOn, workspaceSlug } from './ph.ts'

export interface MadePlace {
  entries: number
  /** The database on PostgreSQL. */
  url: string | undefined
  start(around?: Around): Promise<Omit<PhServer, 'end'>>
  /** Works on its database while no server does. */
  alter(work: (sql: Sql) => Promise<void>): Promise<void>
  /** Deletes it. */
  remove(): Promise<void>
}

interface Wanted {
  work: string
  entries: number
  /** The address of a PostgreSQL whose user may create databases; without it, PGlite. */
  database: string | undefined
}

export async function placeOf({ work, entries, database }: Wanted): Promise<MadePlace> {
  const scratch = join(work, `library-${database ? 'postgres' : 'pglite'}-${entries}`)
  const own = database ? new OwnDatabase(database, `ph_search_${entries}`) : undefined
  const place: MadePlace = {
    entries,
    url: own?.url,
    start: (around) => startPhOn(scratch, own?.url, around),
    async alter(work) {
      // One statement makes a million rows.
      const waits = { ...usualWaits, readMs: libraryMs, writeMs: libraryMs }
      const opened = await openDatabase({ databaseUrl: own?.url, embeddedDir: embeddedDir(scratch), waits })
      try {
        await work(opened.sql)
      } finally {
        await opened.close()
      }
    },
    async remove() {
      await own?.drop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
  if (await isThere(place, scratch, own)) return place
  await place.remove()
  await own?.create()
  const first = await place.start()
  await first.stop()
  await place.alter((sql) => makeLibrary(sql, workspaceSlug, entries))
  await own?.settle()
  return place
}

/** As the server names it. */
const embeddedDir = (scratch: string): string => join(scratch, 'data', 'database')

async function isThere({ entries }: MadePlace, scratch: string, own: OwnDatabase | undefined): Promise<boolean> {
  if (own ? !(await own.exists()) : !existsSync(embeddedDir(scratch))) return false
  const opened = await openDatabase({ databaseUrl: own?.url, embeddedDir: embeddedDir(scratch) })
  try {
    return await isMade(opened.sql, entries)
  } finally {
    await opened.close()
  }
}

/** Settings for making it, which are taken back afterwards. */
const haste = { maintenance_work_mem: '512MB', work_mem: '256MB', synchronous_commit: 'off', jit: 'off' }

class OwnDatabase {
  readonly url: string
  readonly #address: string
  readonly #name: string

  constructor(address: string, name: string) {
    const url = new URL(address)
    url.pathname = `/${name}`
    this.url = url.href
    this.#address = address
    this.#name = name
  }

  async exists(): Promise<boolean> {
    const [row] = await this.#run(`select from pg_database where datname = '${this.#name}'`)
    return row !== undefined
  }

  async create(): Promise<void> {
    await this.#run(`create database ${this.#name}`)
    for (const [name, value] of Object.entries(haste)) await this.#run(`alter database ${this.#name} set ${name} = '${value}'`)
  }

  async settle(): Promise<void> {
    await this.#run(`alter database ${this.#name} reset all`)
  }

  async drop(): Promise<void> {
    await this.#run(`drop database if exists ${this.#name} with (force)`)
  }

  async #run(statement: string): Promise<postgres.RowList<postgres.Row[]>> {
    const sql = postgres(this.#address, { max: 1, onnotice: () => {} })
    try {
      return await sql.unsafe(statement)
    } finally {
      await sql.end()
    }
  }
}

/** Databases in the PostgreSQL that tests are told of. */
import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import postgres from 'postgres'
import { inject } from 'vitest'

export interface FreshPostgres {
  name: string
  url: string
  drop(): Promise<void>
}

/**
 * With PH_TEST_DATABASE_URL every server gets a database of its own there; without it, the embedded one. It is empty, or a copy of
 * `template`.
 */
export async function freshPostgres(template = 'template1'): Promise<FreshPostgres | undefined> {
  const admin = process.env.PH_TEST_DATABASE_URL
  if (!admin) return undefined
  const name = `ph_test_${randomBytes(6).toString('hex')}`
  const sql = postgres(admin, { max: 1, onnotice: () => {} })
  await sql`create database ${sql(name)} template ${sql(template)}`
  const url = new URL(admin)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    async drop() {
      await sql`drop database ${sql(name)} with (force)`
      await sql.end()
    },
  }
}

/** One with every migration done: the embedded one in this folder, or one in the PostgreSQL of the tests. */
export async function migratedDatabase(folder: string): Promise<FreshPostgres | undefined> {
  const { embedded, postgres } = inject('templates')
  if (embedded) cpSync(embedded, folder, { recursive: true })
  return freshPostgres(postgres)
}

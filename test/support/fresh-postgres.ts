/** A database of its own in the PostgreSQL that tests are told of. */
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

/** With PH_TEST_DATABASE_URL every server gets a database of its own there; without it, the embedded one. */
export async function freshPostgres(): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const admin = process.env.PH_TEST_DATABASE_URL
  if (!admin) return undefined
  const name = `ph_test_${randomBytes(6).toString('hex')}`
  const sql = postgres(admin, { max: 1, onnotice: () => {} })
  await sql`create database ${sql(name)}`
  const url = new URL(admin)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await sql`drop database ${sql(name)} with (force)`
      await sql.end()
    },
  }
}

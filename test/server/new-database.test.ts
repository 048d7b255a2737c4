/** A new embedded database begins with a copy of files that were made when the program was built: it is what initdb would make. */
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { expect, test } from 'vitest'
import { startTestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const built = fileURLToPath(new URL('../../dist/new-database', import.meta.url))
const isEmbedded = !process.env.PH_TEST_DATABASE_URL

/** What initdb decides: encoding and order of texts, and the objects that come with it. */
const decided = `
  select (select json_agg(d order by d.datname) from (
           select datname, pg_encoding_to_char(encoding) as encoding, datcollate, datctype, datlocprovider from pg_database) d) as databases,
         (select count(*)::int from pg_proc where oid < 16384) as functions,
         (select count(*)::int from pg_collation where oid < 16384) as collations,
         (select count(*)::int from pg_class where oid < 16384) as relations`

test.runIf(isEmbedded)('the files that the build made are the database that initdb makes', async () => {
  const { database } = await startTestServer()
  const [byInitdb] = await database.sql.unsafe(decided)
  const copy = join(temporaryFolder(), 'pglite')
  const [making = ''] = readdirSync(built)
  cpSync(join(built, making), copy, { recursive: true })
  const db = await PGlite.create(copy)
  const { rows } = await db.query(decided)
  await db.close()
  expect(rows).toEqual([byInitdb])
})

test.runIf(isEmbedded && process.platform !== 'win32')("a library's database belongs to its server alone", async () => {
  const data = temporaryFolder()
  const server = await startServerProcess(['--data', data])
  await server.stop()
  const database = join(data, 'database/pglite')
  expect(existsSync(join(database, 'PG_VERSION'))).toBe(true)
  const modeOf = (name: string): string => (statSync(join(database, name)).mode & 0o777).toString(8)
  expect([modeOf(''), modeOf('base'), modeOf('PG_VERSION')]).toEqual(['700', '700', '600'])
})

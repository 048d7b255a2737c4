/** Runs once before all tests: makes the database that every test server starts from a copy of, and a cache of compiled code for programs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../server/database/migrate.ts'
import { openDatabase } from '../../server/database/open.ts'
import { freshPostgres } from './fresh-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder, or the name of a database in the PostgreSQL of the tests. */
    templates: { embedded?: string; postgres?: string }
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'ph-template-'))
  const made = await freshPostgres()
  const database = await openDatabase({ databaseUrl: made?.url, embeddedDir: dir })
  await migrate(database, new Date())
  await database.close()
  project.provide('templates', made ? { postgres: made.name } : { embedded: dir })
  // Sources that programs of tests run are stripped of their types and compiled once, not by each of them.
  const compiled = mkdtempSync(join(tmpdir(), 'ph-compiled-'))
  process.env.NODE_COMPILE_CACHE = compiled
  return async () => {
    // Programs that end beside it still write there what they have compiled.
    rmSync(compiled, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    rmSync(dir, { recursive: true, force: true })
    await made?.drop()
  }
}

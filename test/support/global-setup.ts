/** Runs once before all tests: makes the database that every test server starts from a copy of, and a cache of compiled code for programs. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../server/database/migrate.ts'
import { openDatabase } from '../../server/database/open.ts'
import { freshPostgres } from './fresh-postgres.ts'
import { shortLived } from './ph-process.ts'

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
  compileBefore()
  return async () => {
    // Programs that end beside it still write there what they have compiled.
    rmSync(compiled, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    rmSync(dir, { recursive: true, force: true })
    await made?.drop()
  }
}

const workers = ['agent/watching/look-worker', 'agent/mirror/fill-worker']
const built = ['cli/main', 'cli/commands/server', 'cli/commands/agent', 'server/main', 'agent/main', ...workers]
const sources = ['agent/main', 'client/pull/pull', 'client/push/push', ...workers]
/** Modules of processes that tests kill. A process that is killed early writes nothing into the compile cache. */
const modules = [...built.map((file) => `dist/${file}.js`), ...sources.map((file) => `${file}.ts`)]
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Fills the compile cache, once for each set of flags: a process uses only code that was compiled with its own flags. */
function compileBefore(): void {
  const code = `${modules.map((file) => `await import(${JSON.stringify(`./${file}`)})`).join('\n')}\nprocess.exit(0)`
  for (const flags of [[], shortLived])
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', code], { cwd: root, stdio: 'inherit' })
}

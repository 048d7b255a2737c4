/** Runs once before all tests: makes the embedded database that every test server starts from a copy of. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../server/database/migrate.ts'
import { openDatabase } from '../../server/database/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    embeddedTemplate: string
  }
}

export default async function setup(project: TestProject): Promise<(() => void) | undefined> {
  if (process.env.PH_TEST_DATABASE_URL) {
    project.provide('embeddedTemplate', '')
    return undefined
  }
  const dir = mkdtempSync(join(tmpdir(), 'ph-template-'))
  const database = await openDatabase({ embeddedDir: dir })
  await migrate(database, new Date())
  await database.close()
  project.provide('embeddedTemplate', dir)
  return () => rmSync(dir, { recursive: true, force: true })
}

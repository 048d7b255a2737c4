/** Servers without a workspace, as a first start finds them; several of them on one database where that is PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readSettings } from '../../server/config.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import type { ProvisionFile } from '../../server/provision/file.ts'
import { freshPostgres } from './fresh-postgres.ts'
import { TestClock } from './server.ts'

export interface EmptyServer {
  /** Starts it, or one more; ended after the test. */
  start(provisioning?: ProvisionFile): Promise<RunningServer>
  clock: TestClock
  logLines: string[]
}

/** Its data is gone after the test. */
export async function emptyServer(): Promise<EmptyServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ph-empty-'))
  const database = await freshPostgres()
  const clock = new TestClock()
  const logLines: string[] = []
  const running: RunningServer[] = []
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one.stop()))
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })
  const settings = { ...readSettings({ port: '0', data: dataDir }, {}, dataDir), databaseUrl: database?.url }
  return {
    clock,
    logLines,
    async start(provisioning) {
      const log = { write: (line: string) => logLines.push(line) }
      const one = await startServer({ settings, clock, log, ...(provisioning && { provisioning }) })
      running.push(one)
      return one
    },
  }
}

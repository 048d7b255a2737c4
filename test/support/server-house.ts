/** A data folder with a workspace, whose servers and administrative commands are processes of their own. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openDatabase } from '../../server/database/open.ts'
import type { WorkspaceEntry } from '../../server/provision/file.ts'
import { provision } from '../../server/provision/provision.ts'
import { afterFile } from './after-file.ts'
import { migratedDatabase } from './fresh-postgres.ts'
import { type ProcessEnding, phProcess } from './ph-process.ts'
import { type Keys, workspaceOf } from './server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerHouse {
  data: string
  /** What commands and servers are told of the database. */
  env: Record<string, string>
  /** The workspace `acme`, as the database got it. */
  workspace: WorkspaceEntry
  keys: Keys
  /** The folder of the server that runs, in which its socket is. */
  controlFolder(): string
  start(args?: readonly string[], env?: Record<string, string>): Promise<ServerProcess>
  /** Words behind `ph server`. */
  administer(words: readonly string[], how?: Parameters<typeof phProcess>[1]): Promise<ProcessEnding>
}

/** Gone, with whichever servers live, when the test is over. */
export const serverHouse = (data = join(temporaryFolder(), 'data')): Promise<ServerHouse> => furnish(data, onTestFinished)

/** The same for all tests of a file, and gone after them. */
export function serverHouseOfFile(): Promise<ServerHouse> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ph-test-')))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return furnish(join(folder, 'data'), afterFile)
}

type AtItsEnd = (ending: () => Promise<void> | void) => void

async function furnish(data: string, atItsEnd: AtItsEnd): Promise<ServerHouse> {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const postgres = await migratedDatabase(join(data, 'database'))
  if (postgres) atItsEnd(() => postgres.drop())
  const env: Record<string, string> = postgres ? { PH_DATABASE_URL: postgres.url } : {}
  const { workspace, keys } = workspaceOf('acme')
  const administer: ServerHouse['administer'] = (words, how = {}) =>
    phProcess(['server', ...words, '--data', data], { ...how, env: { ...env, ...how.env } })
  await provisionHere(workspace, { databaseUrl: postgres?.url, embeddedDir: join(data, 'database') })
  return {
    data,
    env,
    workspace,
    keys,
    administer,
    controlFolder() {
      const parent = join(data, 'control')
      return join(parent, String(readdirSync(parent).find((name) => name.startsWith('p-'))))
    },
    async start(args = [], more = {}) {
      const server = await startServerProcess(['--data', data, ...args], { env: { ...env, ...more } })
      atItsEnd(async () => {
        if (server.isAlive()) await server.kill()
      })
      return server
    },
  }
}

/** In this process, which has the program loaded already. */
async function provisionHere(workspace: WorkspaceEntry, where: Parameters<typeof openDatabase>[0]): Promise<void> {
  const database = await openDatabase({ ...where, cacheMiB: 16 })
  await provision(database, { workspaces: [workspace] }, new Date())
  await database.close()
}

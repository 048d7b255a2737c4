/** A data folder with a workspace, whose servers and administrative commands are processes of their own. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { migratedDatabase } from './fresh-postgres.ts'
import { type ProcessEnding, phProcess } from './ph-process.ts'
import { type Keys, workspaceOf } from './server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerHouse {
  data: string
  /** What commands and servers are told of the database. */
  env: Record<string, string>
  /** Of the workspace `acme`. */
  keys: Keys
  /** The folder of the server that runs, in which its socket is. */
  controlFolder(): string
  start(args?: readonly string[], env?: Record<string, string>): Promise<ServerProcess>
  /** Words behind `ph server`. */
  administer(words: readonly string[], how?: Parameters<typeof phProcess>[1]): Promise<ProcessEnding>
}

/** Gone, with whichever servers live, when the test is over. */
export async function serverHouse(data = join(temporaryFolder(), 'data')): Promise<ServerHouse> {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const postgres = await migratedDatabase(join(data, 'database'))
  if (postgres) onTestFinished(() => postgres.drop())
  const env: Record<string, string> = postgres ? { PH_DATABASE_URL: postgres.url } : {}
  const { workspace, keys } = workspaceOf('acme')
  const administer: ServerHouse['administer'] = (words, how = {}) =>
    phProcess(['server', ...words, '--data', data], { ...how, env: { ...env, ...how.env } })
  const file = join(temporaryFolder(), 'team.json')
  writeFileSync(file, JSON.stringify({ workspaces: [workspace] }))
  const provisioned = await administer(['provision', file])
  if (provisioned.code !== 0) throw new Error(provisioned.stderr)
  return {
    data,
    env,
    keys,
    administer,
    controlFolder() {
      const parent = join(data, 'control')
      return join(parent, String(readdirSync(parent).find((name) => name.startsWith('p-'))))
    },
    async start(args = [], more = {}) {
      const server = await startServerProcess(['--data', data, ...args], { env: { ...env, ...more } })
      onTestFinished(async () => {
        if (server.isAlive()) await server.kill()
      })
      return server
    },
  }
}

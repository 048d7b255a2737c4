/** Opens the database for a server: waits for a process that is about to let it go, and names a server that will not. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { TellTrouble } from '../database/embedded/embedded.ts'
import { FolderInUse } from '../database/embedded/hold-folder.ts'
import { type Database, openDatabase } from '../database/open.ts'
import type { Waits } from '../database/waits.ts'
import { findServers } from './control-client.ts'

/** A server that ends takes up to five seconds, a command of an administrator mostly less. */
const patienceMs = 20_000
const pauseMs = 200

/** Throws what keeps it from opening; of another server on the folder, where it is. */
export async function takeDatabase(
  { databaseUrl, dataDir, networkDisk }: Settings,
  tell: TellTrouble,
  waits?: Waits,
): Promise<Database> {
  const embeddedDir = join(dataDir, 'database')
  const until = systemClock.now().getTime() + patienceMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await openDatabase({ databaseUrl, embeddedDir, networkDisk, tell, waits })
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error
      const [server] = (await findServers(dataDir)).servers
      if (server) {
        const { pid, host, url } = server.presence
        throw new FolderInUse(embeddedDir, `process ${pid} on ${host}, at ${url}`)
      }
      if (systemClock.now().getTime() > until) throw error
    }
    if (isFirst)
      tell(`Another process has the database in ${embeddedDir} open. Waiting up to ${patienceMs / 1000} seconds for it.`)
    await sleep(pauseMs)
  }
}

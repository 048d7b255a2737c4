/** Opens the database of a data folder, also when another process is about to let it go. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { TellTrouble } from '../database/embedded/embedded.ts'
import { FolderInUse } from '../database/embedded/hold-folder.ts'
import { type Database, openDatabase } from '../database/open.ts'
import type { Waits } from '../database/waits.ts'
import { type FoundServer, findServers } from './control-client.ts'

const pauseMs = 200

export interface Taking {
  /** How long it waits for a process that has the database open and is no server that answers. */
  patienceMs: number
  /** Told once, before it waits. */
  onWait(): void
  signal?: AbortSignal
  /** What the database itself is opened with. */
  tell?: TellTrouble
  waits?: Waits | undefined
}

export const embeddedFolder = ({ dataDir }: Settings): string => join(dataDir, 'database')

/** The database, or the running server that has it. Throws FolderInUse when another process does not let it go. */
export async function takeDatabase(settings: Settings, taking: Taking): Promise<Database | FoundServer> {
  const { databaseUrl, dataDir, networkDisk, databaseCacheMiB: cacheMiB } = settings
  const embeddedDir = embeddedFolder(settings)
  const { patienceMs, onWait, signal, tell, waits } = taking
  const until = systemClock.now().getTime() + patienceMs
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted()
    try {
      return await openDatabase({ databaseUrl, embeddedDir, cacheMiB, networkDisk, tell, waits })
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error
      const [server] = (await findServers(dataDir)).servers
      if (server) return server
      if (systemClock.now().getTime() > until) throw error
    }
    if (isFirst) onWait()
    await sleep(pauseMs, undefined, { signal })
  }
}

/** A server that ends takes up to five seconds, a command of an operator mostly less. */
const startPatienceMs = 20_000

/** For a server that starts: of another one on the folder it says where it is. */
export async function takeDatabaseForStart(settings: Settings, tell: TellTrouble, waits?: Waits): Promise<Database> {
  const embeddedDir = embeddedFolder(settings)
  const seconds = startPatienceMs / 1000
  const onWait = () => tell(`Another process has the database in ${embeddedDir} open. Waiting up to ${seconds} seconds for it.`)
  const taken = await takeDatabase(settings, { patienceMs: startPatienceMs, onWait, tell, waits })
  if (!('presence' in taken)) return taken
  const { pid, host, url } = taken.presence
  throw new FolderInUse(embeddedDir, `process ${pid} on ${host}, at ${url}`)
}

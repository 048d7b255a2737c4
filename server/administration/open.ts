/** The way to administer a server: through its socket while it runs, else with its database, which nobody else has open then. */
import { mkdirSync } from 'node:fs'
import { ApiError } from '../../contract/errors.ts'
import { operator } from '../../contract/operator.ts'
import type { InputOf, Route } from '../../contract/route.ts'
import { systemClock } from '../clock.ts'
import type { Settings } from '../config.ts'
import { isEmbeddedIn } from '../database/embedded/embedded.ts'
import { FolderInUse } from '../database/embedded/hold-folder.ts'
import { explainDatabase } from '../database/failure.ts'
import { migrate, schemaState } from '../database/migrate.ts'
import type { Database } from '../database/open.ts'
import { openLog } from '../monitoring/log.ts'
import { openFilesAlone } from '../storage/open.ts'
import { type AuditRecord, keepRecord } from './audit-log.ts'
import { requireRestored } from './backup/restore-mark.ts'
import { type FoundServer, findServers, operatorApiOf, type Presence, patienceFor } from './control-client.ts'
import { databaseMark } from './control-note.ts'
import { isOwnerOf, userName } from './doctor/permissions.ts'
import { operatorApiOn } from './operator.ts'
import { type OperatorApi, operatorApi } from './operator-api.ts'
import { imagineProvision } from './provisioning.ts'
import { embeddedFolder, takeDatabase } from './take-database.ts'

export interface Administration {
  /** The server that answers; undefined while none runs. */
  server: Presence | undefined
  api: OperatorApi
  close(): Promise<void>
}

export interface Reaching {
  settings: Settings
  /** What is done where there is no database. To imagine: only provisioning is asked, to say what it would do. */
  ifNone: 'refuse' | 'make' | 'imagine'
  /** Says something to the operator beside the answer: what is waited for, and what no log will tell. */
  tell(sentence: string): void
  signal: AbortSignal
}

/** As long as a server may take to start, or to stop. */
const patienceMs = 60_000

/**
 * Throws FORBIDDEN to whom the data folder does not belong, NOT_FOUND where there is no database, UNAVAILABLE when another process
 * has it open and does not let go. SettingError where half of a backup was brought back.
 */
export async function openAdministration(reaching: Reaching): Promise<Administration> {
  const { settings, ifNone, signal } = reaching
  const by = userOfSystem()
  signal.throwIfAborted()
  requireRestored(settings.dataDir)
  const { servers } = await findServers(settings.dataDir)
  const server = servers.find(({ presence }) => servesOurDatabase(presence, settings))
  if (server) return throughServer(server, { by, signal })
  if (settings.databaseUrl === undefined && !prepareFolder(reaching)) return withNothing
  const taken = await takeFree(reaching)
  if ('presence' in taken) return throughServer(taken, { by, signal })
  const database = await (ifNone === 'imagine' ? unchanged(taken) : migrated(taken))
  return database === 'none' ? withNothing : withDatabase(database, reaching, by)
}

/** Who asks, as far as the system knows. */
function userOfSystem(): string {
  const before = process.env.SUDO_USER
  return before ? `${userName()} (sudo of ${before})` : userName()
}

/** A server on this data folder may work on another database than the one that the environment names. */
const servesOurDatabase = ({ database_mark }: Presence, settings: Settings): boolean =>
  settings.databaseUrl === undefined || database_mark === databaseMark(settings)

function throughServer(found: FoundServer, { by, signal }: { by: string; signal: AbortSignal }): Administration {
  const within = (route: Route) => AbortSignal.any([signal, AbortSignal.timeout(patienceFor(route))])
  return { server: found.presence, api: operatorApiOf(found, { by, signal: within }), close: async () => {} }
}

function withDatabase(database: Database, { settings, tell }: Reaching, by: string): Administration {
  const record = (done: AuditRecord) => {
    if (!keepRecord(settings.dataDir, done)) tell(`No server log records this, so write it down: ${JSON.stringify(done)}`)
  }
  let place: ReturnType<typeof openFilesAlone> | undefined
  const files = async () => {
    place ??= openFilesAlone({ settings, database, clock: systemClock, log: openLog('none') })
    return (await place).files
  }
  const api = operatorApiOn({ database, settings, clock: systemClock, isServer: false, files, record }, by)
  const close = async () => {
    ;(await place?.catch(() => undefined))?.close()
    await database.close()
  }
  return { server: undefined, api, close }
}

const withNothing: Administration = {
  server: undefined,
  api: operatorApi(async (route, input) => {
    if (route !== operator.provisioning.apply) throw new Error(`${route.method} ${route.path} needs a database`)
    return imagineProvision(input as InputOf<typeof operator.provisioning.apply>)
  }),
  close: async () => {},
}

/** Whether there is, or may be made, an embedded database; false where that is imagined. */
function prepareFolder({ settings, ifNone }: Reaching): boolean {
  const { dataDir } = settings
  const embeddedDir = embeddedFolder(settings)
  const isThere = isEmbeddedIn(embeddedDir)
  if (!isThere && ifNone === 'imagine') return false
  if (!isThere && ifNone === 'refuse') throw noDatabase(dataDir)
  if (!isOwnerOf(dataDir) || !isOwnerOf(embeddedDir)) throw notOwner(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return true
}

/** The database, or a server that began to serve it meanwhile. */
async function takeFree({ settings, tell, signal }: Reaching): Promise<Database | FoundServer> {
  const onWait = () => tell(`Another process has the database in ${settings.dataDir} open. Waiting for it.`)
  try {
    return await takeDatabase(settings, { patienceMs, onWait, signal })
  } catch (error) {
    throw error instanceof FolderInUse ? heldTooLong(settings) : error
  }
}

/** Like a start of the server. */
const migrated = (database: Database): Promise<Database> =>
  orClosed(database, async () => {
    await migrate(database, systemClock.now())
    return database
  })

/** Where nothing may change, migrations neither. */
const unchanged = (database: Database): Promise<Database | 'none'> =>
  orClosed(database, async () => {
    const { waiting, isEmpty } = await schemaState(database.sql)
    if (isEmpty) {
      await database.close()
      return 'none'
    }
    if (waiting.length === 0) return database
    throw new ApiError(
      'CONFLICT',
      `${waiting.length} migrations of the database wait for the next start of a server. Start it first.`,
    )
  })

async function orClosed<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await database.close()
    throw explainDatabase(error, database.location)
  }
}

const noDatabase = (dataDir: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `No server runs on ${dataDir}, and there is no database in it. Start one there, or name another folder with --data.`,
  )

const notOwner = (dataDir: string): ApiError =>
  new ApiError(
    'FORBIDDEN',
    `${dataDir} belongs to another user than ${userName()}: what is written there now, its server could not open.`,
    {
      reason: 'not_owner',
    },
  )

const heldTooLong = ({ dataDir }: Settings): ApiError =>
  new ApiError('UNAVAILABLE', `Another process has the database in ${dataDir} open, and does not answer on its control socket.`, {
    reason: 'held',
  })

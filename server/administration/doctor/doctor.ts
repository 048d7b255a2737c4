/** What `ph server doctor` finds: by asking the server that runs, or by looking at what it would find when it is started. */

import type { FoundNote } from '../../../serving/local-note.ts'
import { type Finding, fault, fine, note, warning } from '../../../system/finding.ts'
import { systemClock } from '../../clock.ts'
import type { Settings, ToldSetting } from '../../config.ts'
import { isEmbeddedIn } from '../../database/embedded/embedded.ts'
import { FolderInUse } from '../../database/embedded/hold-folder.ts'
import { openDatabase } from '../../database/open.ts'
import { type FoundServer, findServers, operatorApiOf, type Presence } from '../control-client.ts'
import { embeddedFolder } from '../take-database.ts'
import { lookAtDatabase } from './database.ts'
import { lookAt } from './look.ts'
import { lookAround } from './look-at-all.ts'
import { isOwnerOf, lookAtDataFolder } from './permissions.ts'

export interface Examination {
  server: Presence | null
  /** Those of the server where one runs, else those of this command. */
  settings: readonly ToldSetting[]
  findings: readonly Finding[]
}

/** The looks of the server take ten seconds at most, all at once. */
const examineMs = 15_000

/** Makes no database and migrates none; never throws for what is wrong with the server. */
export async function examineServer(settings: Settings): Promise<Examination> {
  const { dataDir } = settings
  const notOwner = isOwnerOf(dataDir) ? [] : lookAtDataFolder(dataDir)
  let found: Awaited<ReturnType<typeof findServers>>
  try {
    found = await findServers(dataDir)
  } catch (error) {
    return { server: null, settings: settings.told, findings: notOwner.length > 0 ? notOwner : [failureOf(error)] }
  }
  const [server, ...others] = found.servers
  if (server) return askServer(server, others)
  if (notOwner.length > 0) return { server: null, settings: settings.told, findings: notOwner }
  return { server: null, settings: settings.told, findings: await examineHere(settings, found.silent) }
}

const failureOf = (error: unknown): Finding =>
  fault('server', error instanceof Error ? error.message : String(error), 'Run this as the user whom the data folder belongs to.')

const presenceIn = ({ presence: { pid, host, url, started_at } }: FoundServer): Finding =>
  fine('server', `It runs: process ${pid} on ${host}, at ${url}, since ${started_at}.`)

async function askServer(server: FoundServer, others: readonly FoundServer[]): Promise<Examination> {
  const running = [server, ...others].map(presenceIn)
  const { presence } = server
  try {
    const api = operatorApiOf(server, { by: 'ph server doctor', signal: () => AbortSignal.timeout(examineMs) })
    const { settings, findings } = await api.doctor.examine()
    return { server: presence, settings, findings: [...running, ...findings] }
  } catch (error) {
    const why = error instanceof Error && error.name === 'TimeoutError' ? 'it did not answer in time.' : failureOf(error).said
    const findings = [...running, fault('examination', `The server could not examine itself: ${why}`, 'See its log.')]
    return { server: presence, settings: [], findings }
  }
}

/** After a crash the embedded database is recovered first, and on a disk of the network the note of its last owner is watched for 16 s. */
const openingMs = 60_000

async function examineHere(settings: Settings, silent: readonly FoundNote[]): Promise<Finding[]> {
  const [inside, outside] = await Promise.all([
    lookAt('database', () => examineDatabase(settings, silent), openingMs),
    lookAround({ settings, clock: systemClock, isRunning: false }),
  ])
  return [...inside, ...outside]
}

/** Opened as a server would, for a moment. */
async function examineDatabase(settings: Settings, silent: readonly FoundNote[]): Promise<Finding[]> {
  const { databaseUrl, dataDir, networkDisk } = settings
  const embeddedDir = embeddedFolder(settings)
  const none = note('server', `None runs on ${dataDir}.`, 'Start it: ph server start')
  if (databaseUrl === undefined && !isEmbeddedIn(embeddedDir))
    return [none, note('database', `${embeddedDir} is not there yet; the first start makes it.`)]
  try {
    const database = await openDatabase({ databaseUrl, embeddedDir, networkDisk })
    try {
      return [none, ...(await lookAtDatabase(database, systemClock))]
    } finally {
      await database.close()
    }
  } catch (error) {
    return error instanceof FolderInUse
      ? [heldBy(silent, dataDir)]
      : [none, fault('database', failureOf(error).said, 'Fix that; a server would not start either.')]
  }
}

function heldBy(silent: readonly FoundNote[], dataDir: string): Finding {
  const last = silent.at(-1)?.note
  if (last === undefined)
    return warning(
      'server',
      `A process has the database in ${dataDir} open and does not take commands: it is a command of an administrator, or a server that is starting or stopping.`,
      'Run this again in a few seconds.',
    )
  return fault(
    'server',
    `A process has the database in ${dataDir} open and does not answer; the last server there was process ${last.pid} on ${last.host}, at ${last.url}.`,
    `See its log. If it hangs, end it: kill ${last.pid}, and kill -9 ${last.pid} if that does not help; nothing acknowledged is lost.`,
  )
}

/** Starts the server: settings, database, storage, provisioning, then listening; and ends it cleanly. */

import { existsSync, mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { issueSetupCode } from './accounts/setup.ts'
import { logProvisioned, logRecord, tellKeptRecords } from './administration/audit-log.ts'
import { requireRestored } from './administration/backup/restore-mark.ts'
import { openControlSocket } from './administration/control-socket.ts'
import { type OperatorParts, operatorSocket } from './administration/operator.ts'
import { takeDatabaseForStart } from './administration/take-database.ts'
import { type Clock, systemClock } from './clock.ts'
import { SettingError, type Settings } from './config.ts'
import { explainDatabase } from './database/failure.ts'
import { migrate } from './database/migrate.ts'
import type { Database } from './database/open.ts'
import { usualWaits, type Waits } from './database/waits.ts'
import { capacityOf, usualCapacity } from './front-door/capacity.ts'
import { FrontDoor } from './front-door/enter.ts'
import { Places } from './front-door/places.ts'
import { buildApp } from './http/app.ts'
import { type Address, listen, requireFreePort } from './http/listening.ts'
import { leastPace } from './http/slow-bodies.ts'
import { LiveFeeds } from './live/live-feeds.ts'
import { EmbedderThread } from './looks/embedder-thread.ts'
import { type Logger, type LogTo, openLog } from './monitoring/log.ts'
import { type ProvisionFile, readProvisionFile } from './provision/file.ts'
import { provision } from './provision/provision.ts'
import { Catalogs } from './search/catalog/catalogs.ts'
import type { Pace, Services } from './services.ts'
import type { CountedStorage } from './storage/counting/counted-storage.ts'
import type { Ledger } from './storage/counting/ledger.ts'
import { openStorage } from './storage/open.ts'
import { openDeliveries } from './webhooks/deliveries.ts'
import { jobsOf } from './work/jobs.ts'
import { endLeases } from './work/leases.ts'
import { NotedHead } from './work/noted-head.ts'
import { startPreviews } from './work/previews.ts'
import { Runner } from './work/runner.ts'

export interface RunningServer {
  /** `http://127.0.0.1:7410` */
  url: string
  database: Database
  storage: CountedStorage
  ledger: Ledger
  app: FastifyInstance
  work: Runner
  /** Makes what is wanted now; where the server makes previews. */
  lookForPreviews: (() => Promise<void>) | undefined
  /** Where the first workspace is made, with a code that works once; undefined where there is one. */
  setupAddress: string | undefined
  /** Why it can serve no longer, and has to be stopped. Mostly for ever pending. */
  failed: Promise<string>
  /** Finishes requests under way, for at most five seconds, then closes everything. */
  stop(): Promise<void>
}

export interface StartOptions {
  settings: Settings
  clock?: Clock
  log?: LogTo
  /** Applied like a provisioning file; for tests and the demo. */
  provisioning?: ProvisionFile
  /** How slowly the bodies of requests may come; for tests. */
  pace?: Partial<Pace>
  /** How many connections are kept; for tests. */
  connections?: number
  /** How long the database may keep requests waiting; for tests. */
  waits?: Waits
  /** How often is looked for background work that is due; for tests. */
  lookMs?: number
  /** Opens the embedder; for tests. */
  embedderModule?: URL
  /** Where names of webhook endpoints are looked up; for tests. */
  nameServers?: readonly string[]
}

export async function startServer({
  settings,
  clock = systemClock,
  log: logTo = 'stderr',
  provisioning,
  pace,
  connections,
  waits,
  lookMs,
  embedderModule,
  nameServers,
}: StartOptions): Promise<RunningServer> {
  const log = openLog(logTo)
  const file = provisioning ?? (settings.provisionFile ? readProvisionFile(settings.provisionFile) : undefined)
  // A start that will fail for its port must not leave a library behind that nobody asked for.
  if (!existsSync(settings.dataDir)) await requireFreePort(addressIn(settings))
  makeDataFolder(settings.dataDir)
  requireRestored(settings.dataDir)
  const database = await takeDatabaseForStart(settings, (sentence) => log.error(sentence), waits)
  try {
    await migrate(database, clock.now())
    tellKeptRecords(settings.dataDir, log)
    const frontDoor = new FrontDoor({ database, settings, clock })
    const around = { database, settings, clock, log, frontDoor, catalogs: new Catalogs({ database, clock }) }
    const embedder = new EmbedderThread({ setting: settings.embedder, clock, log, module: embedderModule })
    const room = roomFor(connections, clock)
    const live = new LiveFeeds({ database, clock, unheardMs: (waits ?? usualWaits).readMs, most: room.capacity.live })
    const deliveries = await openDeliveries({ database, clock, settings, nameServers })
    const opened = await openStorage({ ...around, answers: room.answers })
    const notedHead = await NotedHead.open({ database, clock, log, note: opened.headNote })
    const setupCode = await provisionAtStart(database, file, { log, now: clock.now() })
    const services = {
      ...around,
      embedder,
      live,
      deliveries,
      ...room,
      pace: { ...leastPace, ...pace },
      ...opened,
    }
    const app = await buildApp(services)
    app.addHook('onClose', () => live.close())
    app.addHook('onClose', () => closeFrontDoor(frontDoor, log))
    await listen(app, addressIn(settings))
    const [{ storage, ledger, files }, url] = [opened, addressOf(app)]
    await openMetrics(app, settings, log)
    const record: OperatorParts['record'] = (one) => logRecord(log, one)
    const operator = { database, settings, clock, isServer: true, files: async () => files, record }
    const control = await openControlSocket({ ...operatorSocket(operator, url), log })
    const work = new Runner(
      { database, clock, log },
      jobsOf({ clock, database, frontDoor, files, embedder, deliveries, notedHead }),
    )
    if (database.kind === 'embedded') await endLeases(database.sql)
    work.start(lookMs)
    const previews = settings.previews ? startPreviews({ database, clock, log, storage }, lookMs) : undefined
    const end = async () => {
      await Promise.all([control.close(), close(app), work.stop(), previews?.stop(), deliveries.stop()])
      await Promise.all([embedder.close(), notedHead.close()])
      await database.close()
      await new Promise<void>((resolve) => log.flush(resolve))
    }
    return {
      url,
      database,
      storage,
      ledger,
      app,
      work,
      lookForPreviews: previews?.look,
      setupAddress: setupCode && `${settings.publicUrl ?? url}/setup?code=${setupCode}`,
      failed: database.lost,
      stop: end,
    }
  } catch (error) {
    await database.close()
    throw explainDatabase(error, database.location)
  }
}

function roomFor(connections: number | undefined, clock: Clock): Pick<Services, 'capacity' | 'bodies' | 'answers'> {
  const capacity = connections === undefined ? usualCapacity() : capacityOf(connections)
  return {
    capacity,
    bodies: new Places({ most: capacity.bodies, words: 'requests whose bodies come in', clock }),
    answers: new Places({ most: capacity.answers, words: 'downloads and exports', clock }),
  }
}

/** Gives the setup code, where there is no workspace. */
async function provisionAtStart(
  database: Database,
  file: ProvisionFile | undefined,
  { log, now }: { log: Logger; now: Date },
): Promise<string | undefined> {
  try {
    if (file) logProvisioned(log, await provision(database, file, now), now)
    return await issueSetupCode(database.sql)
  } catch (error) {
    const isFault = error instanceof ApiError && error.code === 'VALIDATION'
    throw isFault ? new SettingError(`The provisioning file does not fit what is there: ${error.message}.`) : error
  }
}

const addressIn = ({ host, port }: Settings): Address => ({ host, port })

function makeDataFolder(dir: string): void {
  try {
    makeFolders(dir)
  } catch (error) {
    throw new SettingError(
      `The data folder ${dir} cannot be made (${(error as NodeJS.ErrnoException).code}). Choose another with --data or PH_DATA.`,
    )
  }
}

/** Not with `recursive`: below /proc Node tries that for ever, and hears no signal while it does. */
function makeFolders(dir: string): void {
  if (existsSync(dir)) return
  if (dirname(dir) !== dir) makeFolders(dirname(dir))
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens nowhere')
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/** A port that cannot be had stops the start: what listens already is closed. */
async function openMetrics(app: FastifyInstance, settings: Settings, log: Logger): Promise<void> {
  try {
    await app.metrics.open(settings, (app.server.address() as AddressInfo).port, log)
  } catch (error) {
    await close(app)
    throw error
  }
}

/** What was noted since the last time is written down. */
async function closeFrontDoor(frontDoor: FrontDoor, log: Logger): Promise<void> {
  frontDoor.close()
  await frontDoor.tidy().catch((err: unknown) => log.warn({ err }, 'uses of keys could not be written down'))
}

async function close(app: FastifyInstance): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), 4_000)
  await app.close()
  clearTimeout(impatience)
}

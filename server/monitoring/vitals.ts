/** How the server is doing, in numbers: read from the database, the storage and the process when a monitor asks. */

import type { EventLoopUtilization } from 'node:perf_hooks'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../services.ts'

/** What could not be read is left out. */
export interface Vitals {
  isDatabaseUp: number
  databaseAnswerSeconds?: number
  databaseBytes?: number
  isStorageUp: number
  storedBytes?: number
  looseFiles?: number
  memoryBytes: number
  cpuSeconds: number
  eventLoopBusy: number
  rememberedKeys: number
  liveStreams: number
  connections: number
  requestsWaiting: number
  bodies: number
  answers: number
  queues: Record<string, number>
}

/** Connections, as the application counts them. */
export interface Counted {
  connections: { count: number; waiting: number }
}

/** Nothing is counted beyond this: a look must not read a table of millions. */
const mostCounted = 10_001

export async function readVitals({
  database,
  storage,
  ledger,
  frontDoor,
  live,
  bodies,
  answers,
  connections,
  log,
}: Pick<Services, 'database' | 'storage' | 'ledger' | 'frontDoor' | 'live' | 'bodies' | 'answers' | 'log'> &
  Counted): Promise<Vitals> {
  const started = performance.now()
  const [rows, isStorageUp] = await Promise.all([
    settled(counts(database.sql), (err) => log.warn({ err }, 'the database could not be checked')),
    settled(
      storage.check().then(() => true),
      (err) => log.warn({ err }, 'the storage could not be checked'),
    ),
  ])
  const { user, system } = process.cpuUsage()
  return {
    isDatabaseUp: rows ? 1 : 0,
    ...(rows ? { databaseAnswerSeconds: (performance.now() - started) / 1000, ...rows.sizes } : {}),
    isStorageUp: isStorageUp ? 1 : 0,
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    eventLoopBusy: busySinceLast(),
    rememberedKeys: frontDoor.rememberedKeys,
    liveStreams: live.count,
    connections: connections.count,
    requestsWaiting: connections.waiting,
    bodies: bodies.count,
    answers: answers.count,
    queues: { uploads_to_write_down: ledger.waiting, ...rows?.queues },
  }
}

let lastLook: EventLoopUtilization | undefined

function busySinceLast(): number {
  const now = performance.eventLoopUtilization()
  const { utilization } = lastLook ? performance.eventLoopUtilization(now, lastLook) : now
  lastLook = now
  return utilization
}

/** A monitor wants to see that something is down, and all the rest. */
async function settled<T>(attempt: PromiseLike<T>, failed: (error: unknown) => void): Promise<T | undefined> {
  try {
    return await attempt
  } catch (error) {
    failed(error)
    return undefined
  }
}

interface Counts {
  database_bytes: number
  stored_bytes: number
  loose_files: number
  queued: number
  claimed: number
  previews: number
  thumbnails: number
}

async function counts(
  sql: Sql,
): Promise<{ sizes: Pick<Vitals, 'databaseBytes' | 'storedBytes' | 'looseFiles'>; queues: Vitals['queues'] }> {
  const some = (rows: ReturnType<typeof sql>) => sql`(select count(*) from (${rows} limit ${mostCounted}) as those)`
  const [row] = await sql<Counts[]>`
    select pg_database_size(current_database()) as database_bytes,
           (select coalesce(sum(stored_bytes), 0)::bigint from workspaces) as stored_bytes,
           ${some(sql`select 1 from loose_files`)} as loose_files,
           ${some(sql`select 1 from pull_jobs where status = 'queued'`)} as queued,
           ${some(sql`select 1 from pull_jobs where status in ('claimed', 'running')`)} as claimed,
           ${some(sql`select 1 from entries where wants_preview and status = 'active'`)} as previews,
           ${some(sql`select 1 from entries where wants_thumbnail and status = 'active'`)} as thumbnails`
  if (!row) throw new Error('the database counted nothing')
  const { queued, claimed, previews, thumbnails } = row
  return {
    sizes: { databaseBytes: row.database_bytes, storedBytes: row.stored_bytes, looseFiles: row.loose_files },
    queues: { pull_jobs_queued: queued, pull_jobs_claimed: claimed, previews, thumbnails },
  }
}

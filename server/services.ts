/** What the server is made of, for those that answer requests. */
import type { FastifyInstance } from 'fastify'
import type { Clock } from './clock.ts'
import type { Settings } from './config.ts'
import type { Database } from './database/open.ts'
import type { Capacity } from './front-door/capacity.ts'
import type { FrontDoor } from './front-door/enter.ts'
import type { Places } from './front-door/places.ts'
import type { LiveFeeds } from './live/live-feeds.ts'
import type { EmbedderThread } from './looks/embedder-thread.ts'
import type { ProcessLog } from './monitoring/log.ts'
import type { Catalogs } from './search/catalog/catalogs.ts'
import type { CountedStorage } from './storage/counting/counted-storage.ts'
import type { Ledger } from './storage/counting/ledger.ts'
import type { Deliveries } from './webhooks/deliveries.ts'

export interface Services {
  database: Database
  storage: CountedStorage
  settings: Settings
  clock: Clock
  log: ProcessLog
  frontDoor: FrontDoor
  catalogs: Catalogs
  embedder: EmbedderThread
  live: LiveFeeds
  deliveries: Deliveries
  /** What came in and is not written down yet. */
  ledger: Ledger
  capacity: Capacity
  /** For bodies that come in. */
  bodies: Places
  /** For answers that are sent as they are read. */
  answers: Places
  /** How slowly requests may come; tests are less patient. */
  pace: Pace
  /** Adds the addresses of a store that has some of its own, below /storage. */
  mountStorage?: (app: FastifyInstance) => void
}

/** The least that a body, or the reader of an answer, may move. */
export interface Pace {
  /** How often is looked. */
  everyMs: number
  /** What has to arrive of a body from one look to the next while the server is willing to read. */
  bytes: number
  /** So long the line and the headers of a request may take; Node looks after them, as often, and answers 408. */
  headersMs: number
  /** A connection over which nothing has moved for so long, in the middle of a request, is given up. */
  silenceMs: number
  /** A stream of events that has nothing to say shows that often that it is alive. */
  aliveMs: number
}

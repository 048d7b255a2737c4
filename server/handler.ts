/** What a handler is given and what it answers. */

import type { Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { InputOf, OutputOf, Route, Routes } from '../contract/route.ts'
import type { WrittenJson } from '../serving/written-json.ts'
import type { Membership } from './accounts/people.ts'
import type { Session } from './accounts/sessions.ts'
import type { Visitor } from './accounts/visitor.ts'
import type { Audit } from './administration/audit-log.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './config.ts'
import type { Database } from './database/open.ts'
import type { Sql } from './database/sql.ts'
import type { Statistics } from './database/statistics.ts'
import type { Feed } from './feed.ts'
import type { LiveFeeds } from './live/live-feeds.ts'
import type { EmbedderThread } from './looks/embedder-thread.ts'
import type { Actor, Holder, Workspace } from './principal.ts'
import type { Catalogs } from './search/catalog/catalogs.ts'
import type { CountedStorage } from './storage/counting/counted-storage.ts'
import type { Storage } from './storage/storage.ts'
import type { Deliveries } from './webhooks/deliveries.ts'

/** What every handler is given, no matter who asks. */
interface AnyContext {
  /** The pool for reading routes and those of operators; the open transaction for writing ones. A handler uses no other connection. */
  sql: Sql
  /** The moment of the request; one for everything that it writes. */
  now: Date
  settings: Settings
  /** Where clients reach this server, for addresses in answers. */
  origin: string
  log: FastifyBaseLogger
}

/** For who comes without a key. */
export interface OpenContext extends AnyContext {
  visitor: Visitor
  /** The workspace that the address names, where it names one. */
  slug: string | undefined
}

/** For someone signed in on the dashboard, in a workspace of theirs. */
export interface SessionContext extends OpenContext {
  session: Session
  membership: Membership
}

/** For a key, or for someone signed in: one of the two is there. */
export interface SignedInContext extends OpenContext {
  holder: Holder | undefined
  session: Session | undefined
}

/** For a key. */
export interface Context extends AnyContext {
  workspace: Workspace
  actor: Actor
  /** What the address names before `/api/v1`: `/w/<slug>`, or nothing. */
  basePath: string
  /** What this request changed; written just before the commit. */
  feed: Feed
  storage: CountedStorage
  statistics: Statistics
  /** What lists, facets and searches are answered from. */
  catalogs: Catalogs
  /** What searches by look are answered with. */
  embedder: EmbedderThread
  live: LiveFeeds
  /** To webhooks. */
  deliveries: Deliveries
}

/** For who administers the server from its machine. */
export interface OperatorContext extends Pick<AnyContext, 'sql' | 'now' | 'settings'> {
  database: Database
  clock: Clock
  /** Whether the server itself works; else a command does, on its database. */
  isServer: boolean
  /** Where bytes lie, uncounted. */
  files(): Promise<Storage>
  /** Writes down what was changed, once it is committed. */
  audit: Audit
}

type ContextOf<R extends Route> = R extends { scope: 'none' }
  ? OpenContext
  : R extends { scope: 'session' }
    ? SessionContext
    : R extends { scope: 'signed-in' }
      ? SignedInContext
      : R extends { scope: 'operator' }
        ? OperatorContext
        : Context

/** The body of a raw route. */
export interface RawRequest {
  bytes: Readable
  contentType: string | undefined
  contentLength: number | undefined
}

export type Handler<R extends Route> = (
  request: ContextOf<R> & { input: InputOf<R> } & (R extends { raw: object } ? RawRequest : unknown) &
    // Aborted when the client has gone, or the server ends.
    (R extends { answers: 'events' } ? { signal: AbortSignal } : unknown),
) => Promise<OutputOf<R> | WrittenJson> | OutputOf<R>

/** One handler per route of a noun; a missing one does not compile. */
export type Handlers<T extends Routes> = { [V in keyof T]: T[V] extends Route ? Handler<T[V]> : never }

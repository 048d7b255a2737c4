/** The contract on the public server: who may ask which route, what its handler is given, and a transaction where it writes. */

import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { allRoutes } from '../../contract/index.ts'
import { isOpen, isTransactional, type Route } from '../../contract/route.ts'
import { type Answered, type Exchange, mountRoutes, type RouteTable, withHandlers } from '../../serving/mount.ts'
import { requireUnset } from '../accounts/setup.ts'
import { visitorOf } from '../accounts/visitor.ts'
import { rehearse, transact, type Writing } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { originOf } from '../front-door/origin.ts'
import { requireAdmin } from '../front-door/roles.ts'
import { refuseWrite } from '../front-door/states.ts'
import type { Context, OpenContext } from '../handler.ts'
import { handlers } from '../handlers.ts'
import type { Holder } from '../principal.ts'
import type { Services } from '../services.ts'
import { ownerOf } from './owner.ts'

export const mountContract = (api: FastifyInstance, services: Services): Promise<void> => mountRoutes(api, tableOf(services))

const tableOf = (services: Services): RouteTable => ({
  aliveMs: services.pace.aliveMs,
  routes: withHandlers(
    allRoutes.filter(([noun]) => handlers[noun]),
    handlers,
  ),
  guards: (route) => guardsOf(route, services),
  contextOf: (route, exchange) => contextOf(route, exchange, services),
  ownerOf,
  run,
})

function guardsOf(route: Route, services: Services): onRequestHookHandler[] {
  const takes: onRequestHookHandler = (request, _reply, done) => {
    requireTakes(route, request, services)
    done()
  }
  const guards = route.answers === 'ndjson' ? [takes, holdPlace(services)] : [takes]
  return route.beforeSetup ? [() => requireUnset(services.database.sql), ...guards] : guards
}

const holdPlace =
  ({ answers }: Services): onRequestHookHandler =>
  (request, reply, done) => {
    answers.takeForAnswer(request, reply.raw)
    done()
  }

/** Whether the route may be called here and now; before a byte of its body is read. */
function requireTakes(route: Route, { holder, membership }: FastifyRequest, { database }: Services): void {
  if (route.scope === 'admin' && holder) requireAdmin(holder.actor)
  const workspace = holder?.workspace ?? membership?.workspace
  if (workspace) refuseWrite(workspace, route)
  if (takesSpace(route)) database.requireRoom()
}

/** What removes something may use the last of a disk: it is a way out. */
const takesSpace = ({ scope, method }: Route): boolean => ['write', 'admin', 'session'].includes(scope) && method !== 'DELETE'

/** What an open route's handler may be given: which of it is there is up to the scope. */
type OpenVisit = OpenContext & Pick<FastifyRequest, 'holder' | 'session' | 'membership'>

/** The context that the route's scope promises its handler. */
function contextOf(route: Route, { request, reply }: Exchange, services: Services): Context | OpenVisit {
  const { holder, session, membership } = request
  const { database, clock, settings, storage, catalogs, embedder, live, deliveries } = services
  const any = { sql: database.sql, now: clock.now(), settings, origin: originOf(request, settings), log: request.log }
  if (!isIn(route, request)) throw new Error('a request reached the library without passing the front door')
  if (isOpen(route)) {
    const visitor = visitorOf(request, reply, settings)
    return { ...any, visitor, slug: request.workspaceSlug, holder, session, membership }
  }
  const { workspaceSlug: slug } = request
  const basePath = slug === undefined ? '' : `/w/${slug}`
  const { statistics } = database
  return { ...any, ...(holder as Holder), basePath, feed: new Feed(), storage, statistics, catalogs, embedder, live, deliveries }
}

function isIn({ scope }: Route, { holder, session, membership }: FastifyRequest): boolean {
  if (scope === 'none') return true
  if (scope === 'session') return session !== undefined && membership !== undefined
  return holder !== undefined || (scope === 'signed-in' && session !== undefined)
}

/** A writing handler gets one transaction. HEAD says what GET would, and changes nothing. */
async function run({ route, handler }: Answered, handed: Parameters<Answered['handler']>[0], method: string): Promise<unknown> {
  if (!isTransactional(route)) return handler(handed)
  const inTransaction = method === 'HEAD' ? rehearse : transact
  return inTransaction(handed as unknown as typeof handed & Writing, async (inside) => handler(inside))
}

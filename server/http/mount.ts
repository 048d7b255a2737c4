/** Mounts every route of the contract: reads its input, runs its handler (in a transaction where it writes), sends its answer. */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allRoutes } from '../../contract/index.ts'
import { isOpen, isTransactional, type Route } from '../../contract/route.ts'
import { endOfTurn } from '../../system/event-loop.ts'
import { requireUnset } from '../accounts/setup.ts'
import { visitorOf } from '../accounts/visitor.ts'
import { rehearse, transact } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { originOf } from '../front-door/origin.ts'
import { requireAdmin } from '../front-door/roles.ts'
import { refuseWrite } from '../front-door/states.ts'
import { type Context, type Handler, WrittenJson } from '../handler.ts'
import { handlers } from '../handlers.ts'
import type { Parts } from '../parts.ts'
import type { Holder } from '../principal.ts'
import { JsonBodies, ReadInput } from './bodies/json-bodies.ts'
import { drainBody } from './unread-body.ts'
import { inputReader, requireType } from './validation.ts'

type AnyHandler = Handler<Route>

interface Mounted {
  route: Route
  handler: AnyHandler
  bodies: JsonBodies
}

export async function mountContract(api: FastifyInstance, parts: Parts): Promise<void> {
  const table = handlers as unknown as Record<string, Record<string, AnyHandler>>
  const mounted = allRoutes.flatMap(([noun, verb, route]) =>
    table[noun] ? [{ route, handler: requireHandler(table, `${noun}.${verb}`) }] : [],
  )
  const bodies = new JsonBodies()
  await api.register(async (json) => {
    json.removeAllContentTypeParsers()
    bodies.mount(json)
    for (const one of mounted) if (!one.route.raw) mountRoute(json, parts, { ...one, bodies })
  })
  await api.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _payload, done) => done(null))
    raw.addHook('onRequest', async (request) => forgetOddType(request))
    for (const one of mounted) if (one.route.raw) mountRoute(raw, parts, { ...one, bodies })
  })
}

/** Raw bytes may come as anything; Fastify would refuse a type that it cannot read. */
function forgetOddType(request: FastifyRequest): void {
  if (request.mediaType === undefined) delete request.raw.headers['content-type']
}

function requireHandler(table: Record<string, Record<string, AnyHandler>>, name: string): AnyHandler {
  const [noun = '', verb = ''] = name.split('.')
  const handler = table[noun]?.[verb]
  if (!handler) throw new Error(`the contract's route ${name} has no handler`)
  return handler
}

function mountRoute(app: FastifyInstance, parts: Parts, { route, handler, bodies }: Mounted): void {
  const readInput = inputReader(route)
  const status = route.status ?? (route.output ? 200 : 204)
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { route },
    onRequest: [
      ...(route.beforeSetup ? [() => requireUnset(parts.database.sql)] : []),
      (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
        requireTakes(route, request, parts)
        done()
      },
    ],
    ...(route.output && route.answers !== 'ndjson'
      ? { schema: { response: { [status]: route.output, ...(route.created ? { 201: route.output } : {}) } } }
      : {}),
    handler: async (request, reply) => {
      const context = contextOf(route, { request, reply, parts })
      if (isOpen(route)) reply.header('Cache-Control', 'no-store')
      const answer = await bodies.during(request, async () => {
        const { body } = request
        const input = body instanceof ReadInput ? body.input : readInput(request as Parameters<typeof readInput>[0])
        if (route.raw?.types) requireType(route.raw.types, request.headers['content-type'])
        const asked = { ...context, input, ...(route.raw ? rawOf(request) : {}) } as Parameters<AnyHandler>[0]
        return route.raw ? runRaw(handler, asked, request.raw) : run({ route, handler, method: request.method }, asked)
      })
      await endOfTurn()
      return send(reply, { route, status, answer })
    },
  })
}

/** Whether it may be asked here and now; before a byte of its body is read. */
function requireTakes(route: Route, { holder, membership }: FastifyRequest, { database }: Parts): void {
  if (route.scope === 'admin' && holder) requireAdmin(holder.actor)
  const workspace = holder?.workspace ?? membership?.workspace
  if (workspace) refuseWrite(workspace, route)
  if (takesSpace(route)) database.requireRoom()
}

/** What removes something may use the last of a disk: it is a way out. */
const takesSpace = ({ scope, method }: Route): boolean => ['write', 'admin', 'session'].includes(scope) && method !== 'DELETE'

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  parts: Parts
}

/** The context that the route's scope promises its handler. */
function contextOf(route: Route, { request, reply, parts }: Exchange): Context {
  const { holder, session, membership } = request
  const { database, clock, settings, storage, catalogs } = parts
  const any = { sql: database.sql, now: clock.now(), settings, origin: originOf(request, settings), log: request.log }
  if (!isIn(route, request)) throw new Error('a request reached the library without passing the front door')
  if (isOpen(route)) {
    const visitor = visitorOf(request, reply, settings)
    return { ...any, visitor, slug: request.workspaceSlug, holder, session, membership } as unknown as Context
  }
  return { ...any, ...(holder as Holder), feed: new Feed(), storage, statistics: database.statistics, catalogs }
}

function isIn({ scope }: Route, { holder, session, membership }: FastifyRequest): boolean {
  if (scope === 'none') return true
  if (scope === 'session') return session !== undefined && membership !== undefined
  return holder !== undefined || (scope === 'signed-in' && session !== undefined)
}

const rawOf = (request: FastifyRequest) => ({
  bytes: request.raw,
  contentType: request.headers['content-type'],
  contentLength: request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']),
})

interface Run {
  route: Route
  handler: AnyHandler
  method: string
}

/** A writing handler gets one transaction. HEAD says what GET would, and changes nothing. */
async function run({ route, handler, method }: Run, request: Parameters<AnyHandler>[0]): Promise<unknown> {
  if (!isTransactional(route)) return handler(request)
  const inTransaction = method === 'HEAD' ? rehearse : transact
  return inTransaction(request, async (inside) => handler(inside))
}

/** A handler may answer without having read everything. */
async function runRaw(handler: AnyHandler, request: Parameters<AnyHandler>[0], body: IncomingMessage): Promise<unknown> {
  try {
    return await handler(request)
  } finally {
    drainBody(body)
  }
}

function send(reply: FastifyReply, { route, status, answer }: { route: Route; status: number; answer: unknown }): FastifyReply {
  if (route.answers === 'redirect')
    return reply
      .code(302)
      .header('Cache-Control', 'private, no-store')
      .header('Location', (answer as { location: string }).location)
      .send()
  if (route.answers === 'ndjson')
    return reply
      .code(status)
      .type('application/x-ndjson')
      .send(Readable.from(reply.request.method === 'HEAD' ? [] : lines(answer as AsyncIterable<unknown>)))
  if (answer instanceof WrittenJson) return reply.code(status).type('application/json; charset=utf-8').send(answer.bytes)
  if (answer === undefined) return reply.code(status).send()
  const created = route.created && (answer as Record<string, unknown>)[route.created]
  return reply.code(created ? 201 : status).send(answer)
}

async function* lines(rows: AsyncIterable<unknown>): AsyncIterable<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}

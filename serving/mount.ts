/**
 * Mounts a table of routes on an application: refuses what may not be asked, reads the input of each, runs its handler, sends its answer.
 *
 * The public server mounts the contract so (public-routes.ts), the control socket the operator's routes (administration/operator.ts). A
 * local API of another program is made the same way: its routes are declared in `contract/` beside those, as a table that no list of public
 * routes names; a `RouteTable` says what answers them, what a handler is given, and what may be asked at a given moment; `openControlSocket`
 * puts it on a socket, whose folder and token say who may ask at all. The thread that reads large bodies (bodies/reader-worker.ts) has to
 * know the table too.
 */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import compilerOfSerializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySerializerCompiler, onRequestHookHandler } from 'fastify'
import type { StreamEvent } from '../contract/event-stream.ts'
import { isOpen, type Route } from '../contract/route.ts'
import { endOfTurn } from '../system/event-loop.ts'
import { JsonBodies, ReadInput } from './bodies/json-bodies.ts'
import type { Owner } from './bodies/weighted-queue.ts'
import { EventAnswers } from './event-answers.ts'
import { drainBody } from './unread-body.ts'
import { inputReader, requireType } from './validation.ts'
import { WrittenJson } from './written-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is mounted at this address. */
    route?: Route
  }
}

/** What a handler is given: what its table gives it, its checked input, and the bytes of a raw body. */
type HandlerInput = Record<string, unknown> & { input: Record<string, unknown> }
type AnyHandler = (handed: HandlerInput) => unknown

export interface Answered {
  route: Route
  handler: AnyHandler
}

export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** What answers a table of routes. Who may ask at all has been found out by the application's own hooks. */
export interface RouteTable {
  routes: readonly Answered[]
  /** Refuse what may not be asked here and now, before a byte of the body is read. */
  guards?(route: Route): onRequestHookHandler[]
  /** What the scope of the route promises its handler. */
  contextOf(route: Route, exchange: Exchange): object
  /** In whose name a request takes memory; the default is the address that it comes from. */
  ownerOf?(request: FastifyRequest): Owner
  /** How often a stream of events shows that it is alive; the default is as proxies want it. */
  aliveMs?: number
  /** Runs a handler, unless its body is raw; without it, as it is. */
  run?(answered: Answered, handed: HandlerInput, method: string): Promise<unknown>
}

/** Throws where a route has no handler. Types say so before, where the handlers are typed by their routes. */
export const withHandlers = (
  routes: readonly (readonly [noun: string, verb: string, route: Route])[],
  handlers: object,
): Answered[] =>
  routes.map(([noun, verb, route]) => {
    const handler = (handlers as Record<string, Record<string, AnyHandler>>)[noun]?.[verb]
    if (!handler) throw new Error(`the route ${noun}.${verb} has no handler`)
    return { route, handler }
  })

export async function mountRoutes(app: FastifyInstance, table: RouteTable): Promise<void> {
  const bodies = new JsonBodies(table.ownerOf ?? addressOwner)
  const events = new EventAnswers(table.aliveMs)
  events.mount(app)
  app.setSerializerCompiler(compiledLater)
  const mount = (part: FastifyInstance, isRaw: boolean) => {
    for (const one of table.routes)
      if ((one.route.raw !== undefined) === isRaw) mountRoute(part, table, { ...one, bodies, events })
  }
  await app.register(async (json) => {
    json.removeAllContentTypeParsers()
    bodies.mount(json)
    mount(json, false)
  })
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _payload, done) => done(null))
    raw.addHook('onRequest', async (request) => forgetOddType(request))
    mount(raw, true)
  })
}

const addressOwner = ({ ip }: FastifyRequest): Owner => ({ workspace: 'nobody', key: ip })

const compileSerializer = compilerOfSerializers()()

/** What writes the answers of a route. It is compiled for the first answer: hundreds of them at the start would delay it. */
const compiledLater: FastifySerializerCompiler<unknown> = (definition) => {
  let serialize: ReturnType<typeof compileSerializer> | undefined
  return (answer) => {
    serialize ??= compileSerializer({ ...definition, httpStatus: definition.httpStatus ?? '' })
    return serialize(answer)
  }
}

/** Raw bytes may come as anything; Fastify would refuse a type that it cannot read. */
function forgetOddType(request: FastifyRequest): void {
  if (request.mediaType === undefined) delete request.raw.headers['content-type']
}

interface Mounted extends Answered {
  bodies: JsonBodies
  events: EventAnswers
}

function mountRoute(app: FastifyInstance, table: RouteTable, { route, handler, bodies, events }: Mounted): void {
  const readInput = inputReader(route)
  const status = route.status ?? (route.output ? 200 : 204)
  const run = table.run ?? (async (_answered, handed) => handler(handed))
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { route },
    onRequest: table.guards?.(route) ?? [],
    ...(route.output && route.answers !== 'ndjson' && route.answers !== 'events'
      ? { schema: { response: { [status]: route.output, ...(route.created ? { 201: route.output } : {}) } } }
      : {}),
    handler: async (request, reply) => {
      const context = table.contextOf(route, { request, reply })
      if (isOpen(route)) reply.header('Cache-Control', 'no-store')
      const answer = await bodies.during(request, async () => {
        const { body } = request
        const input = body instanceof ReadInput ? body.input : readInput(request as Parameters<typeof readInput>[0])
        if (route.raw?.types) requireType(route.raw.types, request.headers['content-type'])
        const going = route.answers === 'events' ? { signal: events.signalOf(reply) } : {}
        const handed = { ...context, input, ...going, ...(route.raw ? rawOf(request) : {}) }
        return route.raw ? runRaw(handler, handed, request.raw) : run({ route, handler }, handed, request.method)
      })
      await endOfTurn()
      if (route.answers === 'events') return events.send(reply, answer as AsyncIterable<StreamEvent>)
      return send(reply, { route, status, answer })
    },
  })
}

const rawOf = (request: FastifyRequest) => ({
  bytes: request.raw,
  contentType: request.headers['content-type'],
  contentLength: request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']),
})

/** A handler may answer without having read everything. */
async function runRaw(handler: AnyHandler, handed: HandlerInput, body: IncomingMessage): Promise<unknown> {
  try {
    return await handler(handed)
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

const sentTogether = 64 * 1024

/** Many rows in a piece: a piece of its own for each is a write to the connection for each. */
async function* lines(rows: AsyncIterable<unknown>): AsyncIterable<string> {
  let text = ''
  for await (const row of rows) {
    text += `${JSON.stringify(row)}\n`
    if (text.length < sentTogether) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

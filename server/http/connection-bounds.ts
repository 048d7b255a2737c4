/** Bounds on what one connection, and all of them together, may have under way: requests in a row, headers, answers that nobody reads. */

import { createServer, type Server } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validationError } from '../../contract/errors.ts'
import { HeldBytes } from '../../serving/bodies/held-bytes.ts'
import { Refusal } from '../../serving/refusal.ts'
import { hasBody } from '../../serving/unread-body.ts'
import type { Services } from '../services.ts'
import type { Handle } from './connection.ts'
import type { Connections } from './connections.ts'
import { ownerOf } from './owner.ts'
import { endSlowReaders } from './slow-readers.ts'

const mostHeaders = 200
/** Smaller answers fit between server and client. */
const largeAnswerBytes = 64 * 1024
const keepAliveMs = 60_000
/** How often Node looks for headers that do not come. */
const headersLookMs = 5000

/** What listens. Requests of a connection begin one after the other. */
export const serverOf =
  (connections: Connections, { pace }: Pick<Services, 'pace'>) =>
  (handle: Handle): Server => {
    const connectionsCheckingInterval = Math.min(pace.everyMs, headersLookMs)
    const server = createServer({ headersTimeout: pace.headersMs, connectionsCheckingInterval }, (request, response) =>
      connections.of(request.socket)?.take({ request, response }),
    )
    server.prependListener('connection', (socket) => connections.add(socket, handle))
    server.on('connection', (socket) => connections.of(socket)?.split())
    server.keepAliveTimeout = keepAliveMs
    server.requestTimeout = 0
    server.setTimeout(pace.silenceMs)
    return server
  }

type Bounded = Pick<Services, 'pace' | 'clock'>

export function boundExchanges(app: FastifyInstance, connections: Connections, { pace, clock }: Bounded): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket, rawHeaders } = request.raw
    connections.isFrom(socket, request.ip)
    if (rawHeaders.length > 2 * mostHeaders)
      throw new Refusal(431, `The request has more than ${mostHeaders} headers. Send fewer.`)
    done()
  })
  holdAnswers(app, connections)
  endSlowReaders(app, connections, { pace, clock })
}

/** Nothing is unpacked here: a few bytes could become any number. */
export function refuseEncoding({ raw }: FastifyRequest): void {
  const encoding = raw.headers['content-encoding']?.trim().toLowerCase()
  if (!hasBody(raw) || encoding === undefined || encoding === '' || encoding === 'identity') return
  throw validationError([{ path: 'Content-Encoding', message: 'is not taken here; send the body as it is' }])
}

/** Answers wait in the memory until they are read; where there is too much of that, the greediest connection is ended. */
function holdAnswers(app: FastifyInstance, connections: Connections): void {
  const held = new HeldBytes(getHeapStatistics().heap_size_limit / 8)
  app.addHook('onSend', async (request, reply, payload) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    const { socket } = request.raw
    const connection = connections.of(socket)
    if (bytes >= largeAnswerBytes && connection && !socket.destroyed) {
      const answer = held.open(ownerOf(request), () => socket.destroy())
      connection.answers.add(answer)
      reply.raw.once('close', () => {
        connection.answers.delete(answer)
        answer.letGo()
      })
      answer.grow(bytes)
    }
    return payload
  })
}

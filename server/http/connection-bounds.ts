/** Bounds on what one connection, and all of them together, may have under way: requests in a row, headers, answers that nobody reads. */

import type { Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validationError } from '../../contract/errors.ts'
import { type Held, HeldBytes } from '../../serving/bodies/held-bytes.ts'
import { Refusal } from '../../serving/refusal.ts'
import { hasBody } from '../../serving/unread-body.ts'
import type { Pace } from '../parts.ts'
import { ownerOf } from './owner.ts'

/** More than that are closed as they come. A program keeps up to eight open for each of its users. */
const mostConnections = 4096
/** Requests over one connection that are not answered yet. Nearly all clients send one, and wait. */
const mostPipelined = 64
const mostHeaders = 200
/** Smaller answers fit between server and client. */
const largeAnswerBytes = 64 * 1024

/** What goes on over one connection. */
interface Connection {
  unanswered: number
  /** Large answers that have not left altogether. */
  answers: Set<Held>
}

export function boundExchanges(app: FastifyInstance, pace: Pace): void {
  app.server.maxConnections = mostConnections
  const connections = new Connections()
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket, rawHeaders } = request.raw
    const connection = connections.of(socket)
    if (connection.unanswered++ >= mostPipelined)
      throw new Refusal(429, `More than ${mostPipelined} requests wait over one connection. Read their answers first.`, {
        'Retry-After': '1',
      })
    if (rawHeaders.length > 2 * mostHeaders)
      throw new Refusal(431, `The request has more than ${mostHeaders} headers. Send fewer.`)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    connections.of(request.raw.socket).unanswered--
    done()
  })
  holdAnswers(app, connections)
  endSlowReaders(app, connections, pace)
}

/** Those over which someone asked, for as long as they last. */
class Connections {
  readonly #open = new Map<Socket, Connection>()

  of(socket: Socket): Connection {
    const known = this.#open.get(socket)
    if (known) return known
    const connection = { unanswered: 0, answers: new Set<Held>() }
    // One that broke already will not tell it again.
    if (socket.destroyed) return connection
    this.#open.set(socket, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      // An answer that still waits behind others does not close by itself.
      for (const answer of connection.answers) answer.letGo()
    })
    return connection
  }

  sockets(): Iterable<Socket> {
    return this.#open.keys()
  }
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
    if (bytes >= largeAnswerBytes && !socket.destroyed) {
      const { answers } = connections.of(socket)
      const answer = held.open(ownerOf(request), () => socket.destroy())
      answers.add(answer)
      reply.raw.once('close', () => {
        answers.delete(answer)
        answer.letGo()
      })
      answer.grow(bytes)
    }
    return payload
  })
}

/** What had left over a connection at the last look, and what of a begun write was still there. */
interface Progress {
  done: number
  queued: number
}

/** A connection over which an answer waits, and less than `bytes` of it leaves from one look to the next, is given up. */
function endSlowReaders(app: FastifyInstance, connections: Connections, { everyMs, bytes }: Pace): void {
  let before = new Map<Socket, Progress>()
  const look = () => {
    const now = new Map<Socket, Progress>()
    for (const socket of connections.sockets()) {
      if (socket.writableLength === 0) continue
      const progress = progressOf(socket)
      const last = before.get(socket)
      if (last && moved(last, progress) < bytes) socket.destroy()
      else now.set(socket, progress)
    }
    before = now
  }
  const timer = setInterval(look, everyMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** `writeQueueSize` is what Node's own timeouts go by: a write of many megabytes counts as done only when all of it is. */
function progressOf(socket: Socket): Progress {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } }
  return { done: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 }
}

/** Where more is queued than before another write has begun, and the one before it is through. */
const moved = (last: Progress, now: Progress): number =>
  now.queued > last.queued ? Number.POSITIVE_INFINITY : now.done - last.done + last.queued - now.queued

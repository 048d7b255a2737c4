/** Bounds on what one connection, and all of them together, may have under way: requests in a row, headers, answers that nobody reads. */
import type { Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validationError } from '../contract/errors.ts'
import { HeldBytes } from './bodies/held-bytes.ts'
import { ownerOf } from './bodies/owner.ts'
import { Refusal } from './front-door/refusal.ts'
import type { Pace } from './slow-bodies.ts'
import { hasBody } from './unread-body.ts'

/** More than that are closed as they come. A program keeps up to eight open for each of its users. */
const mostConnections = 4096
/** Requests over one connection that are not answered yet. Nearly all clients send one, and wait. */
const mostPipelined = 64
const mostHeaders = 200
/** Smaller answers fit between server and client. */
const largeAnswerBytes = 64 * 1024

export function boundExchanges(app: FastifyInstance, pace: Pace): void {
  app.server.maxConnections = mostConnections
  /** By connection, for as long as it lasts. */
  const unanswered = new Map<Socket, number>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket, rawHeaders } = request.raw
    const before = unanswered.get(socket)
    if (before === undefined) socket.once('close', () => unanswered.delete(socket))
    unanswered.set(socket, (before ?? 0) + 1)
    if ((before ?? 0) >= mostPipelined)
      throw new Refusal(429, `More than ${mostPipelined} requests wait over one connection. Read their answers first.`, {
        'Retry-After': '1',
      })
    if (rawHeaders.length > 2 * mostHeaders)
      throw new Refusal(431, `The request has more than ${mostHeaders} headers. Send fewer.`)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    const { socket } = request.raw
    const count = unanswered.get(socket)
    if (count !== undefined) unanswered.set(socket, count - 1)
    done()
  })
  holdAnswers(app)
  endSlowReaders(app, { ...pace, reading: unanswered })
}

/** Nothing is unpacked here: a few bytes could become any number. */
export function refuseEncoding({ raw }: FastifyRequest): void {
  const encoding = raw.headers['content-encoding']?.trim().toLowerCase()
  if (!hasBody(raw) || encoding === undefined || encoding === '' || encoding === 'identity') return
  throw validationError([{ path: 'Content-Encoding', message: 'is not taken here; send the body as it is' }])
}

/** Answers wait in the memory until they are read; where there is too much of that, the greediest connection is ended. */
function holdAnswers(app: FastifyInstance): void {
  const held = new HeldBytes(getHeapStatistics().heap_size_limit / 8)
  app.addHook('onSend', async (request, reply, payload) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes >= largeAnswerBytes) {
      const { socket } = request.raw
      const one = held.open(ownerOf(request), () => socket.destroy())
      // An answer whose turn never came does not close: its connection does.
      const letGo = () => {
        one.letGo()
        socket.off('close', letGo)
      }
      reply.raw.once('close', letGo)
      socket.once('close', letGo)
      one.grow(bytes)
    }
    return payload
  })
}

interface Reading extends Pace {
  /** The connections over which somebody asked. */
  reading: ReadonlyMap<Socket, unknown>
}

/** What had left over a connection at the last look, and what of a begun write was still there. */
interface Mark {
  done: number
  queued: number
}

/** A connection over which an answer waits, and less than `bytes` of it leaves from one look to the next, is given up. */
function endSlowReaders(app: FastifyInstance, { everyMs, bytes, reading }: Reading): void {
  let before = new Map<Socket, Mark>()
  const look = () => {
    const now = new Map<Socket, Mark>()
    for (const socket of reading.keys()) {
      if (socket.writableLength === 0) continue
      const mark = markOf(socket)
      const last = before.get(socket)
      if (last && moved(last, mark) < bytes) socket.destroy()
      else now.set(socket, mark)
    }
    before = now
  }
  const timer = setInterval(look, everyMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** `writeQueueSize` is what Node's own timeouts go by: a write of many megabytes counts as done only when all of it is. */
function markOf(socket: Socket): Mark {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } }
  return { done: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 }
}

/** Where more is queued than before another write has begun, and the one before it is through. */
const moved = (last: Mark, now: Mark): number =>
  now.queued > last.queued ? Number.POSITIVE_INFINITY : now.done - last.done + last.queued - now.queued

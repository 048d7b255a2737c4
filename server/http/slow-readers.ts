/** Gives up on clients that ask and do not read: an answer that waits in the memory has to leave, a little at least from one look to the next. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

/** How often is looked whether it is time for a look. */
const tickMs = 1000

/** What had left over a connection at the last look, and what of a begun write was still there. */
interface Progress {
  done: number
  queued: number
}

/** A connection over which an answer waits, and less than `bytes` of it leaves from one look to the next, is given up. */
export function endSlowReaders(
  app: FastifyInstance,
  connections: Connections,
  { pace: { everyMs, bytes }, clock }: Pick<Services, 'pace' | 'clock'>,
): void {
  const nowMs = () => clock.now().getTime()
  let before = new Map<Connection, Progress>()
  let lookedAtMs = nowMs()
  const look = () => {
    const now = new Map<Connection, Progress>()
    for (const connection of connections) {
      const { socket } = connection
      if (socket.writableLength === 0) continue
      const progress = progressOf(socket)
      const last = before.get(connection)
      if (last && moved(last, progress) < bytes) socket.destroy()
      else now.set(connection, progress)
    }
    before = now
  }
  const stalls = new Stalls(connections)
  const tick = () => {
    stalls.note(nowMs())
    // A clock that was put back begins anew.
    if (nowMs() >= lookedAtMs && nowMs() - lookedAtMs < everyMs) return
    lookedAtMs = nowMs()
    look()
  }
  const timer = setInterval(tick, Math.min(everyMs, tickMs)).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Since when nothing at all has left of the answers that wait. */
class Stalls {
  readonly #connections: Connections
  #before = new Map<Connection, Progress>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  note(nowMs: number): void {
    const now = new Map<Connection, Progress>()
    for (const connection of this.#connections) {
      const isWaiting = connection.socket.writableLength > 0
      const progress = progressOf(connection.socket)
      const last = this.#before.get(connection)
      if (!isWaiting || !last || moved(last, progress) > 0) connection.stalledSinceMs = undefined
      else connection.stalledSinceMs ??= nowMs
      if (isWaiting) now.set(connection, progress)
    }
    this.#before = now
  }
}

/** `writeQueueSize` is what Node's own timeouts go by: a write of many megabytes counts as done only when all of it is. */
function progressOf(socket: Socket): Progress {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } }
  return { done: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 }
}

/** Where more is queued than before another write has begun, and the one before it is through. */
const moved = (last: Progress, now: Progress): number =>
  now.queued > last.queued ? Number.POSITIVE_INFINITY : now.done - last.done + last.queued - now.queued

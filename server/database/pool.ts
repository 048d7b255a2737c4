/** The connections to the database. They may be lost at any moment; whoever comes after that gets new ones. */
import { connect, Socket } from 'node:net'
import type postgres from 'postgres'

export type Pool = postgres.Sql<{ bigint: number }>

/** What the driver is told besides where to connect. */
export interface Lines {
  socket: (to: { host: string[]; port: number[]; path: string | false }) => Socket
  backoff: () => number
  max_lifetime: null
}

/** Between two attempts of one connection, in seconds. The driver's own waits grow to twenty. */
const retrySeconds = 0.2
/** How long requests that began before a loss may go on with what is left of their pool. */
const graceMs = 30_000

/**
 * A pool of the driver (postgres.js 3.4.9) is given up with the first connection that it loses: it would connect the same one again, and
 * what was left from the broken answer then shifts the rows of the next.
 */
export class RenewedPool {
  readonly #make: (lines: Lines) => Pool
  readonly #retired = new Map<Pool, NodeJS.Timeout>()
  #current: Pool
  #isClosed = false

  constructor(make: (lines: Lines) => Pool) {
    this.#make = make
    this.#current = this.#open()
  }

  get sql(): Pool {
    return this.#current
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const retired = [...this.#retired].map(([pool, grace]) => {
      clearTimeout(grace)
      return pool.end({ timeout: 0 })
    })
    await Promise.all([this.#current.end({ timeout: 5 }), ...retired])
  }

  #open(): Pool {
    let turn = 0
    const dial: Lines['socket'] = ({ host, port, path }) => {
      if (pool !== this.#current) return brokenSocket()
      const at = turn++ % host.length
      const socket = path ? connect(path) : connect(port[at] ?? 5432, host[at])
      return watched(socket, () => this.#lost(pool))
    }
    const pool: Pool = this.#make({ socket: dial, backoff: () => retrySeconds, max_lifetime: null })
    return pool
  }

  #lost(pool: Pool): void {
    if (this.#isClosed || pool !== this.#current) return
    this.#current = this.#open()
    const giveUp = () => {
      this.#retired.delete(pool)
      void pool.end({ timeout: 0 })
    }
    this.#retired.set(pool, setTimeout(giveUp, graceMs).unref())
  }
}

/**
 * Tells of the loss of a connection that had been made, and makes failures of what the driver would wait for without end: a server that
 * takes a connection and closes it without a word, because it is going down; and a statement that comes after a connection has failed
 * and before it is closed.
 */
function watched(socket: Socket, lost: () => void): Socket {
  return socket.once('close', (hadError) => {
    const wasMade = socket.bytesRead > 0
    if (wasMade) lost()
    if (hadError || !wasMade) socket.emit('error', failure('The database closed the connection.'))
  })
}

/** Fails as soon as the driver listens. */
function brokenSocket(): Socket {
  const socket = new Socket()
  setImmediate(() => socket.destroy(failure('The connections of this request have been lost.')))
  return socket
}

const failure = (message: string) => Object.assign(new Error(message), { code: 'ECONNRESET' })

/** The connections to the database. They may be lost at any moment, or fall silent; requests after that get new ones. */
import { connect, type NetConnectOpts, Socket } from 'node:net'
import type postgres from 'postgres'
import { limitStatement, unanswered } from './statement-limit.ts'

export type DriverPool = postgres.Sql<{ bigint: number }>

/** What the driver is told besides where to connect. */
export interface Lines {
  socket: (to: { host: string[]; port: number[]; path: string | false }) => Socket
  backoff: () => number
  max_lifetime: null
}

/**
 * The driver (postgres.js 3.4.9, its issue 1189) forgets to keep a connection for the transaction whose BEGIN fills its pipeline or its
 * socket: what others ask would then run inside of that one, and the process end. So neither is ever full.
 */
export const neverFull = {
  pipeline: { max_pipeline: Number.MAX_SAFE_INTEGER },
  socket: { writableHighWaterMark: Number.MAX_SAFE_INTEGER },
}

/** Between two attempts of one connection, in seconds. The driver's own waits grow to twenty. */
const retrySeconds = 0.2
/** How long requests that began before a loss may go on with what is left of their pool. */
const graceMs = 30_000

/** A pool of the driver whose every statement has a limit. */
export class LimitedPool {
  readonly driver: DriverPool
  /** The driver's, for statements of their own. */
  readonly sql: DriverPool
  readonly #answerMs: number
  /** When something last came over each connection, by `performance.now()`. */
  readonly #heard = new Map<Socket, number>()
  /** When one was last broken. */
  #brokenMs = -1

  constructor(driver: DriverPool, answerMs: number) {
    this.driver = driver
    this.#answerMs = answerMs
    const limited = (made: unknown) => this.limit(made)
    this.sql = new Proxy(driver, {
      apply: (target, self, parts) => limited(Reflect.apply(target as (...parts: unknown[]) => unknown, self, parts)),
    })
  }

  /** A statement, which fails when it is not answered in time. */
  limit<T>(query: T): T {
    return limitStatement(query, this.#answerMs, (sinceMs) => unanswered(this.#answerMs, this.#breakSilent(sinceMs)))
  }

  /** The same for messages of the driver: until the returned function is called, something has to arrive on the connection. */
  expectAnswer(): () => void {
    const sinceMs = performance.now()
    const timer = setTimeout(() => this.#breakSilent(sinceMs), this.#answerMs)
    return () => clearTimeout(timer)
  }

  hearken(socket: Socket): Socket {
    // With TLS the driver removes what listens, so that nobody tells of the end.
    for (const [old] of this.#heard) if (old.destroyed) this.#heard.delete(old)
    const hear = () => this.#heard.set(socket, performance.now())
    hear()
    return socket.on('data', hear).once('close', () => this.#heard.delete(socket))
  }

  /** Breaks connections over which nothing has come since; says whether any were, by this or before it. Idle ones are made again. */
  #breakSilent(sinceMs: number): boolean {
    for (const [socket, atMs] of this.#heard) {
      if (atMs > sinceMs) continue
      socket.destroy(failure('The database did not answer in time.'))
      this.#brokenMs = performance.now()
    }
    return this.#brokenMs >= sinceMs
  }
}

/**
 * A pool of the driver (postgres.js 3.4.9) is given up with the first connection that it loses: it would connect the same one again, and
 * what was left from the broken answer then shifts the rows of the next.
 */
export class RenewedPool {
  readonly #make: (lines: Lines) => DriverPool
  readonly #answerMs: number
  readonly #retired = new Map<LimitedPool, NodeJS.Timeout>()
  #current: LimitedPool
  #isClosed = false

  /** `answerMs`: a statement that is not answered by then has failed. */
  constructor(answerMs: number, make: (lines: Lines) => DriverPool) {
    this.#answerMs = answerMs
    this.#make = make
    this.#current = this.#open()
  }

  get current(): LimitedPool {
    return this.#current
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const retired = [...this.#retired].map(([pool, grace]) => {
      clearTimeout(grace)
      return pool.driver.end({ timeout: 0 })
    })
    await Promise.all([this.#current.driver.end({ timeout: 5 }), ...retired])
  }

  #open(): LimitedPool {
    let next = 0
    const dial: Lines['socket'] = ({ host, port, path }) => {
      if (pool !== this.#current) return brokenSocket()
      const at = next++ % host.length
      const to = path ? { path } : { port: port[at] ?? 5432, host: host[at] }
      const socket = connect({ ...to, ...neverFull.socket } as NetConnectOpts)
      return watched(pool.hearken(socket), () => this.#lost(pool))
    }
    const driver = this.#make({ socket: dial, backoff: () => retrySeconds, max_lifetime: null })
    const pool = new LimitedPool(driver, this.#answerMs)
    return pool
  }

  #lost(pool: LimitedPool): void {
    if (this.#isClosed || pool !== this.#current) return
    this.#current = this.#open()
    const giveUp = () => {
      this.#retired.delete(pool)
      void pool.driver.end({ timeout: 0 })
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

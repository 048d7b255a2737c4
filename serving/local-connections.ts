/** The connections of a local API: a bounded number of the person's own programs, and of others as many as keep nobody out. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { keepNewest } from './newest-connections.ts'
import { Refusal } from './refusal.ts'

/** Connections over which the token was shown. */
const mostAuthenticated = 32
/** Every other one: a port takes whatever this machine sends. A program of the person shows its token as soon as it has connected. */
const mostUnauthenticated = 256

export class LocalConnections {
  readonly #authenticated = new Set<Socket>()
  readonly #others: Set<Socket>

  constructor(server: Server) {
    this.#others = keepNewest(server, mostUnauthenticated)
  }

  /** Takes a connection for one of the person's own from now on. Throws Refusal where they have too many. */
  authenticate(socket: Socket): void {
    if (this.#authenticated.has(socket)) return
    if (this.#authenticated.size >= mostAuthenticated)
      throw new Refusal(503, `More than ${mostAuthenticated} connections of yours are open. Close some of them.`, {
        'Retry-After': '1',
      })
    this.#others.delete(socket)
    this.#authenticated.add(socket)
    socket.once('close', () => this.#authenticated.delete(socket))
  }
}

/** Where the application listens: at every address of its name, and by several sockets at each where the system has that. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import type { FastifyInstance } from 'fastify'

/** Connections that the system holds until they are taken, as many as it lets (Linux: 4,096). One that finds no place tries again after a second, or three. */
const backlog = 4096

/**
 * Node takes one connection of each socket in a turn of the event loop. With one socket, thousands that come within a second wait behind
 * one another for all the other work of as many turns. Only Linux shares connections out between sockets of one address.
 */
const socketsEach = platform() === 'linux' ? 8 : 1
const socket = { backlog, reusePort: socketsEach > 1 }

export interface Address {
  host: string
  port: number
}

/** Throws what listening throws, EADDRINUSE for one. */
export async function listen(app: FastifyInstance, address: Address): Promise<void> {
  // Sockets that share an address would share it with those of another server, too.
  await requireFreePort(address)
  await app.listen({ ...address, ...socket })
}

/** Throws what listening throws. */
export async function requireFreePort(address: Address): Promise<void> {
  const probe = createServer().listen(address)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

/** The application itself listens by one socket, at the first address; what comes to the others is its all the same. An address that cannot be had is left out. */
export function listenBeside(app: FastifyInstance, host: string): void {
  const servers: Server[] = []
  app.addHook('onListen', async () => {
    const bound = app.server.address()
    if (bound === null || typeof bound === 'string') return
    const { address: first, port } = bound
    const found = host === 'localhost' ? await lookup(host, { all: true }) : []
    for (const address of new Set([first, ...found.map((one) => one.address)])) {
      const count = address === first ? socketsEach - 1 : socketsEach
      for (let n = 0; n < count; n++) servers.push(...(await listening(app, { host: address, port })))
    }
  })
  closeTogether(app.server, servers)
}

/** Who closes the application waits for what came by the other sockets, as for what came by its own. */
function closeTogether(own: FastifyInstance['server'], others: readonly Server[]): void {
  const closing = (close: (done: (error?: Error) => void) => unknown) =>
    new Promise<void>((resolve, reject) => close((error) => (error ? reject(error) : resolve())))
  const closeOwn = own.close.bind(own)
  own.close = (done) => {
    const all = [closeOwn, ...others.map((server) => server.close.bind(server))]
    Promise.all(all.map(closing)).then(() => done?.(), done)
    return own
  }
}

async function listening(app: FastifyInstance, at: Address): Promise<Server[]> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
  try {
    server.listen({ ...at, ...socket })
    await once(server, 'listening')
    return [server]
  } catch {
    return []
  }
}

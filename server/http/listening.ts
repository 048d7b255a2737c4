/** Opens the listening sockets of the server: at every address of its host name; on Linux eight sockets at each address. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import type { FastifyInstance } from 'fastify'

/** Connections that the system holds until they are taken, as many as it lets (Linux: 4,096). One that finds no place tries again after a second, or three. */
const backlog = 4096

/**
 * Node accepts one connection from each socket in a turn of the event loop. With one socket, thousands of connections within a second wait
 * for as many turns. Only Linux distributes connections among sockets of one address.
 */
const socketsEach = platform() === 'linux' ? 8 : 1
const socket = { backlog, reusePort: socketsEach > 1 }

export interface Address {
  host: string
  port: number
}

/** Throws what listening throws, EADDRINUSE for one. */
export async function listen(app: FastifyInstance, address: Address): Promise<void> {
  // With `reusePort` the system would also let a second server listen here.
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

/** Opens all sockets but the first, which the application opens itself, and passes their connections to the application. An address that cannot be used is left out. */
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

/** Closing the application waits for the connections of all sockets. */
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

/** A name may have several addresses: `localhost` has one of IPv4 and one of IPv6. What comes to the others is the application's all the same. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Connections that the system holds until they are taken, as many as it lets (Linux: 4,096). One that finds no place tries again after a second, or three. */
export const backlog = 4096

/** The application itself listens at the first one. An address that cannot be had is left out. */
export function listenBeside(app: FastifyInstance, host: string): void {
  if (host !== 'localhost') return
  const servers: Server[] = []
  app.addHook('onListen', async () => {
    const bound = app.server.address()
    if (bound === null || typeof bound === 'string') return
    const { address: first, port } = bound
    const found = await lookup(host, { all: true })
    for (const address of new Set(found.map((one) => one.address)))
      if (address !== first) servers.push(...(await listening(app, { host: address, port })))
  })
  app.addHook('preClose', async () => {
    for (const server of servers) server.close()
  })
}

async function listening(app: FastifyInstance, at: { host: string; port: number }): Promise<Server[]> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
  try {
    server.listen({ ...at, backlog })
    await once(server, 'listening')
    return [server]
  } catch {
    return []
  }
}

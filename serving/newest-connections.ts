/** Connections of which nobody is known: when there are too many the oldest ends, so that they keep nobody out. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Keeps the newest `most` connections of a server. The set holds those that are open, in the order in which they came; who takes one out of it is not counted any longer. */
export function keepNewest(server: Server, most: number): Set<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const [oldest] = open
    if (open.size > most) oldest?.destroy()
  })
  return open
}

/** The wire between a server and its PostgreSQL, which a test can take away and give back. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Wire {
  /** The database's address by way of the wire. */
  url: string
  /** Breaks every connection; new ones are refused. */
  cut(): Promise<void>
  /** Breaks every connection; new ones are taken and closed without a word. */
  mute(): void
  /** Every connection stays, and new ones are taken; nothing comes through any more, in either direction. */
  swallow(): void
  repair(): Promise<void>
  /** The next answer that holds such a text lacks its end, and its connection is closed. */
  halveNext(text: string): void
}

/** After the rows of an answer: `C` with the tag "SELECT 1", and `Z`. */
const endBytes = 14 + 6

/** The caller cuts it in the end. */
export async function wireTo(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isMute = false
  let isSwallowing = false
  let halved: string | undefined
  const take = (client: Socket) => {
    if (isMute) return client.resume().end()
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      if (!isSwallowing) upstream.write(chunk)
    })
    client.on('end', () => upstream.end())
    upstream.on('data', (chunk: Buffer) => {
      if (isSwallowing) return true
      if (halved === undefined || !chunk.includes(halved)) return client.write(chunk)
      halved = undefined
      return client.end(chunk.subarray(0, -endBytes))
    })
  }
  const listen = async (port: number): Promise<Server> => {
    const made = createServer(take).listen(port, '127.0.0.1')
    await once(made, 'listening')
    return made
  }
  const breakAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const url = new URL(databaseUrl)
  url.port = String(port)
  return {
    url: url.href,
    async cut() {
      const closed = once(server, 'close')
      server.close()
      breakAll()
      await closed
    },
    mute() {
      isMute = true
      breakAll()
    },
    swallow() {
      isSwallowing = true
    },
    halveNext(text) {
      halved = text
    },
    async repair() {
      isMute = false
      if (isSwallowing) breakAll()
      isSwallowing = false
      if (!server.listening) server = await listen(port)
    },
  }
}

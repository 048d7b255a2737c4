/** A wire between a client and a server that a test can hold up or cut. Everything else passes as it is. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Sees what goes to the server, as text in the bytes' own order. `cut` ends the connection instead of passing it on. */
export type OnWay = (sent: string) => 'cut' | undefined | Promise<'cut' | undefined>

export interface Proxy {
  /** The server's address with the proxy in between; `path` is kept. */
  url(serverUrl: string): string
  /** How many bytes have passed towards the server. */
  passed: number
  /** From now on to another server, at the same address. */
  leadTo(serverUrl: string): void
  /**
   * Connections over which something like this was asked carry nothing any more, and nobody is told; others are cut. So it is after a sleep:
   * who only listens does not learn that the other end is gone.
   */
  silence(asked: RegExp): void
}

/** Listens until the test is over. `onReturn` sees what the server answers. */
export async function startProxy(
  serverUrl: string,
  onWay: OnWay = () => undefined,
  onReturn: (answered: string) => 'cut' | undefined = () => undefined,
): Promise<Proxy> {
  let target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const pairs = new Map<Socket, Socket>()
  const lastAsked = new WeakMap<Socket, string>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    pairs.set(client, upstream)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        pairs.delete(client)
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.on('data', (chunk: Buffer) => {
      if (onReturn(chunk.toString('latin1')) === 'cut') client.destroy()
    })
    upstream.pipe(client)
    client.on('data', async (chunk: Buffer) => {
      client.pause()
      const sent = chunk.toString('latin1')
      lastAsked.set(client, sent)
      const verdict = await onWay(sent)
      if (verdict === 'cut') return client.destroy()
      proxy.passed += chunk.length
      if (upstream.write(chunk)) client.resume()
      else upstream.once('drain', () => client.resume())
    })
    client.on('end', () => upstream.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const proxy: Proxy = {
    url: (address) => `http://127.0.0.1:${port}${new URL(address).pathname.replace(/\/$/, '')}`,
    passed: 0,
    leadTo: (address) => {
      target = new URL(address)
      for (const socket of sockets) socket.destroy()
    },
    silence(asked) {
      for (const [client, upstream] of pairs)
        if (asked.test(lastAsked.get(client) ?? '')) upstream.unpipe(client).pause()
        else client.destroy()
    },
  }
  return proxy
}

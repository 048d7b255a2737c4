/**
 * A proxy on this machine as nginx's bare `proxy_pass http://127.0.0.1:<port>;` makes one: the Host of the request is the address that is
 * passed to, nothing says where the request came from, and whatever else the client wrote goes on as it is.
 */
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** `1.0`: with a connection for each request, nginx's default until 1.29. `1.1`: connections are kept, as others do and nginx since. */
export type UpstreamVersion = '1.0' | '1.1'

/** Gives its own address. Listens until the test is over. */
export async function startPlainProxy(serverUrl: string, version: UpstreamVersion): Promise<string> {
  const { host, hostname, port } = new URL(serverUrl)
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming
    const { connection: _connection, host: _host, ...passed } = incoming.headers
    if (version === '1.1') {
      const onward = sendRequest({ hostname, port, method, path: url, headers: { ...passed, host } }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      incoming.pipe(onward)
      return
    }
    const upstream = connect(Number(port), hostname)
    const lines = Object.entries(passed).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`))
    upstream.write([`${method} ${url} HTTP/1.0`, `Host: ${host}`, 'Connection: close', ...lines, '', ''].join('\r\n'))
    incoming.pipe(upstream, { end: false })
    answerRaw(upstream, outgoing.socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** What the server says is the answer, and ends with its connection. */
function answerRaw(upstream: Socket, client: Socket | null): void {
  if (!client) return
  upstream.on('error', () => client.destroy())
  client.on('error', () => upstream.destroy())
  upstream.pipe(client)
}

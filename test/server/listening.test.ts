// The listening sockets of a server: several at each address, so that many connections are accepted soon; a second server cannot use the port.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { platform } from 'node:os'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { listen, listenBeside } from '../../server/http/listening.ts'
import { startTestServer } from '../support/server.ts'

const listens = '0A'

/** The addresses of the sockets that listen at a port, as the system lists them. */
function listeningAt(port: number): string[] {
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
  return lines.flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    const [address = '', hexPort = ''] = local.split(':')
    return state === listens && Number.parseInt(hexPort, 16) === port ? [address] : []
  })
}

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)

test.runIf(platform() === 'linux')('eight sockets take connections at every address of the name', async () => {
  const server = await startTestServer({ host: 'localhost' })
  const port = portOf(server)
  const counts = Object.values(Object.groupBy(listeningAt(port), (address) => address)).map((sockets) => sockets?.length)
  expect(counts.length).toBeGreaterThan(0)
  expect(new Set(counts)).toEqual(new Set([8]))
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

test('connections that come by any of the sockets are answered', async () => {
  const server = await startTestServer()
  const one = async () => (await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } })).status
  expect(new Set(await Promise.all(Array.from({ length: 64 }, one)))).toEqual(new Set([200]))
})

test('a second server at the port of the first is refused, although its data are its own', async () => {
  const server = await startTestServer()
  await expect(startTestServer({ port: portOf(server) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test.runIf(platform() === 'linux')(
  'who ends the server waits for a request that came by another socket than its first',
  async () => {
    const app = Fastify()
    const answer = Promise.withResolvers<string>()
    app.get('/slow', () => answer.promise)
    listenBeside(app, '127.0.0.1')
    await listen(app, { host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const own = () => new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
    const status = Promise.withResolvers<number | undefined>()
    for (let isBeside = false; !isBeside; ) {
      const before = await own()
      const arrived = new Promise<void>((resolve) => app.server.once('request', () => resolve()))
      const asking = request({ port, path: '/slow', agent: false }, ({ statusCode }) => status.resolve(statusCode)).end()
      asking.on('error', () => {})
      await arrived
      isBeside = (await own()) === before
      if (!isBeside) asking.destroy()
    }
    await expect.poll(own).toBe(0)
    let isClosed = false
    const closing = app.close().then(() => (isClosed = true))
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/slow`).catch(() => 'closed')).toBe('closed')
    expect(isClosed).toBe(false)
    answer.resolve('done')
    expect(await status.promise).toBe(200)
    await closing
  },
)

// Where a server listens: by several sockets at each address, so that many connections that come at once are taken soon, and never beside another server.
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { expect, test } from 'vitest'
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

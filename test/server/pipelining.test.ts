// Requests that are sent ahead over one connection: each begins when the answer before it has left, and all are answered in their places.
import { readdirSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { asText, metricOf, openConnection } from '../support/bare-connections.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys, slug } = await server.addWorkspace()
const mia = callAs(url, keys.mia)
const key = `Authorization: Bearer ${keys.mia}`
const at = (path: string) => `/w/${slug}/api/v1${path}`
const MiB = 1024 * 1024
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

/** A file that no buffer between server and client takes whole, and its address. */
async function largeFile() {
  const bytes = Buffer.alloc(32 * MiB, 'large')
  await pushed(mia, [item({ bytes })])
  const { pathname, search } = new URL((await mia.get(`/blobs/${sha256(bytes)}/url`)).body.url)
  return { bytes, line: `GET ${pathname}${search}` }
}

/** Open files of the storage. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /\/storage\/\d/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length

test('1,000 requests that are sent at once are answered in their places', async () => {
  const many = Array.from({ length: 1000 }, (_, n) => asText(`GET ${at(`/nothing/${n}`)}`, [key]))
  const answer = await sendRaw(server.url, [...many, asText(`GET ${at('/auth/me')}`, [key, 'Connection: close'])].join(''))
  const places = [...answer.matchAll(/\/nothing\/(\d+)/g)].map(([, n]) => Number(n))
  expect(places).toEqual(Array.from({ length: 1000 }, (_, n) => n))
  expect(statusesOf(answer).at(-1)).toBe(200)
  expect(await metricOf(server, 'ph_pipelined_requests')).toBe(0)
})

test('of 1,000 requests for the client that nobody reads one is begun, and the memory stays as it is', async () => {
  expect((await fetch(`${server.url}/install/version`)).status).toBe(200)
  const held = () => {
    gc?.()
    const { external, heapUsed } = process.memoryUsage()
    return (external + heapUsed) / MiB
  }
  const before = held()
  const one = await openConnection(server.url, asText('GET /install/prop-house.tgz').repeat(1000))
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(1)
  await expect.poll(() => metricOf(server, 'ph_pipelined_requests')).toBe(1)
  expect(await metricOf(server, 'ph_downloads_under_way')).toBe(1)
  expect(held() - before).toBeLessThan(64)
  one.socket.destroy()
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(0)
  expect(await metricOf(server, 'ph_pipelined_requests')).toBe(0)
})

test('of 200 downloads that are asked for at once one file is open, and the others follow when it was read', async () => {
  const { bytes, line } = await largeFile()
  const one = await openConnection(server.url, asText(line).repeat(199) + asText(`GET ${at('/auth/me')}`, [key]))
  await expect.poll(openFiles).toBe(1)
  await expect.poll(() => metricOf(server, 'ph_pipelined_requests')).toBe(1)
  expect(openFiles()).toBe(1)
  let read = 0
  const third = new Promise<void>((resolve) => {
    one.socket.on('data', (chunk) => {
      read += chunk.length
      if (read > 3 * bytes.length) resolve()
    })
  })
  await third
  expect(openFiles()).toBe(1)
  one.socket.destroy()
  await expect.poll(openFiles).toBe(0)
})

test('the body of a request that waits is not read before its turn, and then it is taken whole', async () => {
  const { line } = await largeFile()
  const bytes = Buffer.alloc(24 * MiB, 'upload')
  const taken = new Promise<() => number>((resolve) =>
    server.app.server.once('connection', (socket) => resolve(() => socket.bytesRead)),
  )
  const one = await openConnection(server.url, asText(line))
  const bytesRead = await taken
  await expect.poll(openFiles).toBe(1)
  const put = [key, 'Content-Type: application/octet-stream', `Content-Length: ${bytes.length}`, 'Connection: close']
  one.socket.write(asText(`PUT ${at(`/blobs/${sha256(bytes)}`)}`, put))
  one.socket.write(bytes)
  await expect.poll(() => metricOf(server, 'ph_pipelined_requests')).toBe(1)
  expect(bytesRead()).toBeLessThan(MiB)
  one.read()
  await one.closed
  expect(statusesOf(one.said())).toEqual([200, 201])
})

test('who asks whether to go on hears it behind the answer before', async () => {
  const expecting = ['Expect: 100-continue', key, 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close']
  const answer = await sendRaw(
    server.url,
    asText(`GET ${at('/auth/me')}`, [key]) + asText(`POST ${at('/push/negotiate')}`, expecting, '{}'),
  )
  expect(statusesOf(answer)).toEqual([200, 100, 422])
})

test('behind requests that are in order, what is none is answered 400, and none of their answers is cut', async () => {
  const { bytes, line } = await largeFile()
  const one = await openConnection(server.url, `${asText(line)}${asText(`GET ${at('/auth/me')}`, [key])}nonsense\r\n\r\n`)
  await expect.poll(openFiles).toBe(1)
  one.read()
  await one.closed
  expect(statusesOf(one.said())).toEqual([200, 200, 400])
  expect(one.said().length).toBeGreaterThan(bytes.length)
})

test('a connection is used again and again, with one request after the other or several at a time', async () => {
  const ask = asText(`GET ${at('/auth/me')}`, [key])
  const one = await openConnection(server.url, ask, { isRead: true })
  for (const [more, all] of [
    [ask, 1],
    [ask + ask, 2],
    [ask, 4],
  ] as const) {
    await expect.poll(() => statusesOf(one.said()).length).toBe(all)
    one.socket.write(more)
  }
  await expect.poll(() => statusesOf(one.said())).toEqual(Array(5).fill(200))
})

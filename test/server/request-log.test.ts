// The line of the log that each request has, however it ends.
import { once } from 'node:events'
import { readdirSync, truncateSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { slug, keys, url: base } = await server.addWorkspace()
const mia = callAs(base, keys.mia)

const linesOf = (path: string): Json[] => server.logLines.map((line) => JSON.parse(line)).filter(({ req }) => req?.path === path)

/** Sends this, and closes the connection when all of it is on its way. */
const leave = (text: string) =>
  new Promise<void>((resolve) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.end(text).on('finish', () => setImmediate(() => socket.destroy()))
    socket.on('close', () => resolve()).on('error', () => {})
  })

test('a client that leaves in the middle of its request has a line that says from where what was asked, without a status', async () => {
  const path = '/api/v1/push/negotiate'
  await leave(
    [
      `POST /w/${slug}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.mia}\r\nX-PH-Client: ph/1.2.3\r\n`,
      'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"schema',
    ].join(''),
  )
  await expect.poll(() => linesOf(path).length).toBe(1)
  const [line] = linesOf(path)
  expect(line).toMatchObject({ level: 30, client: 'ph/1.2.3', msg: 'the connection closed before the end' })
  expect(line.req).toEqual({ method: 'POST', path, from: '127.0.0.1' })
  expect(line.res).toBeUndefined()
})

test('a request that is answered has one line, also when the client closes the connection right behind it', async () => {
  const path = '/api/v1/auth/me'
  const response = await fetch(`${server.url}/w/${slug}${path}`, {
    headers: { authorization: `Bearer ${keys.mia}`, connection: 'close' },
  })
  await response.text()
  await expect.poll(() => linesOf(path).length).toBe(1)
  await fetch(`${server.url}/readyz`)
  expect(linesOf(path)).toMatchObject([{ level: 30, res: { status: 200 }, msg: 'answered' }])
})

test('an answer that the server cannot bring to its end is an error that says what was asked', async () => {
  const [{ content_hash }] = await pushed(mia, [item({ bytes: Buffer.alloc(64_000_000, 'x') })])
  const { url } = (await mia.get(`/blobs/${content_hash}/url`)).body
  const { hostname, port, pathname, search } = new URL(url)
  const { dataDir } = server.settings
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((path) => path.includes(content_hash)) ?? ''
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  truncateSync(join(dataDir, file))
  socket.resume()
  await once(socket, 'close')
  await expect.poll(() => linesOf(pathname)).toMatchObject([{ level: 50, res: { status: 200 }, msg: 'the answer was cut off' }])
  expect(linesOf(pathname)[0].err.message).not.toBe('')
})

/** SIGTERM always ends the server, as process managers and people count on it. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPhProcess } from '../../support/ph-process.ts'
import { item } from '../../support/push.ts'
import { serverHouse } from '../../support/server-house.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** An upload of which half has arrived, and the rest never comes. */
async function halfUpload(url: string, key: string): Promise<void> {
  const { content_hash, bytes } = item()
  const headers = { authorization: `Bearer ${key}`, 'content-length': String(bytes.length), expect: '100-continue' }
  const sending = request(`${url}/api/v1/blobs/${content_hash}`, { method: 'PUT', headers })
  sending.on('error', () => {})
  onTestFinished(() => void sending.destroy())
  sending.flushHeaders()
  await new Promise((resolve) => sending.once('continue', resolve))
  sending.write(bytes.subarray(0, bytes.length / 2))
}

test('while it starts: it says nothing of being ready, and starts on the same folder afterwards', async () => {
  const data = join(temporaryFolder(), 'data')
  const starting = startPhProcess(['server', 'start', '--port', '0', '--data', data])
  await expect.poll(() => existsSync(data), { timeout: 60_000 }).toBe(true)
  starting.signal('SIGTERM')
  expect(await starting.ended).toMatchObject({ code: 0, stdout: '' })
  const again = await startServerProcess(['--data', data])
  expect((await again.stop()).code).toBe(0)
})

test('while it starts and its database does not answer', async () => {
  let isAsked = false
  const silent = createServer((socket) => {
    isAsked = true
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const env = { PH_DATABASE_URL: `postgres://ph@127.0.0.1:${(silent.address() as AddressInfo).port}/ph` }
  const starting = startPhProcess(['server', 'start', '--port', '0', '--data', join(temporaryFolder(), 'data')], { env })
  await expect.poll(() => isAsked, { timeout: 60_000 }).toBe(true)
  starting.signal('SIGTERM')
  expect(await starting.ended).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('while a request is under way that never ends', async () => {
  const house = await serverHouse()
  const server = await house.start()
  await halfUpload(server.url, house.keys.mia)
  expect(await server.stop()).toMatchObject({ code: 0, signal: null })
})

test('a second one ends it at once, without waiting for what is under way', async () => {
  const house = await serverHouse()
  const server = await house.start()
  await halfUpload(server.url, house.keys.mia)
  void server.stop()
  // It has heard the first one when it takes no more connections.
  await expect.poll(() => fetch(`${server.url}/healthz`).catch(() => 'closed'), { timeout: 60_000 }).toBe('closed')
  expect(await server.stop()).toMatchObject({ code: 130, signal: null })
})

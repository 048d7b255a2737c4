// /metrics: figures for a monitor, by route and never by address, shown to this machine only unless told otherwise.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings, SettingError } from '../../server/config.ts'
import { startServer } from '../../server/main.ts'
import { openLog } from '../../server/monitoring/log.ts'
import { MetricsListener } from '../../server/monitoring/metrics-listener.ts'
import { callAs } from '../support/api.ts'
import { startPlainProxy } from '../support/plain-proxy.ts'
import { item, pushed } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const open = await startTestServer({ metricsPublic: true, metricsPort: undefined })
const { url, keys } = await server.addWorkspace()
const own = (of = server) => new URL(of.app.metrics.url ?? 'http://nothing.listens.invalid')
const read = async (base = own().origin, headers = {}) => {
  const response = await fetch(`${base}/metrics`, { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
/** The value of one line. */
const figureOf = (text: string, line: string): number =>
  Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length),
  )

test('durations are counted by route, method and class of status, whatever the ids in the address', async () => {
  const mia = callAs(url, keys.mia)
  const [{ entry_id }] = await pushed(mia, [item()])
  await mia.get(`/entries/${entry_id}`)
  await mia.get('/entries/999999')
  await mia.get('/entries/999998')
  await mia.get('/nothing/at/all')
  await callAs(url, 'ph_live_nobody').get('/packs')
  await expect.poll(async () => (await read()).text).toContain('route="none"')
  const { text, type } = await read()
  expect(type).toMatch(/^text\/plain/)
  const count = (labels: string) => figureOf(text, `ph_http_request_duration_seconds_count{${labels}}`)
  expect(count('route="/api/v1/entries/:entry_id",method="GET",status="2xx"')).toBe(1)
  expect(count('route="/api/v1/entries/:entry_id",method="GET",status="4xx"')).toBe(2)
  expect(count('route="none",method="GET",status="4xx"')).toBe(1)
  expect(count('route="/api/v1/packs",method="GET",status="4xx"')).toBe(1)
  expect(text).not.toContain('nothing/at')
})

test('a request whose client leaves before the answer is counted as closed', async () => {
  const { hostname, port, pathname } = new URL(`${url}/api/v1/push/negotiate`)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.mia}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  )
  socket.end()
  const line = 'ph_http_request_duration_seconds_count{route="/api/v1/push/negotiate",method="POST",status="closed"}'
  await expect.poll(async () => figureOf((await read()).text, line)).toBe(1)
})

test('database, storage and what waits are there', async () => {
  const { text } = await read()
  expect(figureOf(text, 'ph_database_up')).toBe(1)
  expect(figureOf(text, 'ph_storage_up')).toBe(1)
  expect(figureOf(text, 'ph_stored_bytes')).toBeGreaterThan(0)
  expect(figureOf(text, 'ph_database_size_bytes')).toBeGreaterThan(1_000_000)
  expect(figureOf(text, 'ph_queue_depth{queue="thumbnails"}')).toBe(1)
  expect(figureOf(text, 'ph_queue_depth{queue="previews"}')).toBe(1)
  expect(figureOf(text, 'ph_queue_depth{queue="pull_jobs_queued"}')).toBe(0)
})

const refused = async (base: string, headers = {}) => {
  const { status, text } = await read(base, headers)
  expect([base, status, typeof JSON.parse(text).error]).toEqual([base, 403, 'string'])
}

test('through a proxy on this machine that says nothing of itself they are not shown, whatever is asked for', async () => {
  for (const version of ['1.0', '1.1'] as const) {
    const proxy = await startPlainProxy(server.url, version)
    expect((await fetch(`${proxy}/healthz`)).status).toBe(200)
    await refused(proxy)
    await refused(proxy, { 'x-forwarded-for': '127.0.0.1' })
    for (const path of ['/metrics/', '//metrics', '/w/first/metrics', '/%6detrics', '/METRICS', '/metrics?x'])
      expect([path, (await fetch(proxy + path)).ok]).toEqual([path, false])
  }
})

test('on the port of the server itself they are shown to nobody: nothing tells this machine from a proxy on it', async () => {
  await refused(server.url)
  await refused(server.url, { forwarded: 'for=127.0.0.1' })
})

test('the port of their own listens on 127.0.0.1 alone, has nothing else, and answers to no other name', async () => {
  const { port, origin } = own()
  await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow()
  expect((await fetch(`${origin}/api/v1/auth/me`)).status).toBe(404)
  expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405)
  const head = await fetch(`${origin}/metrics`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const named = (host: string) => sendRaw(origin, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(await named(`localhost:${port}`)).toMatch(/^HTTP\/1.1 200 /)
  // A page whose name was made to lead to this machine.
  expect(await named('evil.example:7411')).toMatch(/^HTTP\/1.1 403 /)
})

test('connections that say nothing keep no monitor out of the port of their own', async () => {
  const { port, origin } = own()
  const silent = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
  onTestFinished(() => {
    for (const socket of silent) socket.destroy()
  })
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  expect((await fetch(`${origin}/metrics`)).status).toBe(200)
  await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(100 - 64)
})

test('with PH_METRICS=public they are shown to everybody, on the port of the server', async () => {
  expect((await read(open.url, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(200)
  expect(open.app.metrics.url).toBeUndefined()
})

test('PH_METRICS is local, public, off or a port; by default it is the port above that of the server', () => {
  const chosen = (PH_METRICS: string) => {
    const { metricsPublic, metricsPort } = readSettings({}, { PH_METRICS }, '/nowhere')
    return [metricsPublic, metricsPort]
  }
  expect(chosen('')).toEqual([false, 'beside'])
  expect(chosen('local')).toEqual([false, 'beside'])
  expect(chosen('off')).toEqual([false, undefined])
  expect(chosen('9410')).toEqual([false, 9410])
  expect(chosen('public')).toEqual([true, undefined])
  for (const wrong of ['70000', '-1', 'PUBLIC', '127.0.0.1:9410']) expect(() => chosen(wrong)).toThrow(SettingError)
})

test('a port for metrics that is taken stops the start where it was chosen, and is told in the log where it was not', async () => {
  const taken = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const dataDir = temporaryFolder()
  const settings = { ...readSettings({ port: '0', data: dataDir }, {}, dataDir), databaseUrl: server.settings.databaseUrl }
  const start = startServer({ settings: { ...settings, metricsPort: port }, log: 'none' })
  await expect(start).rejects.toThrow(`PH_METRICS is "${port}"`)
  const lines: string[] = []
  const beside = new MetricsListener(async () => ({ contentType: 'text/plain', text: '' }))
  await beside.open(
    { ...settings, metricsPort: 'beside', port: port - 1 },
    port - 1,
    openLog({ write: (line) => lines.push(line) }),
  )
  expect(beside.url).toBeUndefined()
  await expect.poll(() => lines.join('')).toContain(`No metrics are shown: 127.0.0.1:${port}`)
  taken.close()
})

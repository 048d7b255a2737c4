// /metrics: figures for a monitor, by route and never by address, shown to this machine only unless told otherwise.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const open = await startTestServer({ metricsPublic: true })
const { url, keys } = await server.addWorkspace()
const read = async (base = server.url, headers = {}) => {
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
  await expect.poll(async () => (await read()).text).toContain('route="none"')
  const { text, type } = await read()
  expect(type).toMatch(/^text\/plain/)
  const count = (labels: string) => figureOf(text, `ph_http_request_duration_seconds_count{${labels}}`)
  expect(count('route="/api/v1/entries/:entry_id",method="GET",status="2xx"')).toBe(1)
  expect(count('route="/api/v1/entries/:entry_id",method="GET",status="4xx"')).toBe(2)
  expect(count('route="none",method="GET",status="4xx"')).toBe(1)
  expect(text).not.toContain('nothing/at')
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

test('whoever comes through a proxy is not on this machine, whatever they say', async () => {
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
  ]) {
    const { status, text } = await read(server.url, headers)
    expect([status, typeof JSON.parse(text).error]).toEqual([403, 'string'])
  }
})

test('with PH_METRICS=public they are shown to everybody', async () => {
  expect((await read(open.url, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(200)
})

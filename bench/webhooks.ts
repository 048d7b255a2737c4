/**
 * Times deliveries to webhooks: so many events to ten endpoints, each once, while pages of entries are asked for; the same beside an endpoint
 * that hangs; and what a bare sender needs for as many requests to the same receiver.
 *   [bin/postgres.sh] npx node bench/webhooks.ts WORK [--events 10000] [--embedded 10000] [--endpoints 10]
 * bench/README.md says what came out.
 */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Agent } from 'undici'
import { PhAsker } from './ask-ph.ts'
import { type PhServer, startPh } from './ph.ts'
import { workFolderOf } from './work-folder.ts'

const database = process.env.PH_TEST_DATABASE_URL
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** On PostgreSQL; 0: leave it out. */
    events: { type: 'string', default: database ? '10000' : '0' },
    /** On PGlite; 0: leave it out. */
    embedded: { type: 'string', default: '10000' },
    endpoints: { type: 'string', default: '10' },
  },
})
const work = workFolderOf(positionals)
const endpoints = Number(values.endpoints)
const entryCount = 500
const atOnce = 4

/** Counts what comes to each path, and each event once more when it comes again. */
async function startReceiver() {
  const seen = new Map<string, Set<string>>()
  let requests = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/hangs') return void request.resume()
    requests++
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(parts).toString()) as { id: number }
      const ids = seen.get(path) ?? new Set()
      seen.set(path, ids.add(String(id)))
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    distinct: () => [...seen.values()].reduce((sum, ids) => sum + ids.size, 0),
    forget() {
      seen.clear()
      requests = 0
    },
    end: () => server.close(),
  }
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Props for pull jobs to name: an event is recorded for each that a job brings. */
async function makeEntries(ph: PhAsker, server: PhServer): Promise<number[]> {
  const items = Array.from({ length: entryCount }, (_, at) => {
    const bytes = Buffer.from(`prop ${at} of the benchmark`)
    const content_hash = createHash('sha256').update(bytes).digest('hex')
    const asset_name = `SM_Prop_${at}`
    const named = { asset_name, origin_path: `/Game/Bench/${asset_name}`, engine_version: '5.4.0', asset_class: 'StaticMesh' }
    return { bytes, item: { content_hash, blob_size: bytes.length, ...named, entry: { entry_type: 'mesh', name: asset_name } } }
  })
  for (const { bytes, item } of items)
    await fetch(`${server.url}/api/v1/blobs/${item.content_hash}`, {
      method: 'PUT',
      body: bytes,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/octet-stream' },
    })
  const { results } = await ph.send<{ results: { entry_id: number }[] }>('POST', '/push/commit', {
    items: items.map(({ item }) => item),
  })
  return results.map(({ entry_id }) => entry_id)
}

const until = async (isSo: () => boolean, whileWaiting: () => Promise<unknown>): Promise<void> => {
  while (!isSo()) await whileWaiting()
}

const p95 = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN

async function pageMs(ph: PhAsker): Promise<number> {
  const started = performance.now()
  await ph.bytes('/entries?limit=50')
  const took = performance.now() - started
  // As someone who pages on.
  await new Promise((resolve) => setTimeout(resolve, 20))
  return took
}

interface Round {
  ph: PhAsker
  receiver: Receiver
  entries: readonly number[]
  events: number
  isHanging: boolean
}

/** Endpoints that were paused while the events happened are let go at once. */
async function timeRound({
  ph,
  receiver,
  entries,
  events,
  isHanging,
}: Round): Promise<{ seconds: number; p95Ms: number; requests: number }> {
  receiver.forget()
  const paths = Array.from({ length: endpoints }, (_, at) => `/in${at}`)
  const ids: number[] = []
  for (const path of isHanging ? ['/hangs', ...paths] : paths) {
    const { id } = await ph.send<{ id: number }>('POST', '/admin/webhooks', {
      url: `${receiver.url}${path}`,
      events: ['download.pull'],
      active: false,
    })
    ids.push(id)
  }
  for (let made = 0; made < events; made += entries.length)
    await ph.send('POST', '/pull-jobs', {
      target_project: 'Bench',
      entries: entries.slice(0, events - made).map((entry_id) => ({ entry_id })),
    })
  const times: number[] = []
  const started = performance.now()
  for (const id of ids) await ph.send('PATCH', `/admin/webhooks/${id}`, { active: true })
  await until(
    () => receiver.distinct() === events * endpoints,
    async () => times.push(await pageMs(ph)),
  )
  const seconds = (performance.now() - started) / 1000
  for (const id of ids) await ph.send('DELETE', `/admin/webhooks/${id}`)
  process.stderr.write(`${isHanging ? 'beside one that hangs' : 'plain'}: ${seconds.toFixed(1)} s\n`)
  return { seconds, p95Ms: p95(times), requests: receiver.requests() }
}

/** As many requests with as large a body, as many at once, and nothing else. */
async function timeBare(receiver: Receiver, events: number): Promise<number> {
  receiver.forget()
  const agent = new Agent()
  const started = performance.now()
  const body = (id: number) =>
    JSON.stringify({
      id,
      type: 'download.pull',
      actor: { id: 1, name: 'bo', display_name: 'Bo' },
      payload: { filler: 'x'.repeat(150) },
    })
  const send = async (path: string, from: number): Promise<void> => {
    for (let id = from; id < events; id += atOnce) {
      const answer = await agent.request({ origin: receiver.url, path, method: 'POST', body: body(id) })
      await answer.body.dump()
    }
  }
  const lanes = Array.from({ length: endpoints * atOnce }, (_, lane) => send(`/in${Math.floor(lane / atOnce)}`, lane % atOnce))
  await Promise.all(lanes)
  await agent.close()
  return (performance.now() - started) / 1000
}

async function measure(name: string, events: number, at: string | undefined): Promise<string[]> {
  const lifted = {
    PH_RATE_LIMIT_REQUESTS: '1000000000',
    PH_RATE_LIMIT_PUSH: '1000000000',
    PH_WEBHOOK_ALLOW_PRIVATE: '1',
    PH_EMBEDDER: 'off',
  }
  const server = await startPh(join(work, name.replaceAll(/\W+/g, '-')), at, { env: lifted, isSilent: true })
  const receiver = await startReceiver()
  const ph = new PhAsker(server)
  try {
    const entries = await makeEntries(ph, server)
    const quiet: number[] = []
    for (let n = 0; n < 200; n++) quiet.push(await pageMs(ph))
    const bare = await timeBare(receiver, events)
    process.stderr.write(`bare: ${bare.toFixed(1)} s\n`)
    const plain = await timeRound({ ph, receiver, entries, events, isHanging: false })
    const hanging = await timeRound({ ph, receiver, entries, events, isHanging: true })
    const sent = events * endpoints
    const row = (what: string, { seconds, p95Ms, requests }: typeof plain) =>
      `| ${name} | ${what} | ${seconds.toFixed(1)} s | ${Math.round(sent / seconds)} /s | ${requests - sent} | ${p95Ms.toFixed(1)} ms | ${(p95Ms / p95(quiet)).toFixed(2)} |`
    return [
      `| ${name} | a bare sender | ${bare.toFixed(1)} s | ${Math.round(sent / bare)} /s | | ${p95(quiet).toFixed(1)} ms, quiet | 1 |`,
      row(`${events} events to ${endpoints} endpoints`, plain),
      row('the same, beside one that hangs', hanging),
    ]
  } finally {
    await ph.close()
    receiver.end()
    await server.end()
  }
}

const lines = ['| database | what | time | rate | sent twice | page of entries, p95 | ÷ quiet |', '|---|---|---|---|---|---|---|']
for (const [name, events, at] of [
  ['PostgreSQL', Number(values.events), database],
  ['PGlite', Number(values.embedded), undefined],
] as const)
  if (events > 0) lines.push(...(await measure(name, events, at)))
process.stdout.write(`${lines.join('\n')}\n`)

/**
 * How long a server stands still while its catalog takes in changes: the longest stops of its event loop while questions by name and by
 * word are asked, without changes, with one at a time, and with 5,000 at once. Prints one markdown table.
 *   [bin/postgres.sh] npx node bench/search-pauses.ts WORK [--entries 100000] [--rounds 20] [--keep]
 */
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { request } from 'undici'
import { PhAsker } from './ask-ph.ts'
import { placeOf } from './made-place.ts'
import type { PhServer } from './ph.ts'
import { commonWords, rareWords } from './search-questions.ts'
import { workFolderOf } from './work-folder.ts'

type Server = Omit<PhServer, 'end'>

interface Stops {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '20' },
    /** Leaves the library for the next run, and takes the one that is there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
const [entries, rounds] = [Number(values.entries), Number(values.rounds)]
/** Of one bulk call, and how many calls make 5,000. */
const [most, calls] = [1000, 5]

/** What the server has told since it was asked last. */
async function stopsOf(server: Server): Promise<Stops> {
  const told = () => [...server.log().matchAll(/loop delay (\{.*\})\n/g)]
  const before = told().length
  process.kill(server.pid, 'SIGUSR2')
  while (told().length === before) await pause(5)
  return JSON.parse(told().at(-1)?.[1] ?? '{}') as Stops
}

async function send({ url, key }: Server, [method, path]: readonly ['PATCH' | 'POST', string], body: object): Promise<void> {
  const answer = await request(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`)
}

const rareOnes = rareWords(entries)

/** By name, by a common beginning and by rare words, as after every round of changes. */
async function ask(ph: PhAsker, round: number): Promise<void> {
  const word = commonWords[round % commonWords.length]
  const rare = rareOnes[round % rareOnes.length]
  for (const path of [
    '/entries?limit=50',
    `/entries?q=${word}&limit=50`,
    `/entries?q=${rare}&limit=50`,
    '/entries?sort=date_updated&limit=50',
  ])
    await ph.bytes(path)
}

async function idsOf(ph: PhAsker): Promise<number[]> {
  const ids: number[] = []
  let cursor = ''
  while (ids.length < most * calls) {
    const page = await ph.page(`/entries?sort=blob_size&limit=200${cursor}`)
    ids.push(...page.entries.map(({ id }) => id))
    if (page.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  return ids
}

async function measure(server: Server): Promise<[string, Stops][]> {
  const ph = new PhAsker(server)
  const ids = await idsOf(ph)
  const changes: [string, (round: number) => Promise<unknown>][] = [
    ['warming up', async () => {}],
    ['no changes', async () => {}],
    ['one entry renamed', (round) => send(server, ['PATCH', `/entries/${ids[round]}`], { name: `Barrel ${round}` })],
    [
      `${most * calls} entries in another category`,
      (round) =>
        Promise.all(
          Array.from({ length: calls }, (_, call) => {
            const entry_ids = ids.slice(call * most, (call + 1) * most)
            return send(server, ['POST', '/entries/category/bulk'], { entry_ids, category: `Round ${round}` })
          }),
        ),
    ],
  ]
  const rows: [string, Stops][] = []
  for (const [what, change] of changes) {
    await stopsOf(server)
    for (let round = 0; round < rounds; round++) {
      await change(round)
      await ask(ph, round)
    }
    rows.push([what, await stopsOf(server)])
  }
  await ph.close()
  return rows.slice(1)
}

const place = await placeOf({ work, entries, database: process.env.PH_TEST_DATABASE_URL })
const preload = pathToFileURL(`${import.meta.dirname}/loop-delay.ts`).href
try {
  const server = await place.start({ env: { PH_RATE_LIMIT_REQUESTS: '1000000000', NODE_OPTIONS: `--import ${preload}` } })
  try {
    const lines = (await measure(server)).map(
      ([what, { p50Ms, p99Ms, maxMs }]) => `| ${what} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${maxMs.toFixed(1)} |`,
    )
    const head = `| ${entries.toLocaleString('en')} entries, ${place.url ? 'PostgreSQL' : 'PGlite'} | p50 ms | p99 ms | longest ms |`
    process.stdout.write(`${[head, '| --- | --- | --- | --- |', ...lines].join('\n')}\n`)
  } finally {
    await server.stop()
  }
} finally {
  if (!values.keep) await place.remove()
}

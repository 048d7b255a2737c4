/**
 * Times the mirror of a made-up library: its first load, looking in it, and following changes; prints one markdown table. Within
 * bin/postgres.sh on PostgreSQL, else on PGlite.
 *   bin/postgres.sh npx node bench/mirror.ts WORK [--entries 100000] [--most 300] [--seconds 3] [--keep]
 * bench/README.md says what is needed and what came out.
 */
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findFolders } from '../client/folders.ts'
import { createApi } from '../client/http/api.ts'
import { Http } from '../client/http/http.ts'
import { followOnce } from '../client/mirror/follow.ts'
import { keepMirror } from '../client/mirror/keep.ts'
import { type Mirror, openMirror } from '../client/mirror/mirror.ts'
import { type ListQuestion, searchMirror } from '../client/mirror/search/search.ts'
import { timeAnswers } from './latency.ts'
import { placeOf } from './made-place.ts'
import { type PhServer, ph } from './ph.ts'
import { ran, timed } from './processes.ts'
import { commonWords, listings, rareWords, typedWords } from './search-questions.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string', default: '100000' },
    /** Questions of each kind, and how long they may take. */
    most: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '3' },
    /** Leaves the library for the next run, and takes the one that is there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
const entries = Number(values.entries)
const bounds = { most: Number(values.most), seconds: Number(values.seconds) }
const lines: string[][] = []

function add(what: string, figure: string, wanted = ''): void {
  lines.push([what, figure, wanted, loadavg()[0]?.toFixed(1) ?? ''])
  process.stderr.write(`${what}: ${figure}\n`)
}

type Running = Pick<PhServer, 'url' | 'key' | 'pid'>

/** By the program as people run it: its start and the server's work are in the time. */
function timeLoad(server: Running, env: Record<string, string>): void {
  ran(ph(['mirror', 'rebuild'], env))
  const { wallS, cpuS = 0, peakMiB = 0 } = timed(ph(['mirror', 'rebuild'], env), work)
  const rate = Math.round(entries / wallS).toLocaleString('en')
  add(
    'first load',
    `${wallS.toFixed(1)} s, ${rate} rows a second, CPU ${cpuS.toFixed(1)} s, ${peakMiB.toFixed(0)} MiB`,
    '25,000 rows a second, 450 MiB',
  )
  add(
    'ph search, the whole program',
    `${(timed(ph(['search', 'barrel', '--offline', '--json'], env), work).wallS * 1000).toFixed(0)} ms`,
  )
  process.stderr.write(`server ${server.pid}\n`)
}

async function timeQuestions(mirror: Mirror): Promise<void> {
  const rare = rareWords(entries)
  const kinds: [string, readonly ListQuestion[]][] = [
    ['a rare word', rare.map((q) => ({ q }))],
    ['words as they are typed', typedWords.map((q) => ({ q }))],
    ['two words', typedWords.map((q) => ({ q: `${q} oak` }))],
    ['a word that half of it matches', commonWords.map((q) => ({ q }))],
    ['a word, in a category', typedWords.map((q) => ({ q, category: ['Props'] }))],
    ...listings.map((listing): [string, ListQuestion[]] => {
      const filters = listing.filters.map(({ query }) => query)
      return [
        `list: ${filters.join(', ') || 'all'}, by ${listing.sort}`,
        [{ ...questionOf(filters), sort: listing.sort, order: listing.order }],
      ]
    }),
  ]
  for (const [kind, questions] of kinds) {
    const before = process.cpuUsage()
    let answered = 0
    const ask = (turn: number) => {
      answered++
      return searchMirror(mirror, { limit: 50, ...(questions[turn % questions.length] ?? {}) })
    }
    const { p50Ms, p95Ms } = await timeAnswers(ask, bounds)
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1000 / answered
    add(kind, `${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms`, '20 ms')
  }
}

const numeric = /_(min|max)$|^pack$/

/** Filters as addresses say them. */
function questionOf(filters: readonly string[]): ListQuestion {
  const question: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(filters.join('&'))) {
    const read = value === 'true' ? true : numeric.test(name) ? Number(value) : value
    const isList = ['type', 'category', 'exclude_category', 'tag', 'pack'].includes(name)
    question[name] = isList ? [...((question[name] as unknown[]) ?? []), read] : read
  }
  return question as ListQuestion
}

async function timeFollowing(mirror: Mirror, server: Running): Promise<void> {
  const http = new Http({ url: server.url, key: server.key })
  const api = createApi(http)
  try {
    const tag = await api.tags.create({ name: `bench ${Date.now()}` })
    await followOnce(mirror, api)
    for (const count of [1, 1000]) {
      const entry_ids = Array.from({ length: count }, (_, at) => at + 1)
      await api.tags.bulk({ tag_id: tag.id, entry_ids, action: 'add' })
      const started = performance.now()
      const { applied } = await followOnce(mirror, api)
      add(`following ${applied} changed entries`, `${(performance.now() - started).toFixed(0)} ms`)
    }
    const idle = await timeAnswers(() => followOnce(mirror, api), bounds)
    add('asking when nothing changed', `${idle.p50Ms.toFixed(1)} ms`)
  } finally {
    await http.close()
  }
}

/** From the answer to a change until it is in the mirror, kept as the agent keeps it while an editor is open. */
async function timeKeeping(
  mirror: Mirror,
  server: Running,
  { isLive, rounds }: { isLive: boolean; rounds: number },
): Promise<void> {
  const http = new Http({ url: server.url, key: server.key })
  const api = createApi(http)
  const ending = new AbortController()
  async function* heads(signal: AbortSignal) {
    for await (const event of api.changes.live({}, { signal })) if (event.event === 'head') yield event.data
  }
  const live = isLive ? { live: heads } : {}
  const kept = keepMirror(mirror, api, { signal: ending.signal, hasEditor: () => true, ...live }).catch(() => undefined)
  const times: number[] = []
  try {
    const tag = await api.tags.create({ name: `kept ${Date.now()}` })
    for (let round = 0; round < rounds; round++) {
      await sleep(100 + ((round * 1237) % 900))
      await api.tags.bulk({ tag_id: tag.id, entry_ids: [round + 1], action: 'add' })
      const startedMs = performance.now()
      while (!tagsOf(mirror, round + 1).includes(tag.name)) await sleep(5)
      times.push(performance.now() - startedMs)
    }
  } finally {
    ending.abort()
    await kept
    await http.close()
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => `${times[Math.floor((times.length - 1) * share)]?.toFixed(0)} ms`
  const how = isLive ? 'live' : 'asking by the clock, with an editor'
  add(`a change is in the mirror, ${how}`, `${at(0.5)}, most ${at(1)}`, isLive ? '1 s' : '5 s')
}

const tagsOf = (mirror: Mirror, id: number): string =>
  mirror.loaded.prepare('select tags from records where id = ?').pluck().get(id) as string

async function main(): Promise<void> {
  const place = await placeOf({ work, entries, database: process.env.PH_TEST_DATABASE_URL })
  const server = await place.start({ env: { PH_RATE_LIMIT_REQUESTS: '1000000000' }, isSilent: true })
  const state = join(work, 'mirror-state')
  const mirror = openMirror(findFolders({ PH_STATE_DIR: state }), server.url)
  try {
    timeLoad(server, {
      PH_URL: server.url,
      PH_API_KEY: server.key,
      PH_STATE_DIR: state,
      PH_CONFIG_DIR: state,
      PH_CACHE_DIR: state,
    })
    add('the file', `${(mirror.files.bytes() / 2 ** 20).toFixed(0)} MiB`)
    await timeQuestions(mirror)
    await timeFollowing(mirror, server)
    await timeKeeping(mirror, server, { isLive: true, rounds: 40 })
    await timeKeeping(mirror, server, { isLive: false, rounds: 8 })
  } finally {
    mirror.close()
    await server.stop()
    if (!values.keep) await place.remove()
  }
  const head = ['what', `${entries.toLocaleString('en')} entries`, 'wanted', 'load']
  const table = [head, head.map(() => '---'), ...lines]
  process.stdout.write(`${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
}

await main()

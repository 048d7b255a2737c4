/**
 * Times the catalog's search beside SQLite FTS5 and plain SQL over the same made-up entries, on one machine in one run, and prints one
 * markdown table.
 *   bin/postgres.sh npx node bench/search.ts WORK [--entries 1000000] [--embedded 100000] [--most 300] [--seconds 3] [--rounds 3]
 *     [--contenders sqlite,postgres] [--rows 'facets'] [--keep]
 * bench/README.md says what is needed and what came out.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { PhAsker } from './ask-ph.ts'
import { fillPostgres, fillSqlite } from './contender-tables.ts'
import { pageKeys, ratePages } from './job-pages.ts'
import { Answers, timeAnswers } from './latency.ts'
import { type MadePlace, placeOf } from './made-place.ts'
import type { PhServer } from './ph.ts'
import { memoryOf } from './processes.ts'
import { commonWords } from './search-questions.ts'
import { asksPostgres, asksSqlite, pageSize, type Row, rowsOf } from './search-rows.ts'
import { workFolderOf } from './work-folder.ts'

const database = process.env.PH_TEST_DATABASE_URL

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** On PostgreSQL; 0: leave it out. */
    entries: { type: 'string', default: database ? '1000000' : '0' },
    /** On PGlite; 0: leave it out. */
    embedded: { type: 'string', default: '100000' },
    /** Questions of each kind, and how long they may take. */
    most: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    contenders: { type: 'string', default: 'sqlite,postgres' },
    /** Only rows with this in their question. */
    rows: { type: 'string', default: '' },
    /** Leaves the libraries for the next run, and takes those that are there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
const answers = new Answers()
const [most, seconds] = [Number(values.most), Number(values.seconds)]
const known = values.contenders.split(',')

/** Everything about one library: build and memory, every row beside its contenders, pages per second. */
async function measure(place: MadePlace): Promise<void> {
  const size = place.entries.toLocaleString('en')
  const ours = place.url ? 'ph, PostgreSQL' : 'ph, PGlite'
  const others = await fillContenders(place)
  const server = await place.start({ env: { PH_RATE_LIMIT_REQUESTS: '1000000000' }, keys: pageKeys, isSilent: true })
  const ph = new PhAsker(server)
  try {
    const started = performance.now()
    await ph.bytes(`/entries?q=${commonWords[0]}&limit=${pageSize}`)
    const builtS = (performance.now() - started) / 1000
    const wanted = '5 (15) s'
    answers.addOnce(`building the index, ${size}`, ours, { text: `${builtS.toFixed(2)} s`, figure: builtS, wanted })
    for (const { tool, filledS } of others)
      answers.addOnce(`building the index, ${size}`, tool, { text: `${filledS.toFixed(1)} s`, figure: filledS })
    for (const row of await rowsOf(ph, place.entries, values.rows))
      await timeRow({ ...row, question: `${row.question}, ${size}` }, { ours, others })
    const { nowMiB, peakMiB } = memoryOf(server)
    const text = `${nowMiB.toFixed(0)} MiB, at most ${peakMiB.toFixed(0)}`
    answers.addOnce(`memory of the process, ${size}`, ours, { text, figure: nowMiB, wanted: '600 MiB (1 GiB)' })
    await timePages(server, { ours, size, isEmbedded: !place.url })
  } finally {
    await ph.close()
    await server.stop()
    for (const { end } of others) await end()
  }
}

interface Other {
  tool: string
  filledS: number
  ask(row: Row): ReturnType<typeof asksSqlite> | undefined
  end(): Promise<void>
}

async function fillContenders(place: MadePlace): Promise<Other[]> {
  const others: Other[] = []
  const started = performance.now()
  if (known.includes('sqlite')) {
    const file = join(work, `fts-${place.entries}.sqlite`)
    rmSync(file, { force: true })
    const db = fillSqlite(file, place.entries)
    const end = async (): Promise<void> => {
      db.close()
      rmSync(file)
    }
    others.push({
      tool: 'SQLite FTS5, no HTTP',
      filledS: (performance.now() - started) / 1000,
      ask: ({ sqlite }) => sqlite && asksSqlite(db, sqlite),
      end,
    })
  }
  if (known.includes('postgres') && place.url) {
    const filling = performance.now()
    const sql = postgres(place.url, { max: 1, onnotice: () => {} })
    await fillPostgres(sql)
    others.push({
      tool: 'plain SQL, PostgreSQL, no HTTP',
      filledS: (performance.now() - filling) / 1000,
      ask: ({ postgres: statements }) => statements && asksPostgres(sql, statements),
      end: () => sql.end(),
    })
  }
  return others
}

async function timeRow(row: Row, { ours, others }: { ours: string; others: readonly Other[] }): Promise<void> {
  answers.add(row.question, ours, { timing: await timeAnswers(row.ph, { most, seconds }), wanted: row.wanted })
  for (const { tool, ask } of others) {
    const asking = ask(row)
    if (asking) answers.add(row.question, tool, { timing: await timeAnswers(asking, { most, seconds }) })
  }
}

async function timePages(
  server: Pick<PhServer, 'url' | 'key'>,
  { ours, size, isEmbedded }: { ours: string; size: string; isEmbedded: boolean },
): Promise<void> {
  const question = `pages of ${pageSize} per second, ${size}`
  if (!question.includes(values.rows)) return
  const rounds = Number(values.rounds)
  const rates = await ratePages(server, {
    scratch: join(work, 'pages'),
    database: isEmbedded ? undefined : database,
    rounds,
    seconds,
  })
  const wanted = `0.85 (0.5) of it; here ${rates.share.toFixed(2)}`
  answers.addOnce(question, ours, { text: `${Math.round(rates.ours)} /s`, figure: 1 / rates.ours, wanted })
  answers.addOnce(question, `bare Fastify, stored JSON from ${isEmbedded ? 'PGlite' : 'PostgreSQL'}`, {
    text: `${Math.round(rates.bare)} /s`,
    figure: 1 / rates.bare,
  })
}

async function main(): Promise<void> {
  const places = [
    { entries: Number(values.entries), database },
    { entries: Number(values.embedded), database: undefined },
  ]
  for (const wanted of places) {
    if (wanted.entries === 0) continue
    const place = await placeOf({ work, ...wanted })
    try {
      await measure(place)
    } finally {
      if (!values.keep) await place.remove()
    }
  }
}

try {
  await main()
} finally {
  // What was measured before something failed is worth having.
  process.stdout.write(`${answers.markdown()}\n`)
}

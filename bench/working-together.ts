/**
 * Times what people do with each other in a library of made-up entries, each question in turn with a plain one, and prints one markdown
 * table: check-outs, comments, reviews, queues and inboxes.
 *   bin/postgres.sh npx node bench/working-together.ts WORK [--entries 100000] [--embedded 100000] [--most 300] [--seconds 10]
 *     [--rows review] [--keep]
 * bench/README.md says what is needed and what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ReviewRequest } from '../contract/review-requests.ts'
import { PhAsker } from './ask-ph.ts'
import { timeCheckOuts } from './job-check-out.ts'
import { Answers, timeInTurn } from './latency.ts'
import { type MadePlace, placeOf } from './made-place.ts'
import { makeTeam, watchEntry } from './made-team.ts'
import { type PhServer, workspaceSlug } from './ph.ts'
import { type Around, plainRead, plainWrite, rowsOf } from './team-rows.ts'
import { workFolderOf } from './work-folder.ts'

const database = process.env.PH_TEST_DATABASE_URL

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** On PostgreSQL; 0: leave it out. */
    entries: { type: 'string', default: database ? '100000' : '0' },
    /** On PGlite; 0: leave it out. */
    embedded: { type: 'string', default: '100000' },
    /** Questions of each kind, and how long they may take. */
    most: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '10' },
    /** Only rows with this in their question. */
    rows: { type: 'string', default: '' },
    /** Leaves the libraries for the next run, and takes those that are there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
const answers = new Answers()
const limits = { most: Number(values.most), seconds: Number(values.seconds) }

const sizesOf = (entries: number) => ({ people: 1100, rounds: Math.min(20_000, entries / 5), notifications: 100_000 })
const watchers = 1000
/** The rounds are on the newest entries, so they are on none of these. */
const [firstFree, freeEntries, watchedId] = [1, 600, 5000]

async function aroundOf(ph: PhAsker, isEmbedded: boolean): Promise<Around> {
  const free: Around['free'][number][] = []
  for (let id = firstFree; free.length < freeEntries; id++)
    free.push(JSON.parse(Buffer.from(await ph.bytes(`/entries/${id}`)).toString()))
  const queue = await ph.bytes('/review-requests?view=waiting_on_me&limit=200')
  const { requests } = JSON.parse(Buffer.from(queue).toString()) as { requests: ReviewRequest[] }
  const reviewerId = requests[0]?.requested_by.id
  if (reviewerId === undefined) throw new Error('no round waits')
  return { ph, free, rounds: requests, reviewerId, watchedId, isEmbedded }
}

async function timeRows(
  server: Omit<PhServer, 'end'>,
  { ours, isEmbedded }: { ours: string; isEmbedded: boolean },
): Promise<void> {
  const ph = new PhAsker(server)
  try {
    const around = await aroundOf(ph, isEmbedded)
    const tag = await ph.send<{ id: number }>('POST', '/tags', { name: `bench ${Date.now()}` })
    const [write, read] = [plainWrite(around, tag.id), plainRead(around)]
    for (const row of rowsOf(around)) {
      if (!row.question.includes(values.rows)) continue
      const plain = row.beside === 'write' ? write : read
      const [timing, besides] = await timeInTurn([row.ask, plain], { ...limits, before: row.before })
      answers.add(row.question, ours, { timing, wanted: row.wanted })
      answers.add(row.question, `${row.beside === 'write' ? 'one tag' : 'who am I'}, in turn`, { timing: besides })
    }
    await timeMarking(ph, ours)
  } finally {
    await ph.close()
  }
}

/** All of them at once, and all of them again as far as nobody has seen them. */
async function timeMarking(ph: PhAsker, ours: string): Promise<void> {
  for (const [question, path, body] of [
    ['100,000 notifications seen', '/notifications/seen', {}],
    ['100,000 notifications read', '/notifications/read', { all: true }],
  ] as const) {
    if (!question.includes(values.rows)) continue
    const started = performance.now()
    const { updated } = await ph.send<{ updated: number }>('POST', path, body)
    const figure = (performance.now() - started) / 1000
    answers.addOnce(question, ours, { text: `${figure.toFixed(2)} s for ${updated}`, figure })
  }
}

async function measure(place: MadePlace): Promise<void> {
  const isEmbedded = place.url === undefined
  const ours = isEmbedded ? 'ph, PGlite' : 'ph, PostgreSQL'
  await place.alter(async (sql) => {
    await makeTeam(sql, workspaceSlug, sizesOf(place.entries))
    await watchEntry(sql, workspaceSlug, { entryId: watchedId, people: watchers })
  })
  const server = await place.start({
    env: { PH_RATE_LIMIT_REQUESTS: '1000000000', PH_RATE_LIMIT_PUSH: '1000000000' },
    isSilent: true,
  })
  try {
    await timeRows(server, { ours, isEmbedded })
    for (const { question, seconds, wanted } of await timeCheckOuts(server, join(work, `project-${isEmbedded}`), values.rows))
      answers.addOnce(question, ours, { text: `${seconds.toFixed(2)} s`, figure: seconds, wanted })
  } finally {
    await server.stop()
  }
}

try {
  for (const wanted of [
    { entries: Number(values.entries), database },
    { entries: Number(values.embedded), database: undefined },
  ]) {
    if (wanted.entries === 0) continue
    const place = await placeOf({ work, ...wanted })
    try {
      await measure(place)
    } finally {
      if (!values.keep) await place.remove()
    }
  }
} finally {
  // What was measured before something failed is worth having.
  process.stdout.write(`${answers.markdown()}\n`)
}

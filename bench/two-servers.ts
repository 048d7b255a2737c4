/**
 * Page requests per second that two server processes on one PostgreSQL answer, beside one alone, by two wrk at the same time, in turn.
 * Prints one markdown table.
 *   bin/postgres.sh npx node bench/two-servers.ts WORK [--entries 100000] [--rounds 5] [--seconds 5] [--keep]
 * bench/README.md says what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pageKeys, pageScript } from './job-pages.ts'
import { placeOf } from './made-place.ts'
import { median } from './table.ts'
import { workFolderOf } from './work-folder.ts'
import { rateTogether } from './wrk.ts'

const database = process.env.PH_TEST_DATABASE_URL
if (!database) throw new Error('two servers need PostgreSQL: bin/postgres.sh npx node bench/two-servers.ts …')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    /** Leaves the library for the next run, and takes the one that is there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
/** Of each of the two wrk. */
const connections = 8

const place = await placeOf({ work, entries: Number(values.entries), database })
const around = { env: { PH_RATE_LIMIT_REQUESTS: '1000000000' }, keys: pageKeys, isSilent: true }
const servers: Awaited<ReturnType<typeof place.start>>[] = []
try {
  const first = await place.start(around)
  servers.push(first)
  const second = await place.start(around)
  servers.push(second)
  // Each builds its index when it is first asked.
  await pageScript(second, join(work, 'scripts'))
  const script = await pageScript(first, join(work, 'scripts'))
  const rateOn = (urls: string[], seconds: number) =>
    rateTogether(
      urls.map((url) => ({ url, script })),
      { seconds, connections },
    )
  const [alone, both] = [
    [first.url, first.url],
    [first.url, second.url],
  ]
  for (const urls of [alone, both]) await rateOn(urls, 3)
  const rounds: { one: number; two: number }[] = []
  for (let round = 0; round < Number(values.rounds); round++)
    rounds.push({ one: await rateOn(alone, Number(values.seconds)), two: await rateOn(both, Number(values.seconds)) })
  const ratios = rounds.map(({ one, two }) => two / one)
  const [one, two] = [median(rounds.map((round) => round.one)), median(rounds.map((round) => round.two))]
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
  process.stdout.write(`| one process | two processes | two ÷ one (min–max of the rounds) |
|---|---|---|
| ${one.toFixed(0)} pages/s | ${two.toFixed(0)} pages/s | ${median(ratios).toFixed(2)} (${range}) |
`)
} finally {
  for (const server of servers) await server.stop()
  if (!values.keep) await place.remove()
}

/**
 * Times assistants: a hundred clients that ask the hosted endpoint once a second, beside as many that ask the same of `GET /entries`; and
 * what a long session adds to the memory of a server and of `ph mcp`. Prints one markdown table.
 *   npx node bench/assistants.ts WORK [--entries 10000] [--clients 100] [--rounds 4] [--seconds 15] [--calls 2000] [--keep]
 *   bin/postgres.sh npx node bench/assistants.ts …     on PostgreSQL
 * bench/README.md says what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AssistantLine, hostedLine, restLine, stdioLine } from './assistant-line.ts'
import { Answers, timingOf } from './latency.ts'
import { placeOf } from './made-place.ts'
import { type PhServer, person } from './ph.ts'
import { memoryOf } from './processes.ts'
import { nouns } from './prop-words.ts'
import { askEverySecond } from './steady-clients.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    entries: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '100' },
    /** Of each kind, in turn, and how long each is. */
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    /** Of a long session; a tenth of them come before it is measured. */
    calls: { type: 'string', default: '2000' },
    /** Leaves the library for the next run, and takes the one that is there. */
    keep: { type: 'boolean', default: false },
  },
})
const work = workFolderOf(positionals)
const database = process.env.PH_TEST_DATABASE_URL
const ours = database ? 'ph, PostgreSQL' : 'ph, PGlite'
const answers = new Answers()
const wordOf = (turn: number): string => nouns[turn % nouns.length] ?? 'barrel'

type Started = Omit<PhServer, 'end'>

async function timeClients(server: Started): Promise<void> {
  const [clients, seconds] = [Number(values.clients), Number(values.seconds)]
  const paths = {
    mcp: hostedLine(server, clients),
    rest: restLine(server, clients),
  }
  const times: Record<keyof typeof paths, number[]> = { mcp: [], rest: [] }
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [kind, line] of Object.entries(paths) as [keyof typeof paths, AssistantLine][]) {
      const taken = await askEverySecond((turn) => line.search(wordOf(turn)), { clients, seconds: round === 0 ? 3 : seconds })
      // The first of them only warms.
      if (round > 0) times[kind].push(...taken)
    }
  const question = `${clients} clients, one search a second each`
  answers.add(question, `${ours}, search of the hosted endpoint`, { timing: timingOf(times.mcp), wanted: 'that of REST + 15 ms' })
  answers.add(question, 'GET /entries, in turn', { timing: timingOf(times.rest) })
  for (const line of Object.values(paths)) await line.close()
}

async function measureGrowth(name: string, pid: number, line: AssistantLine): Promise<void> {
  const calls = Number(values.calls)
  for (let turn = 0; turn < calls / 10; turn++) await line.search(wordOf(turn))
  const before = memoryOf({ pid }).nowMiB
  for (let turn = 0; turn < calls; turn++) await line.search(wordOf(turn))
  const figure = memoryOf({ pid }).nowMiB - before
  const text = `${figure.toFixed(1)} MiB more than ${before.toFixed(0)}`
  answers.addOnce(`memory over ${calls} calls`, name, { text, figure, wanted: '20 MiB' })
  await line.close()
}

const place = await placeOf({ work, entries: Number(values.entries), database })
try {
  const server = await place.start({
    env: { PH_RATE_LIMIT_REQUESTS: '1000000000', PH_RATE_LIMIT_PUSH: '1000000000' },
    isSilent: true,
  })
  try {
    await timeClients(server)
    await measureGrowth(`${ours}, the server`, server.pid, hostedLine(server, 1))
    const stdio = await stdioLine(person(server, join(work, 'person')))
    await measureGrowth('ph mcp on stdio', stdio.pid, stdio)
  } finally {
    await server.stop()
  }
} finally {
  if (!values.keep) await place.remove()
  process.stdout.write(`${answers.markdown()}\n`)
}

/**
 * What the front door costs: authenticated GET /auth/me beside a bare Fastify route with the same body, by wrk, in the same rounds.
 *   [bin/postgres.sh] npx node bench/front-door.ts SCRATCH [--runs 5] [--seconds 4] [--keys 10,10000]
 * Budgets are counted, and larger than what is asked. Every request is logged, to /dev/null.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { newKeys, startPh } from './ph.ts'
import { type Command, startAtAddress } from './processes.ts'
import { median } from './table.ts'
import { type Load, rateOf, writeScript } from './wrk.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    keys: { type: 'string', default: '10,10000' },
  },
})
const [scratch = '/var/tmp/front-door'] = positionals
const connections = 32
const path = '/w/bench/api/v1/auth/me'

interface Target extends Load {
  name: string
  end(): Promise<void>
}
type Ours = Target & { key: string }

/** A key is looked up when it is used first; what is measured is every other time. */
async function askOnce(url: string, keys: readonly string[]): Promise<void> {
  const slots = pLimit(connections)
  const ask = async (key: string): Promise<void> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!answer.ok) throw new Error(`a key was answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  await Promise.all(keys.map((key) => slots(ask, key)))
}

/** Asked in turn with all keys, each request with the next. */
async function startOurs(name: string, count: number, database?: string): Promise<Ours> {
  const keys = newKeys(count)
  const lifted = { PH_RATE_LIMIT_REQUESTS: '100000000' }
  const plain = name.replaceAll(/\W+/g, '-')
  const server = await startPh(join(scratch, plain), database, { env: lifted, keys, isSilent: true })
  await askOnce(server.url, keys)
  const script = writeScript(
    join(scratch, `asking-${plain}`),
    keys.map((key) => ({ path, key })),
  )
  return { name, url: server.url, script, key: keys[0] ?? '', end: () => server.end() }
}

async function startBare(like: Ours): Promise<Target> {
  const answer = await fetch(`${like.url}${path}`, { headers: { authorization: `Bearer ${like.key}` } })
  const command: Command = { run: [process.execPath, join(import.meta.dirname, 'bare-server.ts'), path, await answer.text()] }
  const { url, stop } = await startAtAddress(command)
  return { name: 'bare Fastify', url, script: like.script, end: stop }
}

const contendersOf = (keys: string, database: string | undefined): Parameters<typeof startOurs>[] =>
  keys
    .split(',')
    .flatMap((count) => [
      [`ph, PGlite, ${count} keys`, Number(count)],
      ...(database ? [[`ph, PostgreSQL, ${count} keys`, Number(count), database] as Parameters<typeof startOurs>] : []),
    ])

/** One contender after the other, the bare route first. */
async function startAll(targets: Target[]): Promise<void> {
  const [first, ...others] = contendersOf(values.keys, process.env.PH_TEST_DATABASE_URL)
  if (!first) throw new Error('--keys names no count of keys')
  const ours = await startOurs(...first)
  targets.push(ours)
  targets.unshift(await startBare(ours))
  for (const other of others) targets.push(await startOurs(...other))
}

function show(targets: readonly Target[], rounds: readonly Map<Target, number>[]): void {
  process.stdout.write('| server | requests/s, median (min–max) | ÷ bare |\n| --- | --- | --- |\n')
  const [bare] = targets
  for (const target of targets) {
    const rates = rounds.map((round) => round.get(target) ?? Number.NaN)
    const ratios = rounds.map((round) => (round.get(target) ?? Number.NaN) / ((bare && round.get(bare)) ?? Number.NaN))
    const spread = `${Math.round(median(rates))} (${Math.round(Math.min(...rates))}–${Math.round(Math.max(...rates))})`
    process.stdout.write(`| ${target.name} | ${spread} | ${median(ratios).toFixed(2)} |\n`)
  }
}

async function main(): Promise<void> {
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  const [load = 0] = loadavg()
  process.stdout.write(`${availableParallelism()} cores, load before ${load.toFixed(1)}, Node ${process.version}\n\n`)
  const targets: Target[] = []
  try {
    await startAll(targets)
    for (const target of targets) rateOf(target, { seconds: 2, connections })
    const seconds = Number(values.seconds)
    const round = () => new Map(targets.map((target) => [target, rateOf(target, { seconds, connections })]))
    show(targets, Array.from({ length: Number(values.runs) }, round))
  } finally {
    for (const target of targets) await target.end()
    rmSync(scratch, { recursive: true, force: true })
  }
}

await main()

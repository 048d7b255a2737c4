/**
 * Another person's requests while all attacks by connections are under way at once (test/support/connection-attacks.ts), each from a process
 * of its own, against one server on this machine: how long each answer took, over a new connection and over one that stays, and the memory.
 * Ends with 1 when an answer took longer than 500 ms or was none, or the memory passed 1.2 GiB.
 *   [bin/postgres.sh] npx node bench/connection-attacks.ts WORK_FOLDER [--seed 1] [--seconds 60] [--share 1] [--apart]
 * --share: of the full strength. --apart: first each attack by itself, for a quarter of the time. Wants `ulimit -n` of 16,384 or more.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { callAs } from '../test/support/api.ts'
import { type AttackName, kinds, type Target } from '../test/support/connection-attacks.ts'
import { item, pushed, sha256 } from '../test/support/push.ts'
import { newKeys, type PhServer, startPh, workspaceSlug } from './ph.ts'
import { memoryOf } from './processes.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    share: { type: 'string', default: '1' },
    apart: { type: 'boolean', default: false },
  },
})
const [seed, seconds, share] = [Number(values.seed), Number(values.seconds), Number(values.share)]
const wanted = { answerMs: 500, memoryMiB: 1.2 * 1024 }
const attackerKeys = 830
const names = Object.keys(kinds) as AttackName[]

/** The order for a process that attacks, or that asks as the other person. */
export type Order =
  | { role: 'attack'; name: AttackName; target: Target; seed: number; share: number }
  | { role: 'ask'; url: string; key: string; seconds: number }

/** Answers and times as the other person saw them. */
export interface Seen {
  fresh: Asked
  kept: Asked
}

export interface Asked {
  answers: number
  /** Not answered with 200, in words. */
  failures: string[]
  timesMs: number[]
}

interface Line {
  what: string
  seen: Seen
  opened: number
  peakMiB: number
}

function start(order: Order): ChildProcess {
  const child = fork(join(import.meta.dirname, 'connection-process.ts'))
  // Attackers have machines of their own: what theirs take of the processors of this one is not the server's to bear.
  if (order.role === 'attack' && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  child.send(order)
  return child
}

async function ended(child: ChildProcess): Promise<number> {
  const message = once(child, 'message')
  child.send('stop')
  const [opened] = (await message) as [number]
  child.kill()
  return opened
}

/** The attacks have a moment to begin. */
async function besiege(server: PhServer, target: Target, { what, among, forSeconds, key }: Siege): Promise<Line> {
  const attackers = among.map((name, n) => start({ role: 'attack', name, target, seed: seed + n, share }))
  let peakMiB = 0
  const watch = setInterval(() => (peakMiB = Math.max(peakMiB, memoryOf(server).nowMiB)), 200)
  try {
    await pause(3000)
    const asking = start({ role: 'ask', url: `${server.url}/w/${workspaceSlug}/api/v1/auth/me`, key, seconds: forSeconds })
    const [seen] = (await once(asking, 'message')) as [Seen]
    asking.kill()
    const opened = await Promise.all(attackers.map(ended))
    return { what, seen, opened: opened.reduce((sum, one) => sum + one, 0), peakMiB }
  } finally {
    clearInterval(watch)
    for (const one of attackers) one.kill()
  }
}

interface Siege {
  what: string
  among: readonly AttackName[]
  forSeconds: number
  /** The other person's. */
  key: string
}

async function run(database: string | undefined): Promise<Line[]> {
  const [keys, key] = [newKeys(attackerKeys), newKeys(1)[0] ?? '']
  const folder = join(workFolderOf(positionals), database ? 'postgresql' : 'pglite')
  // The other person asks more often than a person does, to see more.
  const env = { PH_RATE_LIMIT_REQUESTS: '1200', PH_EMBEDDER: 'off' }
  const server = await startPh(folder, database, { keys, adasKey: key, env, isSilent: true })
  try {
    const caller = callAs(`${server.url}/w/${workspaceSlug}`, server.key)
    const bytes = Buffer.alloc(64 * 1024 * 1024, `large ${seed}`)
    await pushed(caller, [item({ bytes })])
    const download = (await caller.get(`/blobs/${sha256(bytes)}/url`)).body.url as string
    const target = { url: server.url, slug: workspaceSlug, keys, download }
    const sieges: Omit<Siege, 'key'>[] = [
      { what: 'nothing', among: [], forSeconds: seconds / 4 },
      ...(values.apart ? names.map((name) => ({ what: name, among: [name], forSeconds: seconds / 4 })) : []),
      { what: 'all of them at once', among: names, forSeconds: seconds },
    ]
    const lines: Line[] = []
    for (const siege of sieges) lines.push(await besiege(server, target, { ...siege, key }))
    return lines
  } finally {
    await server.end()
  }
}

const most = ({ timesMs }: Asked): string => `${Math.round(Math.max(...timesMs))} ms`
const middle = ({ timesMs }: Asked): string =>
  `${(timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length / 2)] ?? Number.NaN).toFixed(1)} ms`
const failuresOf = ({ fresh, kept }: Seen): string[] => [...fresh.failures, ...kept.failures]

function show(database: string, lines: readonly Line[]): void {
  const head = [
    'attack',
    'connections opened',
    'new: median',
    'new: longest',
    'kept: median',
    'kept: longest',
    'answers',
    'none',
    'server, peak',
  ]
  const body = lines.map(({ what, opened, seen, peakMiB }) => {
    const { fresh, kept } = seen
    const answers = fresh.answers + kept.answers
    return [
      what,
      opened,
      middle(fresh),
      most(fresh),
      middle(kept),
      most(kept),
      answers,
      failuresOf(seen).length,
      `${Math.round(peakMiB)} MiB`,
    ]
  })
  const table = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  process.stdout.write(`\n${database}, seed ${seed}, ${seconds} s, share ${share}\n\n${table}\n`)
  for (const { what, seen } of lines)
    for (const [failure, times] of Object.entries(Object.groupBy(failuresOf(seen), (text) => text)))
      process.stdout.write(`${what}: ${times?.length} x ${failure}\n`)
}

const isWithin = ({ seen, peakMiB }: Line): boolean =>
  failuresOf(seen).length === 0 &&
  Math.max(...seen.fresh.timesMs, ...seen.kept.timesMs) <= wanted.answerMs &&
  peakMiB <= wanted.memoryMiB

const databases = [undefined, ...(process.env.PH_TEST_DATABASE_URL ? [process.env.PH_TEST_DATABASE_URL] : [])]
let isWhole = true
for (const database of databases) {
  const lines = await run(database)
  show(database ? 'PostgreSQL' : 'PGlite', lines)
  isWhole &&= lines.every(isWithin)
}
process.stdout.write(isWhole ? '\nwithin what is wanted\n' : '\nnot within 500 ms and 1.2 GiB\n')
process.exitCode = isWhole ? 0 : 1

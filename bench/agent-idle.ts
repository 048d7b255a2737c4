/**
 * What the desktop agent takes while nothing happens: a project of many files is watched that the library has, and a catalog of twice as
 * many entries is mirrored. Looked at from outside, with the processes it starts for looks. Prints one markdown table.
 *   npx node bench/agent-idle.ts WORK [--files 50000] [--others 50000] [--minutes 12]
 * On PostgreSQL within bin/postgres.sh. bench/README.md says what came out.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type FoundAgent, requireAgent } from '../client/desktop/agent.ts'
import { findFolders } from '../client/folders.ts'
import { writePackage } from '../sample/package.ts'
import { placeOf } from './made-place.ts'
import { person, ph } from './ph.ts'
import { cpuOf, memoryOf, ran, type Server, startServer } from './processes.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '50000' },
    /** Entries of the library besides those of the files. */
    others: { type: 'string', default: '50000' },
    /** As long as it is looked at while nothing happens; a look at all files falls due every five to ten. */
    minutes: { type: 'string', default: '12' },
  },
})

const perFolder = 20
/** What a look took is given back some seconds after it. */
const settleMs = 25_000

async function writeProject(root: string, files: number): Promise<void> {
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'Bench.uproject'), '{"EngineAssociation": "5.4"}')
  for (let n = 0; n < files; n++) {
    const at = `Kits/K${Math.floor(n / perFolder) % 50}/F${Math.floor(n / perFolder)}`
    const name = `SM_Idle_${n}`
    mkdirSync(join(root, 'Content', at), { recursive: true })
    const bytes = await writePackage({ packageName: `/Game/${at}/${name}`, assetClass: 'StaticMesh', payload: Buffer.from(name) })
    writeFileSync(join(root, 'Content', at, `${name}.uasset`), bytes)
  }
}

const rows: string[][] = []

async function sampled(agent: Server, what: string, work: () => Promise<unknown>): Promise<void> {
  const [before, startedMs] = [cpuOf(agent), performance.now()]
  await work()
  const [cpu, seconds] = [cpuOf(agent) - before, (performance.now() - startedMs) / 1000]
  const { nowMiB, peakMiB } = memoryOf(agent)
  const share = `${((100 * cpu) / seconds).toFixed(2)} %`
  const cells = [
    what,
    `${seconds.toFixed(1)} s`,
    `${cpu.toFixed(2)} s`,
    share,
    `${nowMiB.toFixed(0)} MiB`,
    `${peakMiB.toFixed(0)} MiB`,
  ]
  rows.push(cells)
  process.stderr.write(`${cells.join(' | ')}\n`)
}

/** Everything is loaded and looked at. */
async function isAtRest({ api }: FoundAgent, files: number): Promise<boolean> {
  const { mirror, projects } = await api.agent.status()
  return mirror.state === 'current' && projects[0]?.watching.state === 'watching' && projects[0].watching.files === files
}

async function main(): Promise<void> {
  const work = workFolderOf(positionals)
  const [files, others] = [Number(values.files), Number(values.others)]
  const root = join(work, 'project', 'Bench')
  await writeProject(root, files)
  const place = await placeOf({ work, entries: others, database: process.env.PH_TEST_DATABASE_URL })
  const server = await place.start({
    env: { PH_RATE_LIMIT_REQUESTS: '1000000000', PH_RATE_LIMIT_PUSH: '1000000' },
    isSilent: true,
  })
  const someone = person(server, join(work, 'person'))
  try {
    ran(ph(['push', join(root, 'Content'), '--json'], someone))
    const agent = await startServer(ph(['agent', 'run'], someone), (log) => log.includes('agent of '))
    try {
      const found = await requireAgent(findFolders(someone))
      await sampled(agent, 'first look, first load of the mirror', async () => {
        await found.api.agentProjects.link({ path: root, accepts_imports: false })
        while (!(await isAtRest(found, files))) await sleep(500)
      })
      const { entries } = (await found.api.agent.status()).mirror
      process.stderr.write(`${entries} entries\n`)
      await sampled(agent, 'the time after it', () => sleep(settleMs))
      await sampled(agent, 'one minute idle', () => sleep(60_000))
      await sampled(agent, `${values.minutes} minutes idle, with looks at everything`, () =>
        sleep(Number(values.minutes) * 60_000),
      )
    } finally {
      await agent.stop()
    }
  } finally {
    await server.stop()
    await place.remove()
    rmSync(join(work, 'project'), { recursive: true, force: true })
  }
  const head = [
    `${files} files, ${files + others} entries, load ${loadavg()[0]?.toFixed(1)}`,
    'time',
    'CPU',
    'of one core',
    'resident',
    'most',
  ]
  const table = [head, head.map(() => '---'), ...rows]
  process.stdout.write(`${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
}

await main()

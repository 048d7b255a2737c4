/**
 * What the desktop agent takes while nothing happens: a project of many files is watched that the library has, and a look at all of them
 * falls due once. Prints one markdown table.
 *   node bench/agent-idle.ts WORK [--files 50000] [--minutes 1]
 * bench/README.md says what came out.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { startAgent as Start } from '../agent/main.ts'
import { findFolders } from '../client/folders.ts'
import { writePackage } from '../sample/package.ts'
import { person, ph, startPh } from './ph.ts'
import { ran } from './processes.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '50000' },
    /** As long as it is watched doing nothing. */
    minutes: { type: 'string', default: '1' },
    /** The agent itself, in a process of its own. */
    inside: { type: 'string' },
  },
})

interface Sample {
  what: string
  cpu: number
  seconds: number
  rss: number
}

const perFolder = 20
/** What a look took is given back some seconds after it. */
const settleMs = 25_000

async function writeProject(root: string, files: number): Promise<void> {
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'Bench.uproject'), '{"EngineAssociation": "5.4"}')
  for (let n = 0; n < files; n++) {
    const at = `Kits/K${Math.floor(n / perFolder) % 50}/F${Math.floor(n / perFolder)}`
    const name = `SM_${n}`
    mkdirSync(join(root, 'Content', at), { recursive: true })
    const bytes = await writePackage({ packageName: `/Game/${at}/${name}`, assetClass: 'StaticMesh', payload: Buffer.from(name) })
    writeFileSync(join(root, 'Content', at, `${name}.uasset`), bytes)
  }
}

const rssMiB = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

async function sampled(what: string, work: () => Promise<unknown>): Promise<Sample> {
  const [before, startedMs] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { what, cpu: (user + system) / 1e6, seconds: (performance.now() - startedMs) / 1000, rss: rssMiB() }
}

/** As it is built, where it is: compiled sources take less than sources that are compiled as they are loaded. */
const built = new URL('../dist/agent/main.js', import.meta.url)

async function inside(root: string): Promise<void> {
  const program = existsSync(built) ? built.href : new URL('../agent/main.ts', import.meta.url).href
  const { startAgent } = (await import(program)) as { startAgent: typeof Start }
  const { PH_URL: url = '', PH_API_KEY: key = '' } = process.env
  const isComplete = (agent: Awaited<ReturnType<typeof Start>>) =>
    agent.agent.projects.list().length > 0 && agent.agent.watching.report(root).state === 'watching'
  const samples: Sample[] = []
  const agent = await startAgent({ wire: { url, key, folders: findFolders(process.env) }, version: '0', notices: false })
  const link = { path: root, acceptsImports: false, autoCheckout: false, engineVersion: null, key: undefined }
  samples.push(
    await sampled('first look', async () => {
      agent.agent.projects.link(link, new Date())
      while (!isComplete(agent)) await sleep(50)
    }),
  )
  samples.push(await sampled('the time after it', () => sleep(settleMs)))
  samples.push(await sampled('idle', () => sleep(Number(values.minutes) * 60_000)))
  samples.push(
    await sampled(
      'a look at everything',
      () => agent.agent.watching.of(root)?.lookAt([root], AbortSignal.timeout(600_000)) ?? sleep(0),
    ),
  )
  samples.push(await sampled('the time after it', () => sleep(settleMs)))
  samples.push(await sampled('idle', () => sleep(30_000)))
  const { files } = agent.agent.watching.report(root)
  await agent.stop()
  process.stdout.write(`${JSON.stringify({ files, samples, isBuilt: existsSync(built) })}\n`)
}

async function outside(): Promise<void> {
  const work = workFolderOf(positionals)
  const root = join(work, 'project', 'Bench')
  await writeProject(root, Number(values.files))
  const server = await startPh(join(work, 'server'))
  const someone = person(server, join(work, 'person'))
  try {
    ran(ph(['push', join(root, 'Content'), '--json'], someone))
    const args = [...process.execArgv, import.meta.filename, '--inside', root, '--minutes', values.minutes]
    const child = spawn(process.execPath, args, { env: { ...process.env, ...someone }, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    await once(child, 'close')
    const { files, samples, isBuilt } = JSON.parse(said) as { files: number; samples: Sample[]; isBuilt: boolean }
    console.log(
      `${files.toLocaleString('en')} files watched by ${isBuilt ? 'dist' : 'sources'}, load ${loadavg()[0]?.toFixed(1)}\n`,
    )
    console.log('| | time | CPU | of one core | resident |\n| --- | --- | --- | --- | --- |')
    for (const { what, cpu, seconds, rss } of samples)
      console.log(
        `| ${what} | ${seconds.toFixed(1)} s | ${cpu.toFixed(2)} s | ${((100 * cpu) / seconds).toFixed(2)} % | ${Math.round(rss)} MiB |`,
      )
  } finally {
    await server.end()
  }
}

await (values.inside === undefined ? outside() : inside(values.inside))

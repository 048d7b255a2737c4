/**
 * How long it takes from the save of a file that another person holds to the warning of the desktop agent, which is `ph agent run` as a
 * person starts it, at its usual pace; prints a markdown table.
 *   npx node bench/agent-warning.ts WORK [--files 5000] [--saves 40]
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { requireAgent } from '../client/desktop/agent.ts'
import { findFolders } from '../client/folders.ts'
import { writePackage } from '../sample/package.ts'
import { newKeys, person, ph, startPh } from './ph.ts'
import { ran, startServer } from './processes.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'string', default: '5000' }, saves: { type: 'string', default: '40' } },
})
const work = workFolderOf(positionals)
const [files, saves] = [Number(values.files), Number(values.saves)]
/** Longer than a look takes: saves are not told together. */
const betweenMs = 1500
/** A warning that has not come by then does not come. */
const lateMs = 60_000

const [adasKey = ''] = newKeys(1)
const limits = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
const server = await startPh(join(work, 'server'), process.env.PH_TEST_DATABASE_URL, { env: limits, adasKey, isSilent: true })
const root = join(work, 'Bench')
const placeOf = (n: number): string => join(root, 'Content', `F${Math.floor(n / 100)}`, `SM_${n}.uasset`)
await writeProject()
const bo = person(server, join(work, 'bo'))
ran(ph(['push', join(root, 'Content'), '--json'], bo))
const held = Array.from({ length: saves }, (_, at) => Math.floor((at * files) / saves))
ran(ph(['checkout', ...held.map((n) => `SM_${n}`), '--json'], person({ ...server, key: adasKey }, join(work, 'ada'))))

const agent = await startServer(ph(['agent', 'run'], bo), (log) => log.includes('agent of '))
const took: number[] = []
try {
  const { api } = await requireAgent(findFolders(bo))
  await api.agentProjects.link({ path: root, accepts_imports: false })
  while ((await api.agent.status()).projects[0]?.watching.state !== 'watching') await sleep(100)
  const warned = new Map<string, number>()
  const ended = new AbortController()
  const reading = (async () => {
    for await (const { event, data } of api.agent.events({}, { signal: ended.signal }))
      if (event === 'warning')
        warned.set(
          String((data as { file: string }).file)
            .split('/')
            .at(-1) ?? '',
          performance.now(),
        )
  })()
  reading.catch(() => {})
  for (const n of held) {
    appendFileSync(placeOf(n), 'edited')
    const savedMs = performance.now()
    const tell = () => warned.get(`SM_${n}.uasset`)
    while (tell() === undefined && performance.now() - savedMs < lateMs) await sleep(5)
    took.push((tell() ?? Number.POSITIVE_INFINITY) - savedMs)
    await sleep(betweenMs)
  }
  ended.abort()
} finally {
  await agent.stop()
  await server.end()
}

async function writeProject(): Promise<void> {
  for (let n = 0; n < files; n++) {
    const name = `SM_${n}`
    const bytes = await writePackage({
      packageName: `/Game/F${Math.floor(n / 100)}/${name}`,
      assetClass: 'StaticMesh',
      payload: Buffer.from(name),
    })
    mkdirSync(dirname(placeOf(n)), { recursive: true })
    writeFileSync(placeOf(n), bytes)
  }
  writeFileSync(join(root, 'Bench.uproject'), '{"EngineAssociation": "5.4"}')
}

const sorted = took.toSorted((a, b) => a - b)
const at = (share: number): string => `${((sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN) / 1000).toFixed(2)} s`
const load = loadavg().map((one) => one.toFixed(1))
process.stdout.write(`| from the save to the warning; ${files} files, ${saves} saves, load ${load.join(', ')} | |
|---|---|
| median | ${at(0.5)} |
| p95 | ${at(0.95)} |
| longest | ${at(1)} |
`)
process.exit()

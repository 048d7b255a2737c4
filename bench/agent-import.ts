/**
 * Times a job of many files that the desktop agent brings beside `ph pull` of the same job, in turn, and how long it takes from the order
 * to the first byte; prints a markdown table. The agent is `ph agent run` as a person starts it.
 *   npx node bench/agent-import.ts WORK [--files 1000] [--bytes 100000] [--rounds 5]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { requireAgent } from '../client/desktop/agent.ts'
import { findFolders } from '../client/folders.ts'
import { createApi } from '../client/http/api.ts'
import { openWire } from '../client/http/open-http.ts'
import type { ImportReport } from '../contract/agent-imports.ts'
import { writePackage } from '../sample/package.ts'
import { randomBytes } from '../sample/random.ts'
import { type PhServer, person, ph, startPh } from './ph.ts'
import { ran, startServer } from './processes.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '1000' },
    bytes: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  },
})
const work = workFolderOf(positionals)
const [files, bytes, rounds] = [values.files, values.bytes, values.rounds].map(Number) as [number, number, number]

async function filled(): Promise<PhServer> {
  const limits = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  const server = await startPh(join(work, 'server'), undefined, { env: limits, isSilent: false })
  const source = join(work, 'source')
  mkdirSync(join(source, 'Content', 'Town'), { recursive: true })
  writeFileSync(join(source, 'Source.uproject'), '{"EngineAssociation": "5.3"}')
  for (let at = 0; at < files; at++) {
    const spec = { packageName: `/Game/Town/SM_${at}`, assetClass: 'StaticMesh', payload: randomBytes(`prop ${at}`, bytes) }
    writeFileSync(join(source, 'Content', 'Town', `SM_${at}.uasset`), await writePackage(spec))
  }
  ran(ph(['push', join(source, 'Content'), '--json'], person(server, join(work, 'pusher'))))
  return server
}

/** An Unreal project of its own, and nothing in the cache. */
function freshProject(name: string, someone: string): string {
  const root = join(work, 'projects', name)
  rmSync(root, { recursive: true, force: true })
  rmSync(join(someone, 'cache'), { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, `${name}.uproject`), '{"EngineAssociation": "5.4"}')
  return root
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
const words = (all: readonly number[]): string =>
  `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)})`

const server = await filled()
const [artist, agentHome] = [join(work, 'artist'), join(work, 'agent')]
const env = person(server, agentHome)
const wire = openWire({ url: server.url, key: server.key, folders: findFolders(person(server, artist)) }, () => {})
const api = createApi(wire)
const entries: { entry_id: number }[] = []
for (let cursor: string | undefined; ; ) {
  const page = await api.entries.list({ limit: 200, ...(cursor ? { cursor } : {}) })
  entries.push(...page.entries.map(({ id }) => ({ entry_id: id })))
  if (!page.next_cursor) break
  cursor = page.next_cursor
}
const agent = await startServer(ph(['agent', 'run'], env), (log) => log.includes('agent of '))
const found = await requireAgent(findFolders(env))
const order = (project: string, delivery: 'manual' | 'agent') =>
  api.pullJobs.create({ target_project: project, target_root: '/Game', entries: entries.slice(0, 1000), delivery })

interface Round {
  pull: number
  agent: number
  fetching: number
  firstByte: number
}

async function byAgent(round: number): Promise<Omit<Round, 'pull'>> {
  const name = `Agent${round}`
  const path = freshProject(name, agentHome)
  await found.api.agentProjects.link({ path, accepts_imports: true })
  const ended = new AbortController()
  const { since } = await found.api.agentEditors.announce({
    ...{ session_id: 'bench-editor-0', project_key: name, root: path, accepts_imports: true },
  })
  const events = found.api.agent.events({ since, project_key: name }, { signal: ended.signal })
  await order(name, 'agent')
  const startedMs = performance.now()
  const seconds = () => (performance.now() - startedMs) / 1000
  const times = { agent: 0, fetching: 0, firstByte: 0 }
  for await (const { event, data: told } of events) {
    if (event !== 'import') continue
    const data = told as ImportReport
    if (data.phase === 'fetch') times.fetching ||= seconds()
    if (data.bytes > 0) times.firstByte ||= seconds()
    if (data.state === 'failed' || data.state === 'given_up') throw new Error(data.message ?? data.state)
    if (data.state !== 'done') continue
    times.agent = seconds()
    break
  }
  ended.abort()
  await found.api.agentEditors.leave({ session_id: 'bench-editor-0' })
  await found.api.agentProjects.unlink({ path })
  return times
}

async function byHand(round: number): Promise<number> {
  const root = freshProject(`Hand${round}`, artist)
  await order(`Hand${round}`, 'manual')
  const startedMs = performance.now()
  ran(ph(['pull', '--into', root, '--json'], person(server, artist)))
  return (performance.now() - startedMs) / 1000
}

const times: Round[] = []
try {
  for (let round = 0; round <= rounds; round++) {
    const one = { pull: await byHand(round), ...(await byAgent(round)) }
    // The first one warms the machine.
    if (round > 0) times.push(one)
    process.stderr.write(`${JSON.stringify(one)}, load ${loadavg()[0]?.toFixed(1)}\n`)
  }
} finally {
  await agent.stop()
  await server.end()
  await wire.close('destroy')
  rmSync(join(work, 'projects'), { recursive: true, force: true })
}
const load = loadavg().map((one) => one.toFixed(1))
process.stdout.write(`| ${files} files of ${bytes} bytes, load ${load.join(', ')} | s, median (min–max) |
|---|---|
| ph pull | ${words(times.map(({ pull }) => pull))} |
| the agent, from the order to the report | ${words(times.map((one) => one.agent))} |
| agent ÷ ph pull, of each round | ${words(times.map((one) => one.agent / one.pull))} |
| from the order until files are asked for | ${words(times.map(({ fetching }) => fetching))} |
| from the order until bytes are told | ${words(times.map(({ firstByte }) => firstByte))} |
`)
process.exit()

/**
 * How long an assistant waits for `ph mcp`: from the start of the process to its first answer, beside a Node with an empty file, by the
 * Node that runs this and by the one of the system; rounds in turn. `npx node bench/mcp-start.ts [scratch] [--rounds 15]`. Prints a table.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { person, ph, startPh } from './ph.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '15' } } })
const scratch = join(positionals[0] ?? tmpdir(), `mcp-start-${process.pid}`)
mkdirSync(scratch, { recursive: true })

const opening = { name: 'bench', version: '1' }
const messages: Record<string, object> = {
  initialize: { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: opening } },
  'tools/list': {
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': opening,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
}

interface Took {
  wallMs: number
  cpuMs: number
}

const ticksPerSecond = 100
const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number)
const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        return statOf(one)[1] === pid
      } catch {
        return false
      }
    })

/** Of a process and those that it started. */
function cpuMs(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13)
  return ((user + system) * 1000) / ticksPerSecond + childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), 0)
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdin?.end()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}

async function firstAnswer(run: readonly string[], env: Record<string, string>, message: object): Promise<Took> {
  const [program = '', ...args] = run
  const startedMs = performance.now()
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })}\n`)
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  const took = { wallMs: performance.now() - startedMs, cpuMs: cpuMs(child.pid ?? 0) }
  if (!chunk.toString().includes('"result"')) throw new Error(`ph mcp answered ${chunk.toString().slice(0, 300)}`)
  await ended(child)
  return took
}

async function emptyFile(node: string): Promise<Took> {
  const file = join(scratch, 'empty.mjs')
  writeFileSync(file, 'process.stdout.write("x"); process.stdin.resume()')
  const startedMs = performance.now()
  const child = spawn(node, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const took = { wallMs: performance.now() - startedMs, cpuMs: cpuMs(child.pid ?? 0) }
  await ended(child)
  return took
}

const systemNode = '/usr/bin/node'
const server = await startPh(join(scratch, 'server'))
const env = person(server, join(scratch, 'person'))
const mcp = ph(['mcp']).run
const rows: Record<string, () => Promise<Took>> = { 'node, an empty file': () => emptyFile(process.execPath) }
for (const [name, message] of Object.entries(messages)) {
  rows[`ph mcp, ${name}`] = () => firstAnswer(mcp, env, message)
  rows[`ph mcp by ${systemNode}, ${name}`] = () => firstAnswer([systemNode, ...mcp.slice(1)], env, message)
}

const samples = new Map<string, Took[]>(Object.keys(rows).map((name) => [name, []]))
for (let round = -2; round < Number(values.rounds); round++)
  for (const [name, run] of Object.entries(rows)) {
    const took = await run()
    if (round >= 0) samples.get(name)?.push(took)
  }
await server.end()

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const floor = samples.get('node, an empty file') ?? []
console.log('| start to first answer | ms, median (min–max) | ÷ node | ms of the processor |\n|---|---|---|---|')
for (const [name, all] of samples) {
  const walls = all.map(({ wallMs }) => wallMs)
  const ratio = median(all.map(({ wallMs }, at) => wallMs / (floor[at]?.wallMs ?? 1)))
  const range = `${median(walls).toFixed(0)} (${Math.min(...walls).toFixed(0)}–${Math.max(...walls).toFixed(0)})`
  console.log(`| ${name} | ${range} | ${ratio.toFixed(1)} | ${median(all.map(({ cpuMs }) => cpuMs)).toFixed(0)} |`)
}

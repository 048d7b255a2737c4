/**
 * How long the previews behind a push take, and what they take of the client's memory; beside it reading, drawing and making alone.
 *   PH_FIXTURES=DIR npx node bench/previews.ts WORK [--files 1000]
 * Needs `npm run build`. The project has copies of the real packages that hold a mesh, a texture or a sound, each with bytes of its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { basename, extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mesh } from '../formats/source/mesh.ts'
import { convert } from '../previews/convert.ts'
import { drawMesh } from '../previews/rasteriser.ts'
import { readSourceOf } from '../previews/source-data/file-source.ts'
import { person, ph, startPh } from './ph.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { files: { type: 'string', default: '1000' } } })
const [work = ''] = positionals
const fixtures = process.env.PH_FIXTURES ?? ''
const count = Number(values.files)
if (work === '' || fixtures === '' || !Number.isInteger(count))
  throw new Error('give a work folder, and the fixtures in PH_FIXTURES')

const paths = Object.keys(JSON.parse(readFileSync(join(fixtures, 'payloads-expected.json'), 'utf8')))
const packages = paths.map((path) => ({ path, stem: basename(path, extname(path)), bytes: readFileSync(join(fixtures, path)) }))

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
function told(what: string, ms: number[]): void {
  const sorted = ms.toSorted((a, b) => a - b)
  console.log(
    `${what}: median ${at(sorted, 0.5).toFixed(1)} ms of processor, p95 ${at(sorted, 0.95).toFixed(1)} ms, ${sorted.length} times`,
  )
}

/** Each package three times; the last time counts, when the code is warm. */
async function measureAlone(): Promise<void> {
  const read: number[] = []
  const made: number[] = []
  const drawn: number[] = []
  for (let round = 0; round < 3; round++) {
    for (const list of [read, made, drawn]) list.length = 0
    for (const { path, bytes } of packages) {
      const reading = process.cpuUsage()
      const source = await readSourceOf(bytes, { path })
      read.push(spentMs(reading))
      if (source === undefined) continue
      const making = process.cpuUsage()
      await convert(source)
      made.push(spentMs(making))
      if (source.from === 'package' && source.source.kind === 'mesh') drawn.push(timeDrawing(source.source.mesh))
    }
  }
  told('reading the source', read)
  told('making the preview of it', made)
  told('drawing a thumbnail', drawn)
}

function timeDrawing(mesh: Mesh): number {
  const drawing = process.cpuUsage()
  drawMesh(mesh)
  return spentMs(drawing)
}

/** Of the processor, by all threads of the process: on a busy machine the clock on the wall says nothing of the work. */
function spentMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** Bytes behind the end of a package are nobody's: they make another version of it. */
function writeProject(folder: string): void {
  mkdirSync(join(folder, 'Content'), { recursive: true })
  writeFileSync(join(folder, 'Bench.uproject'), '{"EngineAssociation": "5.4"}')
  for (let index = 0; index < count; index++) {
    const { stem, bytes } = packages[index % packages.length] ?? { stem: '', bytes: Buffer.alloc(0) }
    const own = join(folder, 'Content', String(Math.floor(index / packages.length)))
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, `${stem}.uasset`), Buffer.concat([bytes, Buffer.from(`copy ${index}`)]))
  }
}

/** Peak of the resident memory, in MiB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

async function push(folder: string, env: Record<string, string>): Promise<{ seconds: number; peak: number; report: Report }> {
  const [program = '', ...args] = [...ph(['push', '--held', 'new', '--json', folder]).run]
  const startedMs = performance.now()
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  let peak = 0
  const look = setInterval(() => {
    if (child.pid !== undefined && child.exitCode === null) peak = Math.max(peak, peakOf(child.pid))
  }, 100)
  child.stdout.on('data', (chunk) => (text += chunk))
  await once(child, 'close')
  clearInterval(look)
  return { seconds: (performance.now() - startedMs) / 1000, peak, report: JSON.parse(text) }
}

interface Report {
  took_ms: number
  summary: { new: number }
  previews?: { made: number; thumbnails: number; unavailable: unknown[]; failed: unknown[] }
}

const load = () => `load ${loadavg()[0]?.toFixed(1)}`
console.log(`${packages.length} packages, ${load()}`)
await measureAlone()
const scratch = join(work, 'previews')
rmSync(scratch, { recursive: true, force: true })
writeProject(join(scratch, 'project'))
const server = await startPh(join(scratch, 'server'), undefined, { isSilent: true })
try {
  for (const [name, env] of [
    ['without previews', { PH_PREVIEWS: 'off' }],
    ['the previews behind it', {}],
  ] as const) {
    const { seconds, peak, report } = await push(join(scratch, 'project'), { ...person(server, join(scratch, 'person')), ...env })
    const { made = 0, thumbnails = 0, unavailable = [], failed = [] } = report.previews ?? {}
    const outcome = `${report.summary.new} new, ${made} previews, ${thumbnails} thumbnails, ${unavailable.length} impossible, ${failed.length} failed`
    console.log(
      `push ${name}: ${seconds.toFixed(1)} s, of it ${report.took_ms} ms the push; ${outcome}; peak ${peak.toFixed(0)} MiB, ${load()}`,
    )
  }
} finally {
  await server.end()
  rmSync(scratch, { recursive: true, force: true })
}

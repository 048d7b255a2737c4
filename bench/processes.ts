/** Whole processes, timed from outside: wall time, CPU and peak memory of a command and of the server it talks to (Linux). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface Command {
  run: readonly string[]
  /** Exit codes that count as done besides 0. */
  alsoDone?: readonly number[]
  env?: Record<string, string>
  cwd?: string
}

/** One timed run. Peaks are those of the largest single process, MiB; the server's parts are there when one was watched. */
export interface Sample {
  wallS: number
  cpuS?: number
  peakMiB?: number
  serverCpuS?: number
  serverPeakMiB?: number
}

const environment = (command: Command): NodeJS.ProcessEnv => ({ ...process.env, NO_COLOR: '1', ...command.env })

/** Runs a command that has to succeed and is not timed; answers what it printed. */
export function ran(command: Command): string {
  const [program = '', ...args] = command.run
  const options = { cwd: command.cwd, env: environment(command), encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (status !== 0 && !command.alsoDone?.includes(status ?? -1))
    throw new Error(`${command.run.join(' ')} ended with ${status ?? error}: ${stderr.slice(-2000)}`)
  return stdout
}

/** Times a command by GNU time, which knows the CPU time and memory of everything it started. */
export function timed(command: Command, scratch: string, server?: Server): Sample {
  const report = join(scratch, 'time')
  const before = server ? watch(server) : undefined
  const started = performance.now()
  ran({ ...command, run: ['/usr/bin/time', '-q', '-o', report, '-f', '%U %S %M', ...command.run] })
  const wallS = (performance.now() - started) / 1000
  const [user = 0, system = 0, peakKiB = 0] = readFileSync(report, 'utf8').trim().split(/\s+/).map(Number)
  return { wallS, cpuS: user + system, peakMiB: peakKiB / 1024, ...before?.() }
}

export interface Server {
  pid: number
  /** Everything it printed so far. */
  log(): string
  /** SIGTERM, and SIGKILL if that does not help within 10 s. */
  stop(): Promise<void>
}

/** Who ends the benchmark ends what it started. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** Starts a server and waits until `ready` holds of what it printed. */
export async function startServer(command: Command, ready: (log: string) => boolean | Promise<boolean>): Promise<Server> {
  const [program = '', ...args] = command.run
  const child = spawn(program, args, { cwd: command.cwd, env: environment(command), stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  const deadline = performance.now() + 60_000
  while (!(await ready(log))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${command.run.join(' ')} did not get ready: ${log.slice(-2000)}`)
    }
    await pause(20)
  }
  return { pid: child.pid ?? 0, log: () => log, stop: () => stop(child) }
}

/** Starts a server that prints `ready at` and its address. */
export async function startAtAddress(command: Command): Promise<Server & { url: string }> {
  const ready = /ready at (http:\/\/[^\s/]+)/
  const server = await startServer(command, (log) => ready.test(log))
  return { ...server, url: ready.exec(server.log())?.[1] ?? '' }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  clearTimeout(kill)
}

/** A port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('the loopback interface gave no port')
  return address.port
}

/** Forgets the server's peaks; the function it answers says what was used since. */
export function watch(server: Server): () => { serverCpuS: number; serverPeakMiB: number } {
  const cpu = (): number => tree(server.pid).reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  for (const pid of tree(server.pid)) writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = cpu()
  return () => ({ serverCpuS: cpu() - before, serverPeakMiB: Math.max(...tree(server.pid).map(peakMiB)) })
}

/** A process and all that descend from it. */
function tree(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0))
  const found = [root]
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found
}

/** Fields of /proc/<pid>/stat from the third on (proc(5)): state, ppid, …, utime is the 12th of them, stime the 13th. */
function statOf(pid: number): string[] {
  const text = textIfThere(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const TICKS_PER_SECOND = 100

const cpuSeconds = (pid: number): number => {
  const fields = statOf(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

/** CPU seconds of a server with all that it started, those that have ended too (proc(5): cutime, cstime). */
export const cpuOf = (server: Server): number =>
  tree(server.pid).reduce((sum, pid) => {
    const [, , , , , , , , , , , user, system, endedUser, endedSystem] = statOf(pid).map(Number)
    return sum + ((user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0)) / TICKS_PER_SECOND
  }, 0)

/** Of the largest process of a server, MiB. */
export function memoryOf(server: Pick<Server, 'pid'>): { nowMiB: number; peakMiB: number } {
  const largest = (field: 'VmRSS' | 'VmHWM'): number => Math.max(...tree(server.pid).map((pid) => statusMiB(pid, field)))
  return { nowMiB: largest('VmRSS'), peakMiB: largest('VmHWM') }
}

const peakMiB = (pid: number): number => statusMiB(pid, 'VmHWM')
const statusMiB = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(textIfThere(`/proc/${pid}/status`))?.[1] ?? 0) / 1024

/** A process may end between being listed and being read. */
function textIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

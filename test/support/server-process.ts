/** The server as a process of its own, started as a person starts it, which a test can let die at a chosen step of its work. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { DeathOrder, StepCounts } from './death-point.ts'
import { program, shortLived } from './ph-process.ts'

const deathPoint = new URL('./death-point.ts', import.meta.url).href

export interface ServerProcess {
  url: string
  /** How it ended, with everything it said on stderr. */
  ended: Promise<Ending>
  isAlive(): boolean
  /** What it said on stderr so far. */
  said(): string
  /** From now on the steps of such requests count, and it dies at the one that is named. */
  dieAt(order: DeathOrder): Promise<void>
  /** Steps since the last order. */
  steps(): Promise<StepCounts>
  /** Lets it stand still, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  kill(): Promise<Ending>
  stop(): Promise<Ending>
  /** From now on something fails in it that nobody catches, as soon as a request has been answered. */
  failBehindNextAnswer(): Promise<void>
}

export interface Ending {
  code: number | null
  signal: string | null
  stderr: string
}

/** Settings in the environment, what `within` of a small disk says, and an open file that takes the log. */
export interface Around {
  stderr?: number
  env?: Record<string, string>
  within?: readonly string[]
}

/** Ends with how it failed when it does not get ready. Who starts it stops it. It searches by look where `env` says so. */
export async function startServerProcess(
  args: readonly string[],
  { env, within = [], stderr: log }: Around = {},
): Promise<ServerProcess> {
  const line = [...shortLived, '--import', deathPoint, program, 'server', 'start', '--port', '0', ...args]
  const [command = '', ...words] = [...within, process.execPath, ...line]
  const stdio = ['ignore' as const, 'pipe' as const, log ?? ('pipe' as const), 'ipc' as const]
  const child: ChildProcess = spawn(command, words, { env: { ...process.env, PH_EMBEDDER: 'off', ...env }, stdio })
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal, stderr }))
  const ready = new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim().replace('ready at ', '')))
  })
  const url = await Promise.race([ready, ended])
  if (typeof url !== 'string') throw new Error(`The server did not get ready: ${url.stderr}`)
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    url,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    said: () => stderr,
    async dieAt(order) {
      await ask(child, order)
    },
    steps: () => ask(child, 'count'),
    signal: (signal) => void child.kill(signal),
    kill: () => kill('SIGKILL'),
    stop: () => kill('SIGTERM'),
    async failBehindNextAnswer() {
      await ask(child, 'fail')
    },
  }
}

async function ask(child: ChildProcess, order: DeathOrder | 'count' | 'fail'): Promise<StepCounts> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0]
}

/** `ph` as a process of its own, through bin/ph.mjs, as a person or a script starts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

export const program = fileURLToPath(new URL('../../bin/ph.mjs', import.meta.url))

/** To make WebAssembly quicker, that of the embedded database, takes longer than such a process runs, and half of its memory. */
export const shortLived = ['--liftoff-only']

export interface ProcessSetting {
  /** Folders of its own are taken where none are named. */
  env?: Record<string, string>
  cwd?: string
  /** What `within` of a small disk says. */
  within?: readonly string[]
  /** What arrives on standard input. */
  stdin?: string
  /** Open files that take the output; otherwise it is gathered. */
  stdout?: number
  stderr?: number
}

export interface ProcessEnding {
  code: number | null
  stdout: string
  stderr: string
}

export const phProcess = (args: readonly string[], setting: ProcessSetting = {}): Promise<ProcessEnding> =>
  startPhProcess(args, setting).ended

export interface RunningPh {
  /** What it said on stderr so far. */
  said(): string
  /** What it printed on stdout so far. */
  printed(): string
  /** Lets it stand still, go on, or end; at once, too. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void
  ended: Promise<ProcessEnding>
}

export function startPhProcess(args: readonly string[], setting: ProcessSetting = {}): RunningPh {
  const { env, cwd, within = [], stdout = 'pipe', stderr = 'pipe' } = setting
  const own = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const [command = '', ...words] = [...within, process.execPath, ...shortLived, program, ...args]
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, PH_PREVIEWS: 'off', ...own, ...env },
    stdio: ['pipe', stdout, stderr],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk))
  child.stdin?.end(setting.stdin)
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }))
  return { said: () => texts.stderr, printed: () => texts.stdout, signal: (signal) => void child.kill(signal), ended }
}

/** `ph` as a process of its own, through bin/ph.mjs, as a person or a script starts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const program = fileURLToPath(new URL('../../bin/ph.mjs', import.meta.url))

export interface ProcessSetting {
  /** Folders of its own are taken where none are named. */
  env?: Record<string, string>
  /** What `within` of a small disk says. */
  within?: readonly string[]
  /** An open file that takes stdout; otherwise it is gathered. */
  stdout?: number
}

export interface ProcessEnding {
  code: number | null
  stdout: string
  stderr: string
}

export async function phProcess(args: readonly string[], setting: ProcessSetting = {}): Promise<ProcessEnding> {
  const { env, within = [], stdout = 'pipe' } = setting
  const own = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const [command = '', ...words] = [...within, process.execPath, program, ...args]
  const child = spawn(command, words, { env: { ...process.env, ...own, ...env }, stdio: ['ignore', stdout, 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, ...texts }
}

/** Starts the desktop agent beside this program, and waits until it answers or says why it cannot. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFolderLocked } from '../../system/lock.ts'
import { ClientError } from '../client-error.ts'
import { agentFolder, type Folders } from '../folders.ts'
import { programFolder } from '../installation.ts'
import { type FoundAgent, findAgent } from './agent.ts'

const patienceMs = 30_000
const lookMs = 100

export const agentScript = (): string => join(programFolder(), 'bin', 'ph.mjs')

export interface Launch {
  folders: Folders
  /** Behind `ph agent run`. */
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** Throws ClientError `AGENT_NOT_STARTED` with what it said. */
export async function launchAgent({ folders, args, env, signal }: Launch): Promise<FoundAgent> {
  const dir = agentFolder(folders)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const saidPath = join(dir, 'start.log')
  const said = openSync(saidPath, 'w', 0o600)
  // In its own group, and with no terminal: it goes on when this one is closed.
  const child = spawn(process.execPath, [agentScript(), 'agent', 'run', ...args], {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', said],
    cwd: dir,
    env: { ...env, PH_AGENT_QUIET: '1' } as NodeJS.ProcessEnv,
  })
  closeSync(said)
  let ended: string | undefined
  child.once('error', ({ message }) => {
    ended = message
  })
  child.once('exit', (code) => {
    ended ??= `it ended with ${code}`
  })
  for (const untilMs = performance.now() + patienceMs; performance.now() < untilMs; ) {
    const found = await findAgent(folders)
    if (found && found.presence.pid === child.pid) {
      child.unref()
      return found
    }
    if (ended !== undefined) throw notStarted(readFileSync(saidPath, 'utf8').trim() || ended)
    await sleep(lookMs, undefined, { signal })
  }
  child.kill()
  throw notStarted(`it did not answer within ${patienceMs / 1000} s`)
}

/** Of what it said as a command, only what is wrong: what to do next is said by who started it. */
const faultOf = (said: string): string => said.replace(/^error: /, '').replace(/\n next: .*/s, '')

const notStarted = (why: string): ClientError =>
  new ClientError('AGENT_NOT_STARTED', `The desktop agent could not be started: ${faultOf(why)}`)

/** Whether it has let its folder go after it was asked to end. */
export async function waitUntilGone(folders: Folders, signal: AbortSignal): Promise<boolean> {
  for (const untilMs = performance.now() + patienceMs; performance.now() < untilMs; ) {
    if (!isFolderLocked(agentFolder(folders))) return true
    await sleep(lookMs, undefined, { signal })
  }
  return false
}

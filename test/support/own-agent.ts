/** A desktop agent in a process of its own: what befalls a process or its machine can befall it, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { AgentOptions } from '../../agent/main.ts'
import type { AgentEvent } from '../../agent/running/event-log.ts'
import { type AgentApi, findAgent } from '../../client/desktop/agent.ts'
import { findFolders } from '../../client/folders.ts'
import type { WatchReport } from '../../contract/agent.ts'
import type { Json } from './api.ts'
import { foldersBelow } from './folders-below.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { Target } from './unreal-project.ts'

export type OwnAgentOptions = Omit<AgentOptions, 'wire' | 'tell' | 'version'>

export interface OwnAgentSetting extends Target {
  /** For state, cache and settings, as the agent names it; a new one unless given. */
  folder?: string
  /** Where the test reaches that folder. */
  seen?: (path: string) => string
  /** What `within` of a small disk says. */
  within?: readonly string[]
  env?: Record<string, string>
  options?: OwnAgentOptions
}

export interface OwnAgent {
  pid: number
  api: AgentApi
  /** What its log says so far. */
  said(): string
  events: { event: string; data: Json }[]
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void
  watching(root: string): Promise<WatchReport | undefined>
  /** State and words of a part. */
  part(name: string): Promise<Json>
}

/** Soon enough for a test. */
export const soon: OwnAgentOptions = {
  notices: false,
  patience: { firstMs: 50, mostMs: 400, steadyMs: 60_000, pauseLookMs: 100 },
  sessionTimes: { withEditorMs: 200, aloneMs: 200 },
  importTimes: { tellMs: 0, firstRetryMs: 100, mostRetryMs: 200 },
  watchPace: { newsMs: 200, idleNewsMs: 200, awayMs: 200, folderMs: 100, allMs: 60_000 },
  askAgainMs: 200,
  lookMs: 200,
}

const program = fileURLToPath(new URL('./own-agent-process.ts', import.meta.url))

/** Killed when the test is over. */
export async function startOwnAgent(setting: OwnAgentSetting): Promise<OwnAgent> {
  const { url, key, folder = temporaryFolder(), seen = (path) => path, within = [], env = {}, options = soon } = setting
  const [command = '', ...words] = [...within, process.execPath, program, JSON.stringify({ url, key, folder, options })]
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => end(child))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const folders = findFolders(foldersBelow(seen(folder)))
  const found = await expect
    .poll(() => findAgent(folders), { message: said })
    .toBeDefined()
    .then(() => findAgent(folders))
  if (!found) throw new Error(said)
  const { api, presence } = found
  const events = follow(api)
  return {
    pid: presence.pid,
    api,
    events,
    said: () => said,
    signal: (signal) => void process.kill(presence.pid, signal),
    watching: async (root) => (await api.agent.status()).projects.find((one) => one.root === root)?.watching,
    part: async (name) => (await api.agent.status()).parts.find((one) => one.name === name),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}

function follow(api: AgentApi): OwnAgent['events'] {
  const events: OwnAgent['events'] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const read = async () => {
    for await (const one of api.agent.events({}, { signal: ending.signal })) events.push(one as AgentEvent)
  }
  // It ends with the agent.
  read().catch(() => undefined)
  return events
}

/** The wall clock of a program alone; what counts the time that passes goes on as it is. By libfaketime. */
export function movableClock(): { env: Record<string, string>; set(seconds: number): void } {
  const file = join(temporaryFolder(), 'clock')
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  set(0)
  const env = {
    LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

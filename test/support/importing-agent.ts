/** Desktop agents for tests: in this process, on folders of their own, against a server that is really there. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type AgentOptions, type RunningAgent, startAgent } from '../../agent/main.ts'
import type { AgentEvent } from '../../agent/running/event-log.ts'
import { type AgentApi, requireAgent } from '../../client/desktop/agent.ts'
import { findFolders } from '../../client/folders.ts'
import { callAs, type Json } from './api.ts'
import { entriesNamed, filesBelow } from './pull.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { Target } from './unreal-project.ts'

export interface AgentProject {
  root: string
  name: string
  /** Every file of the Content folder, by path below it. */
  files(): Record<string, Buffer>
}

export interface ImportingAgent {
  running: RunningAgent
  api: AgentApi
  /** The first event after the start, or after the one given, of which this is true. */
  event(name: string, where?: (data: Json) => boolean, since?: number): Promise<AgentEvent & { data: Json }>
  /** Data of all events of a name so far. */
  told(name: string): Promise<Json[]>
  stop(): Promise<void>
}

export interface AgentSetting extends Partial<AgentOptions> {
  /** For state and cache; a new one unless given. */
  folder?: string
}

/** Soon enough for a test; questions stand until they are answered. */
export const quickTimes = {
  sessionTimes: { withEditorMs: 40, aloneMs: 40, refusedMs: 60_000, endingMs: 2000 },
  importTimes: { tellMs: 0, firstRetryMs: 40, mostRetryMs: 200, answerMs: 600_000 },
} satisfies Partial<AgentOptions>

export const agentFolders = (folder: string) =>
  findFolders({ PH_STATE_DIR: join(folder, 'state'), PH_CACHE_DIR: join(folder, 'cache'), PH_CONFIG_DIR: join(folder, 'config') })

/** Ended with the test. */
export async function startImportingAgent(
  { url, key }: Target,
  { folder = temporaryFolder(), ...options }: AgentSetting = {},
): Promise<ImportingAgent> {
  const folders = agentFolders(folder)
  // Nobody sits out the waits for a server that is away.
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  const running = await startAgent({
    wire: { url, key, folders, pause },
    version: '0',
    previews: false,
    ...quickTimes,
    ...options,
  })
  onTestFinished(() => running.stop())
  const { api } = await requireAgent(folders)
  const { events } = running.agent
  const began = await firstEvent(running)
  return {
    running,
    api,
    stop: () => running.stop(),
    async event(name, where = () => true, since = began) {
      for await (const one of events.follow({ since, projectKey: undefined, signal: new AbortController().signal }))
        if (one.event === name && where(one.data)) return one
      throw new Error(`no event ${name} came`)
    },
    async told(name) {
      const found: Json[] = []
      const last = events.last
      for await (const one of events.follow({ since: began, projectKey: undefined, signal: new AbortController().signal })) {
        if (one.event === name) found.push(one.data)
        if (one.id >= last) break
      }
      return found
    },
  }
}

/** What stands before the first event: numbers begin with the time, a moment before the agent's own. */
async function firstEvent({ agent }: RunningAgent): Promise<number> {
  const signal = new AbortController().signal
  const startedMs = agent.startedAt.getTime()
  for (let ms = startedMs - 1000; ms <= startedMs; ms++)
    for await (const { event } of agent.events.follow({ since: ms * 100, projectKey: undefined, signal })) {
      if (event !== 'gap') return ms * 100
      break
    }
  throw new Error('the first event of the agent is not found')
}

/** An Unreal project without content. */
export function projectFor(name: string, { engine = '5.4', folder = temporaryFolder() } = {}): AgentProject {
  const root = join(folder, name)
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, `${name}.uproject`), JSON.stringify({ EngineAssociation: engine }))
  return { root, name, files: () => filesBelow(join(root, 'Content')) }
}

/** A job for the agent of whoever has the key, as `ph send --to-agent` orders it. Gives its id. */
export const sendToAgent = (target: Target, project: string, names: readonly string[]): Promise<number> =>
  orderForAgent(target, { target_project: project, names })

/** The same with what else an order says, such as its note. */
export async function orderForAgent(target: Target, { names, ...more }: Json & { names: readonly string[] }): Promise<number> {
  const order = { target_root: '/Game', delivery: 'agent', entries: await entriesNamed(target, names), ...more }
  const { status, body } = await callAs(target.url, target.key).post('/pull-jobs', order)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

export async function jobAt({ url, key }: Target, id: number): Promise<Json> {
  return (await callAs(url, key).get(`/pull-jobs/${id}`)).body
}

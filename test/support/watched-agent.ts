/** A desktop agent that watches a project of one person, asked over its own API, with a desktop that writes its notices down. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { type AgentOptions, type RunningAgent, startAgent } from '../../agent/main.ts'
import { type AgentApi, requireAgent } from '../../client/desktop/agent.ts'
import { findFolders } from '../../client/folders.ts'
import type { FileReason, WatchedFile } from '../../contract/agent-files.ts'
import type { Json } from './api.ts'
import type { Person } from './person.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface WatchedAgent {
  agent: RunningAgent
  api: AgentApi
  /** Events so far, oldest first. */
  events: { event: string; data: Json }[]
  of(event: string): Json[]
  /** Lines of its log so far. */
  log: string[]
  /** Notices that were shown: their arguments, one a line. */
  notices(): string[]
  /** The state of a file as the table has it; `current` where it does not differ. */
  state(name: string): Promise<string>
  row(name: string): Promise<WatchedFile | undefined>
  /** Why a file is as it is, once it stands still. */
  why(name: string): Promise<FileReason[]>
  report(): Promise<Json>
}

/** Files are looked at and the library asked as quickly as a test needs. */
const quick = { newsMs: 100, idleNewsMs: 100, awayMs: 200, folderMs: 100 }

/** Links the project and waits for the first look. Ends with the test. */
export async function agentOf(
  { root, env, path }: Person,
  { autoCheckout = false, ...options }: Partial<AgentOptions> & { autoCheckout?: boolean } = {},
): Promise<WatchedAgent> {
  const folders = findFolders(env)
  const { file, notices } = recordedDesktop()
  vi.stubEnv('PATH', `${file}:${process.env.PATH}`)
  const log: string[] = []
  const wire = { url: env.PH_URL ?? '', key: env.PH_API_KEY ?? '', folders }
  const agent = await startAgent({
    wire,
    version: '0',
    tell: (line) => log.push(line),
    watchPace: quick,
    previews: false,
    ...options,
  })
  onTestFinished(() => agent.stop())
  const { api } = await requireAgent(folders)
  const events = follow(agent)
  await api.agentProjects.link({ path: root, accepts_imports: false, auto_checkout: autoCheckout })
  const report = async (): Promise<Json> => (await api.agent.status()).projects.find((one) => one.root === root)?.watching
  const row = async (name: string) => (await api.agentFiles.list({ path: root })).files.find((one) => one.path === path(name))
  await until(async () => expect((await report()).state).toBe('watching'))
  return {
    agent,
    api,
    events,
    of: (event) => events.filter((one) => one.event === event).map(({ data }) => data),
    log,
    notices,
    row,
    state: async (name) => (await row(name))?.state ?? 'current',
    async why(name) {
      for (;;) {
        const { file, reasons } = await api.agentFiles.why({ path: path(name) })
        if (file.state !== 'pending') return reasons
        await new Promise(setImmediate)
      }
    },
    report,
  }
}

/** `await until(() => expect(…))`: as soon as it holds. What never comes ends after a time that no busy machine needs. */
export const until = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 30_000, interval: 20 })

function follow({ agent }: RunningAgent): WatchedAgent['events'] {
  const events: WatchedAgent['events'] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const read = async () => {
    const all = agent.events.follow({ since: undefined, projectKey: undefined, signal: ending.signal })
    for await (const { event, data } of all) events.push({ event, data })
  }
  void read()
  return events
}

/** A folder with a `notify-send` that writes down what it is told. */
function recordedDesktop(): { file: string; notices: () => string[] } {
  const folder = temporaryFolder()
  const [bin, said] = [join(folder, 'bin'), join(folder, 'said')]
  mkdirSync(bin)
  const program = join(bin, 'notify-send')
  writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" >> '${said}'\nprintf '\\n' >> '${said}'\n`)
  chmodSync(program, 0o755)
  return { file: bin, notices: () => (existsSync(said) ? readFileSync(said, 'utf8').split('\n').filter(Boolean) : []) }
}

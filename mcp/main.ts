/** The tools for an assistant on a person's machine: `ph mcp`, one client on stdin and stdout. Start here. */
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Machine, namedProject, type Project } from './files/machine.ts'
import { PacedStdio } from './paced-stdio.ts'
import { assistantServer } from './protocol/assistant-server.ts'
import { Reach, type SignedWire } from './reach.ts'
import { spendPlanHere } from './tools/plan-token.ts'
import { fenced, own, type Said } from './tools/said.ts'
import type { Rights, Selection } from './tools/selection.ts'
import type { Tool } from './tools/tool.ts'

export { namedProject } from './files/machine.ts'
export { namesIn } from './tools/toolset-names.ts'
export type { Selection }

export interface StdioOptions {
  wire: SignedWire
  selection: Selection
  /** Absolute paths of projects that were named beside those that are linked. */
  projects: readonly string[]
  /** Bytes that the content cache may keep. */
  cacheBytes: number
  version: string
  stdin: Readable
  stdout: Writable
  now(): Date
  /** Aborted when the program is to end. */
  signal: AbortSignal
  /** Takes lines for who started the client. */
  tell(line: string): void
}

/** What does not close by then is left to the end of the process. */
const closingMs = 5000

/** Serves until the client closes its end, or the signal says so. Throws ClientError for a named folder that is no project. */
export async function serveAssistant(options: StdioOptions): Promise<void> {
  const { wire, selection, version, stdin, stdout, now, signal, tell } = options
  // It runs all day, and answers are short-lived: a heap that grows for them stays large for nothing (200 MiB in 3,000 calls).
  setFlagsFromString('--optimize-for-size')
  const named = options.projects.map(namedProject)
  const reach = new Reach(wire, now)
  const machine = { wire, api: reach.api, cacheBytes: options.cacheBytes, projects: async () => projectsHere(wire, named) }
  const plans = { secret: randomBytes(32).toString('hex'), spend: spendPlanHere(now) }
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  for (const event of ['end', 'close', 'error']) stdin.once(event, end)
  signal.addEventListener('abort', end, { once: true })
  const seen = await seenFirst(machine)
  const transport = new PacedStdio(stdin, stdout)
  const served = serveStdio(
    () =>
      assistantServer({
        version,
        ...(seen.hint ? { hint: seen.hint } : {}),
        tools: async () => seen.tools(selection, await reach.rights()),
        library: () => reach.library(),
        person: wire.url,
        plans,
        now,
      }),
    {
      transport,
      onerror: (error) => tell(error.message),
    },
  )
  transport.ended.then(end)
  if (signal.aborted) end()
  await ended.promise
  await Promise.race([closed(served, reach), delay(closingMs, undefined, { ref: false })])
}

async function closed(served: { close(): Promise<void> }, reach: Reach): Promise<void> {
  await served.close()
  await reach.close()
}

/** Projects that an assistant is told of at the start. */
const mostProjects = 20

type Seen = (selection: Selection, rights: Rights) => Promise<readonly Tool[]>

/** What is there when the assistant comes; a list that changes under it would confuse it. The tools are loaded when they are asked for. */
async function seenFirst(machine: Machine): Promise<{ tools: Seen; hint?: Said }> {
  const projects = await machine.projects()
  const list = projects.slice(0, mostProjects).map(({ key, root }) => ({ project: key, folder: root }))
  const hint = own`Projects on this machine, in which the tools on files work:\n${fenced({ projects: list })}`
  let here: Tool[] | undefined
  const tools: Seen = async (selection, rights) => {
    const [{ toolsHere }, { selectTools }] = await Promise.all([import('./files/here.ts'), import('./tools/selection.ts')])
    here ??= toolsHere(machine, projects.length > 0)
    return selectTools(selection, rights, here)
  }
  return { tools, ...(projects.length > 0 ? { hint } : {}) }
}

/** Toolsets and tools of a selection that do not exist here. */
export async function unknownHere(selection: Selection): Promise<string[]> {
  const { toolsets, tools, exclude } = selection
  return toolsets.length + tools.length + exclude.length === 0 ? [] : (await import('./files/here.ts')).unknownHere(selection)
}

/** A project that was named and is linked too is one. */
async function projectsHere({ folders, url }: SignedWire, named: readonly Project[]): Promise<Project[]> {
  const { linkedProjects } = await import('../client/desktop/linked-projects.ts')
  const roots = new Set(named.map(({ root }) => root))
  return [...named, ...linkedProjects(folders, url).filter(({ root }) => !roots.has(root))]
}

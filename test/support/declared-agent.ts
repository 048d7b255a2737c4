/** An agent as the contract declares it, whose answers a test gives: for programs that speak to one, such as plugins of editors. */
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import { answerError } from '../../agent/api/errors.ts'
import { EventLog } from '../../agent/running/event-log.ts'
import { agentRoutes } from '../../contract/agent.ts'
import { ApiError } from '../../contract/errors.ts'
import { writeNote } from '../../serving/local-note.ts'
import { buildLocalApp, closeSoon, newToken } from '../../serving/local-socket.ts'

type Handler = (handed: { input: Record<string, unknown>; signal: AbortSignal }) => unknown

export interface DeclaredAgent {
  events: EventLog
  /** `noun.verb` and its input, of all that was asked but events. */
  heard: { call: string; input: Record<string, unknown> }[]
  of(call: string): Record<string, unknown>[]
  /** Breaks the connections that are open. */
  cut(): void
  stop(): Promise<void>
  readonly hasEnded: boolean
}

/** `answers` by `noun.verb`; checked by the contract like those of a real one. Its note lies in the state folder. */
export async function startDeclaredAgent(
  state: string,
  answers: Record<string, (input: never) => unknown> = {},
): Promise<DeclaredAgent> {
  const events = new EventLog(Date.now())
  const heard: DeclaredAgent['heard'] = []
  const own: Record<string, Handler> = {
    'agent.events': ({ input, signal }) =>
      events.follow({ since: input.since as number | undefined, projectKey: input.project_key as string, signal }),
    'agentEditors.announce': ({ input }) => ({
      editor: { ...absent, ...input, open: input.open ?? [] },
      server: 'http://library.test/w/acme',
      person: null,
      desktop_agent: 'live',
      since: events.last,
    }),
    'agentEditors.leave': () => undefined,
    'agentEditors.opened': () => ({ file: null, warnings: [] }),
    'agentConflicts.list': () => ({ conflicts: [] }),
    'agentImports.list': () => ({ imports: [], waiting: [] }),
  }
  const routes = agentRoutes.map(([noun, verb, route]) => ({
    route,
    handler: async (handed: object) => {
      const call = `${noun}.${verb}`
      const { input } = handed as { input: Record<string, unknown> }
      if (call !== 'agent.events') heard.push({ call, input })
      const given = answers[call] as ((input: unknown) => unknown) | undefined
      if (given) return given(input)
      const known = own[call]
      if (!known) throw new ApiError('NOT_FOUND', `The test has no answer to ${call}.`)
      return known(handed as Parameters<Handler>[0])
    },
  }))
  const token = newToken()
  const about = { url: '', started_at: new Date().toISOString() }
  const words = { socket: 'agent’s', reached: 'nothing', unknown: 'There is no such address.' }
  const app = await buildLocalApp(
    { about, table: { routes, contextOf: () => ({}) }, answerError, words, log: pino({ level: 'silent' }) },
    token,
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const dir = join(state, 'agent')
  mkdirSync(dir, { recursive: true })
  writeNote(dir, { pid: process.pid, host: hostname(), url, started_at: about.started_at, token })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= closeSoon(app))
  onTestFinished(stop)
  return {
    events,
    heard,
    of: (call) => heard.filter((one) => one.call === call).map(({ input }) => input),
    cut: () => app.server.closeAllConnections(),
    stop,
    get hasEnded() {
      return stopped !== undefined
    },
  }
}

const absent = { engine_version: null, plugin_version: null, default_root: null, announced_at: new Date(0).toISOString() }

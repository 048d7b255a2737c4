/** The desktop agent: keeps editors, projects and the mirror of one person on one machine. Start here. */
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { ClientError } from '../client/client-error.ts'
import { agentFolder } from '../client/folders.ts'
import { createApi } from '../client/http/api.ts'
import { Http } from '../client/http/http.ts'
import type { Wire } from '../client/http/open-http.ts'
import { readNote } from '../serving/local-note.ts'
import { type Lock, tryLockFolder } from '../system/lock.ts'
import type { Agent } from './agent.ts'
import { openAgentApi } from './api/open.ts'
import type { ImportTimes } from './imports/import-times.ts'
import { Imports } from './imports/imports.ts'
import { LiveFeed } from './live/live-feed.ts'
import { openAgentLog } from './log.ts'
import { MirrorKeeper } from './mirror/keeper.ts'
import { noticesPart } from './notices/notices.ts'
import { ProjectPreviews } from './projects/project-previews.ts'
import { Projects } from './projects/projects.ts'
import { Reach, type Reached } from './reach.ts'
import { EventLog } from './running/event-log.ts'
import { type Part, type Patience, Supervisor } from './running/supervisor.ts'
import { Sessions, type SessionTimes } from './sessions/sessions.ts'
import type { Logger, Surroundings } from './surroundings.ts'
import type { WatchPace } from './watching/watch-pace.ts'
import { Watching } from './watching/watching.ts'

export interface AgentOptions {
  wire: Wire & { key: string }
  /** Takes the lines of the log as well, for who runs it in the foreground. */
  tell?: (line: string) => void
  version: string
  /** For tests, which do not wait for minutes. */
  patience?: Partial<Patience>
  importTimes?: Partial<ImportTimes>
  sessionTimes?: Partial<SessionTimes>
  watchPace?: Partial<WatchPace>
  /** How often a server that is away is asked whether it is back. */
  askAgainMs?: number
  /** How often editors that went away, and a machine that slept, are looked for. */
  lookMs?: number
  /** Whether notices are shown on the desktop; as PH_AGENT_NOTICES says where this is left out. */
  notices?: boolean
  /** Keeps what imports took away for `ph undo`; without it that is in the backups alone. */
  remember?: Surroundings['remember']
  /** Whether previews are made of what editors check in; as PH_PREVIEWS says where this is left out. */
  previews?: boolean
}

export interface RunningAgent {
  agent: Agent
  /** Of the loopback interface. */
  url: string
  /** Resolves when someone asked it to end. */
  asked: Promise<void>
  stop(): Promise<void>
}

const usualLookMs = 5000
const jumpMs = 30_000

/** Parts that fail are run again, so that a request need not try for long: `ph agent status` says soon that the server is away. */
const retryForMs = 5000

/** Throws ClientError `AGENT_RUNS` where one runs already with these folders. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { wire, remember = async () => {} } = options
  const dir = agentFolder(wire.folders)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const lock = takeFolder(dir)
  const log = openAgentLog(dir, options.tell)
  const { url: address, key, folders, clientName, pause } = wire
  // That it is away is said once; what was said before is not driven out of the log by what is tried meanwhile.
  const onWait = ({ reason }: { reason: string }) => {
    if (running?.reach.state !== 'offline') log.info(`waiting for the server: ${reason}`)
  }
  let running: Agent | undefined
  const http = new Http({ url: address, key, folders, clientName, pause, retryForMs, onWait })
  const endings: (() => unknown)[] = [() => lock.release(), () => http.close('destroy')]
  const end = async () => {
    for (const one of endings.splice(0).reverse()) await one()
  }
  try {
    const events = new EventLog(Date.now())
    const api = createApi(http)
    const changed = (state: Reached) => {
      if (state === 'online') goOn(running)
      events.tell('server', { state })
      log.info(`server: ${state}`)
    }
    const reach = new Reach(api, changed, options.askAgainMs)
    endings.push(() => reach.close())
    const { lookMs = usualLookMs } = options
    const projects = new Projects(dir, wire.url, { events, lookMs })
    endings.push(() => projects.close())
    if (projects.wasDamaged) log.error('What was remembered of projects was damaged and is begun anew. Link them again.')
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const agent = assemble(options, { wire, api, http, dir, log, events, reach, projects, remember }, ask)
    running = agent
    endings.push(() => agent.mirror.close())
    endings.push(() => agent.previews.close())
    endings.push(() => agent.imports.close())
    if (agent.imports.wasDamaged) log.error('What was remembered of conflicts was damaged and is begun anew.')
    if (agent.imports.senders.wasDamaged)
      log.error('What was remembered of senders was damaged and is begun anew. Allow them again with `ph agent allow`.')
    endings.push(() => agent.sessions.close())
    endings.push(() => agent.watching.close())
    agent.supervisor.start(partsOf(agent, options))
    endings.push(async () => {
      const late = await agent.supervisor.stop()
      if (late.length > 0) log.error(`did not end in time: ${late.join(', ')}`)
    })
    endings.push(onWaking((byMs) => wake(agent, byMs), lookMs))
    const { url, close } = await openAgentApi(agent)
    endings.push(close)
    reach.ask()
    log.info(`agent of ${hostname()} for ${wire.url}, process ${process.pid}, at ${url}`)
    return { agent, url, asked, stop: end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Looks whether the clock is far from where it should be: the machine slept, the clock was set, or the program was held up. */
function onWaking(woke: (byMs: number) => void, lookMs: number): () => void {
  let lastMs = Date.now()
  const look = () => {
    const byMs = Date.now() - lastMs - lookMs
    lastMs = Date.now()
    if (Math.abs(byMs) > jumpMs) woke(byMs)
  }
  const timer = setInterval(look, lookMs).unref()
  return () => clearInterval(timer)
}

/** Connections may be dead without a word, and times passed unseen. */
function wake(agent: Agent, byMs: number): void {
  agent.log.info(`the machine slept, or its clock was set: by ${Math.round(byMs / 1000)} s`)
  if (byMs > 0) void agent.http.reconnect()
  agent.live.reopen()
  agent.watching.missed()
  agent.sessions.beatNow()
  goOn(agent)
}

/** Nobody waits any longer for a server that is there again. */
function goOn(agent: Agent | undefined): void {
  agent?.supervisor.retryNow()
  agent?.imports.retryNow()
  agent?.watching.libraryMoved()
}

function assemble(options: AgentOptions, around: Surroundings, ask: () => void): Agent {
  const { version, patience, importTimes, sessionTimes, watchPace, previews = process.env.PH_PREVIEWS !== 'off' } = options
  const supervisor = new Supervisor(watchersOf(around), patience)
  const live = new LiveFeed(around)
  const imports = new Imports(around, importTimes)
  const sessions = new Sessions(around, imports, sessionTimes)
  live.onJobs(() => sessions.beatNow())
  return {
    ...around,
    version,
    startedAt: new Date(),
    supervisor,
    live,
    imports,
    sessions,
    watching: new Watching(around, live, watchPace),
    mirror: new MirrorKeeper(around, live),
    previews: new ProjectPreviews(around, { isOn: previews }),
    stop: ask,
  }
}

const partsOf = (agent: Agent, { notices = process.env.PH_AGENT_NOTICES !== 'off' }: AgentOptions): Part[] => [
  agent.live,
  agent.sessions.part,
  agent.imports.part,
  agent.mirror,
  agent.watching.part,
  noticesPart(agent, { isOn: notices }),
]

const watchersOf = ({ log, events, reach }: Surroundings): ConstructorParameters<typeof Supervisor>[0] => ({
  began: ({ name }) => events.tell('part', { name, state: 'running' }),
  failed: ({ name }, error, { inMs }) => {
    reach.failed(error)
    logFailure(log, name, { error, inMs })
    events.tell('part', { name, state: 'waiting', message: error instanceof Error ? error.message : String(error) })
  },
})

const logFailure = (log: Logger, name: string, { error, inMs }: { error: unknown; inMs: number }): void =>
  log.warn({ err: error }, `${name} failed and is tried again in ${Math.round(inMs / 1000)} s`)

function takeFolder(dir: string): Lock {
  const lock = tryLockFolder(dir)
  if (lock) return lock
  const pid = readNote(dir)?.note.pid
  throw new ClientError(
    'AGENT_RUNS',
    `An agent runs already with this state folder${pid === undefined ? '' : `, process ${pid}`}.`,
  )
}

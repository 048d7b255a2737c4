/** The agent itself: how it is, what happens, pause and end. */
import { pluginStanding } from '../../client/desktop/plugin-standing.ts'
import { isProject } from '../../client/project/unreal-project.ts'
import type { AgentProject, AgentStatus } from '../../contract/agent.ts'
import type { MirrorReport } from '../../contract/agent-mirror.ts'
import type { Agent } from '../agent.ts'
import type { Project } from '../projects/projects.ts'
import type { AgentHandlers } from './handler.ts'

export const agent: AgentHandlers<'agent'> = {
  status: ({ agent: own }) => statusOf(own),
  events: ({ agent: { events }, input: { since, project_key }, signal }) =>
    events.follow({ since, projectKey: project_key, signal }),
  pause({ agent: own, input: { minutes } }) {
    own.supervisor.pause(minutes === undefined || minutes === null ? undefined : new Date(Date.now() + minutes * 60_000))
    return statusOf(own)
  },
  resume({ agent: own }) {
    own.supervisor.resume()
    return statusOf(own)
  },
  stop({ agent: own }) {
    // The answer goes first.
    setImmediate(() => own.stop())
    return undefined
  },
}

export function statusOf(own: Agent): AgentStatus {
  const { supervisor, reach, wire, projects } = own
  const paused = supervisor.paused
  return {
    pid: process.pid,
    version: own.version,
    server: wire.url,
    person: reach.person,
    state: stateOf(own),
    paused_until: paused?.until?.toISOString() ?? null,
    started_at: own.startedAt.toISOString(),
    parts: supervisor.reports(),
    projects: projects.list().map((project) => projectOf(own, project)),
    mirror: mirrorOf(own),
  }
}

/** Nobody knows whether it is current while the server is away. */
export function mirrorOf({ reach, mirror }: Agent): MirrorReport {
  const report = mirror.report()
  return reach.state === 'offline' && report.state === 'current' ? { ...report, state: 'offline' } : report
}

function stateOf({ supervisor, reach }: Agent): AgentStatus['state'] {
  if (reach.state === 'signed_out') return 'signed_out'
  if (supervisor.paused) return 'paused'
  return reach.state === 'offline' ? 'offline' : 'running'
}

export function projectOf({ watching, imports }: Agent, project: Project): AgentProject {
  const { key, root, editor, acceptsImports, takesAway, autoCheckout, engineVersion, linked } = project
  return {
    project_key: key,
    root,
    editor,
    accepts_imports: acceptsImports,
    takes_away: takesAway,
    auto_checkout: autoCheckout,
    engine_version: editor?.engine_version ?? engineVersion,
    linked,
    plugin: pluginIn(root),
    watching: watching.report(root),
    imports: imports.of(key),
  }
}

function pluginIn(root: string): AgentProject['plugin'] {
  if (!isProject(root)) return null
  const { state, version, available } = pluginStanding(root)
  return { state, version, available }
}

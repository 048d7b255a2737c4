/**
 * What editors, `ph` and assistants may ask of the desktop agent of their machine. These routes are mounted on the agent's socket and on its
 * loopback port, both for those only who can read its token, so they belong to no list of the public contract. Folders and files are
 * absolute paths of the agent's machine, unless a field says that it is below the project's root.
 */
import { type Static, Type } from 'typebox'
import { AgentEditor, agentEditors } from './agent-editors.ts'
import { AgentPath, agentFiles } from './agent-files.ts'
import { agentConflicts, agentImports, ImportReport } from './agent-imports.ts'
import { agentMirror, MirrorReport } from './agent-mirror.ts'
import { agentSenders } from './agent-senders.ts'
import { limits } from './limits.ts'
import { ProjectName } from './pull-jobs.ts'
import { type Route, routes } from './route.ts'
import { absentOrNull, Count, EngineVersion, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()
const most = limits.agent
const Path = AgentPath

/** `waiting`: it failed, and is tried again. `paused`: someone asked for that. */
export const partStates = ['running', 'waiting', 'paused', 'stopped'] as const
export const agentParts = ['live', 'sessions', 'imports', 'watching', 'mirror', 'notices'] as const
/** `offline`: the server is not reached; what is here goes on working. `signed_out`: the key is no longer valid. */
export const agentStates = ['running', 'paused', 'offline', 'signed_out'] as const

const PartReport = Type.Object({
  name: oneOf(agentParts),
  state: oneOf(partStates),
  /** What it does, or why it waits. */
  message: nullable(Text),
  /** How often it failed since it last ran for a while. */
  failures: Count,
  next_try_at: nullable(Timestamp),
})
export type PartReport = Static<typeof PartReport>

const WatchReport = Type.Object({
  /**
   * `looking`: the first look at all files is under way. `polling`: the system does not tell of changes, so they are looked for. `gone`:
   * the folder is not there; it is watched again when it is back.
   */
  state: oneOf(['looking', 'watching', 'polling', 'gone', 'off'] as const),
  files: Count,
  /** Those that diverged too, and those that moved. */
  modified: Count,
  /** Those that diverged too. */
  outdated: Count,
  untracked: Count,
  missing: Count,
  /** Held by other people. */
  held: Count,
  /** They change at this moment, or are looked at. */
  pending: Count,
  /** When the library was last heard of. */
  as_of: nullable(Timestamp),
  /** What is wrong. */
  message: nullable(Text),
})
export type WatchReport = Static<typeof WatchReport>

/**
 * `old`: this ph brings another one, and nobody changed this one. `newer`: a later ph put it there. `changed`: someone changed files of it.
 */
export const pluginStates = ['missing', 'current', 'old', 'newer', 'changed'] as const
export type PluginState = (typeof pluginStates)[number]

/** A project that the agent looks after. */
export const AgentProject = Type.Object({
  project_key: Text,
  root: Path,
  /** The one that has it open; null while none has. */
  editor: nullable(AgentEditor),
  accepts_imports: Type.Boolean(),
  /** Imports may move files that have no place in the project any more into its backups. */
  takes_away: Type.Boolean(),
  auto_checkout: Type.Boolean(),
  engine_version: nullable(Text),
  /** It was linked by `ph agent link`; else an editor has announced it. */
  linked: Type.Boolean(),
  /** The editor's plugin in the project's own `Plugins` folder; null where the folder has no .uproject. */
  plugin: nullable(Type.Object({ state: oneOf(pluginStates), version: nullable(Text), available: Text })),
  watching: WatchReport,
  imports: Type.Object({ running: nullable(ImportReport), waiting: Count, last: nullable(ImportReport) }),
})
export type AgentProject = Static<typeof AgentProject>

export const AgentStatus = Type.Object({
  pid: Count,
  version: Text,
  /** Address of the workspace. */
  server: Text,
  person: nullable(UserStub),
  state: oneOf(agentStates),
  paused_until: nullable(Timestamp),
  started_at: Timestamp,
  parts: Type.Array(PartReport),
  projects: Type.Array(AgentProject),
  mirror: MirrorReport,
})
export type AgentStatus = Static<typeof AgentStatus>

/** `data` depends on `event`: docs/agent-api.md lists them. */
const AgentEvent = Type.Object({
  event: Text,
  id: Type.Optional(Id),
  data: Type.Object({}, { additionalProperties: true }),
})

const agent = routes({
  status: {
    method: 'GET',
    path: '/agent/v1/status',
    scope: 'local',
    summary: 'Say how the agent, its projects and its mirror are.',
    output: AgentStatus,
  },
  events: {
    method: 'GET',
    path: '/agent/v1/events',
    scope: 'local',
    summary:
      'Follow what happens, as server-sent events with growing ids. `since`: what came after that event comes first; where some of it is no longer kept, an event `gap` says so, and what is shown has to be asked for anew.',
    input: Type.Object({ since: Type.Optional(Count), project_key: Type.Optional(ProjectName) }),
    output: AgentEvent,
    answers: 'events',
  },
  pause: {
    method: 'POST',
    path: '/agent/v1/pause',
    scope: 'local',
    summary: 'Stop importing, watching and mirroring, until told otherwise or for some minutes. Sessions of editors go on.',
    input: Type.Object({ minutes: absentOrNull(Type.Integer({ minimum: 1, maximum: most.pauseMinutes })) }),
    output: AgentStatus,
  },
  resume: {
    method: 'POST',
    path: '/agent/v1/resume',
    scope: 'local',
    summary: 'Go on after a pause, and try at once what waits after a failure.',
    output: AgentStatus,
  },
  stop: {
    method: 'POST',
    path: '/agent/v1/stop',
    scope: 'local',
    summary: 'End the agent. What it is doing is left so that it goes on there when it is started again.',
  },
})

const agentProjects = routes({
  link: {
    method: 'PUT',
    path: '/agent/v1/projects',
    scope: 'local',
    summary: 'Look after a project. Again for the same folder: with the choices given now.',
    input: Type.Object({
      /** Its folder, one in it, or its .uproject. */
      path: Path,
      accepts_imports: Type.Boolean(),
      takes_away: absentOrNull(Type.Boolean()),
      auto_checkout: absentOrNull(Type.Boolean()),
      /** Where the .uproject names no engine. */
      engine_version: absentOrNull(EngineVersion),
      /** Where the folder holds no .uproject. */
      project_key: absentOrNull(ProjectName),
    }),
    output: AgentProject,
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  unlink: {
    method: 'DELETE',
    path: '/agent/v1/projects',
    scope: 'local',
    summary: 'Look after a project no more. Its files stay as they are.',
    input: Type.Object({ path: Path }),
    output: Type.Object({ root: Path }),
    errors: ['NOT_FOUND'],
  },
})

export const agentContract = {
  agent,
  agentProjects,
  agentFiles,
  agentEditors,
  agentConflicts,
  agentImports,
  agentSenders,
  agentMirror,
} as const
export type AgentContract = typeof agentContract

export const agentRoutes: readonly (readonly [noun: string, verb: string, route: Route])[] = Object.entries(
  agentContract,
).flatMap(([noun, table]) => Object.entries(table).map(([verb, route]) => [noun, verb, route] as const))

/** Editor sessions: which editors are online, in which project, and what their plugins say of themselves (spec 2 and 4.8). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { ProjectName, PullJob, TargetRoot } from './pull-jobs.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()
const { editorSession: most } = limits
const Fact = absentOrNull(Type.String({ maxLength: most.fact }))

export const transferModes = ['agent', 'legacy'] as const
export const desktopAgents = ['live', 'launchable', 'unavailable', 'not_required', 'unknown'] as const

/** One for each process of an editor, which chooses it. */
export const SessionId = Type.String({ pattern: '^[A-Za-z0-9-]{8,64}$' })

/** An editor as it last said of itself; null is what it never said. */
export const EditorSession = Type.Object({
  session_id: Text,
  project_key: Text,
  engine_version: nullable(Text),
  plugin_version: nullable(Text),
  machine: nullable(Text),
  default_root: nullable(Text),
  accepts_agent_imports: Type.Boolean(),
  transfer_mode: nullable(oneOf(transferModes)),
  desktop_agent: nullable(oneOf(desktopAgents)),
  busy_job_id: nullable(Id),
  last_error: nullable(Text),
  heartbeat_interval_seconds: Count,
  started_at: Timestamp,
  last_seen_at: Timestamp,
  seconds_since_seen: Count,
  online: Type.Boolean(),
})
export type EditorSession = Static<typeof EditorSession>

/** A job that another person sent to a project, to be brought by the agent of someone who works there, if that person lets it. */
export const SentJob = Type.Object({ ...PullJob.properties, sender: UserStub })
export type SentJob = Static<typeof SentJob>

const heartbeat = Type.Object({
  session_id: SessionId,
  project_key: ProjectName,
  accepts_agent_imports: Type.Boolean(),
  heartbeat_interval_seconds: Type.Integer({ minimum: most.heartbeatSeconds.min, maximum: most.heartbeatSeconds.max }),
  engine_version: Fact,
  plugin_version: Fact,
  machine: Fact,
  default_root: absentOrNull(TargetRoot),
  transfer_mode: absentOrNull(oneOf(transferModes)),
  desktop_agent: absentOrNull(oneOf(desktopAgents)),
  busy_job_id: absentOrNull(Id),
  last_error: absentOrNull(Type.String({ maxLength: most.lastError })),
})

export const editorSessions = routes({
  list: {
    method: 'GET',
    path: '/editor-sessions',
    scope: 'read',
    summary: 'List your own editor sessions of the last 24 hours, the one that was seen last first.',
    output: Type.Object({ sessions: Type.Array(EditorSession) }),
  },
  remove: {
    method: 'DELETE',
    path: '/editor-sessions/{session_id}',
    scope: 'write',
    summary: 'Say that an editor is gone: yours, or as an admin anybody’s.',
    input: Type.Object({ session_id: Type.String({ minLength: 1 }) }),
    errors: ['FORBIDDEN'],
  },
  heartbeat: {
    method: 'POST',
    path: '/editor-sessions/heartbeat',
    scope: 'write',
    summary:
      'Say that an editor is there, and learn which pull jobs wait for it. What is left out stays as it was; null clears it.',
    input: heartbeat,
    output: Type.Object({
      session_id: Text,
      server_time: Timestamp,
      agent_jobs: Type.Array(PullJob),
      /** Up to as many that other people sent to the project, the oldest first; absent where there are none. */
      sent_jobs: Type.Optional(Type.Array(SentJob)),
    }),
    repeatable: true,
    errors: ['CONFLICT', 'VALIDATION'],
  },
})

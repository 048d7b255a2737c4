/** Editors that speak to the desktop agent: what their plugins say, and hear. */
import { type Static, Type } from 'typebox'
import { AgentPath, FileReason, WatchedFile } from './agent-files.ts'
import { desktopAgents, SessionId } from './editor-sessions.ts'
import { limits } from './limits.ts'
import { ProjectName, TargetRoot } from './pull-jobs.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()
const Path = AgentPath
const most = limits.agent

/** An editor that has announced itself. */
export const AgentEditor = Type.Object({
  session_id: Text,
  project_key: Text,
  root: Path,
  engine_version: nullable(Text),
  plugin_version: nullable(Text),
  accepts_imports: Type.Boolean(),
  default_root: nullable(Text),
  announced_at: Timestamp,
  /** Packages that are open in it. */
  open: Type.Array(Text),
})
export type AgentEditor = Static<typeof AgentEditor>

export const agentEditors = routes({
  announce: {
    method: 'PUT',
    path: '/agent/v1/editors/{session_id}',
    scope: 'local',
    summary:
      'Say that an editor is there. It holds for a minute: say it again every 15 seconds. The agent keeps its session at the server, with this project and what it accepts.',
    input: Type.Object({
      session_id: SessionId,
      project_key: ProjectName,
      /** The folder of the .uproject. */
      root: Path,
      engine_version: absentOrNull(Type.String({ maxLength: limits.editorSession.fact })),
      plugin_version: absentOrNull(Type.String({ maxLength: limits.editorSession.fact })),
      accepts_imports: Type.Boolean(),
      default_root: absentOrNull(TargetRoot),
      /** Packages that are open in it; absent: as said before. */
      open: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: most.openPackages })),
    }),
    output: Type.Object({
      editor: AgentEditor,
      server: Text,
      person: nullable(UserStub),
      desktop_agent: oneOf(desktopAgents),
      /** Follow events from here. */
      since: Count,
    }),
    errors: ['CONFLICT', 'VALIDATION'],
  },
  leave: {
    method: 'DELETE',
    path: '/agent/v1/editors/{session_id}',
    scope: 'local',
    summary: 'Say that an editor ends.',
    input: Type.Object({ session_id: SessionId }),
  },
  opened: {
    method: 'POST',
    path: '/agent/v1/editors/{session_id}/opened',
    scope: 'local',
    summary: 'Say that a package was opened, and hear whether someone holds it or a newer version is there.',
    input: Type.Object({ session_id: SessionId, package: Type.String({ minLength: 1, maxLength: 1000 }) }),
    output: Type.Object({
      file: nullable(WatchedFile),
      warnings: Type.Array(FileReason),
      /** What could be done before editing: check it out, where it is free. */
      suggestion: nullable(FileReason),
    }),
    errors: ['NOT_FOUND', 'VALIDATION'],
  },
})

/** The only place that lists the columns of an editor session (spec 2). */

import type { EditorSession } from '../../contract/editor-sessions.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** Where sessions are looked for, and at what moment. */
export interface SessionScope {
  sql: Sql
  workspace: { id: number }
  now: Date
}

/** s = editor_sessions. Three heartbeats may be missed, and a moment more. */
export const isOnline = (sql: Sql, now: Date): Fragment => sql`
  (s.ended_at is null and s.last_seen_at + make_interval(secs => 3 * s.heartbeat_interval_seconds + 15) >= ${now.toISOString()})`

/** `tail` may use the alias s and begins with `and`. */
export const selectSessions = ({ sql, workspace, now }: SessionScope, tail: Fragment): PromiseLike<EditorSession[]> =>
  sql<EditorSession[]>`
    select s.session_id, s.project_key, s.engine_version, s.plugin_version, s.machine, s.default_root, s.accepts_agent_imports,
           s.transfer_mode, s.desktop_agent, s.busy_job_id, s.last_error, s.heartbeat_interval_seconds, s.started_at, s.last_seen_at,
           greatest(0, floor(extract(epoch from ${now.toISOString()}::timestamptz - s.last_seen_at)))::int as seconds_since_seen,
           ${isOnline(sql, now)} as online
      from editor_sessions s where s.workspace_id = ${workspace.id} ${tail}`

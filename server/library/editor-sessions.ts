/** Editor sessions: which editors are online, and which pull jobs wait for them (spec 4.8). */

import type { editorSessions as contract, SentJob } from '../../contract/editor-sessions.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PullJob } from '../../contract/pull-jobs.ts'
import type { InputOf } from '../../contract/route.ts'
import type { Context, Handlers } from '../handler.ts'
import { selectSessions } from '../rows/editor-session.ts'
import { selectStubs } from '../rows/json.ts'
import { isInState, selectPullJobs } from '../rows/pull-job.ts'

const { editorSession: most } = limits
const hourMs = 3_600_000

type Heartbeat = Context & { input: InputOf<(typeof contract)['heartbeat']> }

export const editorSessions: Handlers<typeof contract> = {
  async list({ sql, workspace, actor, now }) {
    const since = new Date(now.getTime() - most.listedHours * hourMs).toISOString()
    const mine = sql`and s.user_id = ${actor.id} and s.last_seen_at > ${since}
      order by s.last_seen_at desc, s.session_id limit ${most.listed}`
    return { sessions: await selectSessions({ sql, workspace, now }, mine) }
  },

  async remove({ sql, workspace, actor, now, input }) {
    const [session] = await sql<{ user_id: number }[]>`
      select user_id from editor_sessions where workspace_id = ${workspace.id} and session_id = ${input.session_id} for update`
    if (!session) return
    if (session.user_id !== actor.id && actor.role !== 'admin')
      throw new ApiError('FORBIDDEN', 'Only the person at that editor, or an admin, may say that it is gone.')
    await sql`
      update editor_sessions set ended_at = ${now.toISOString()}
       where workspace_id = ${workspace.id} and session_id = ${input.session_id} and ended_at is null`
  },

  async heartbeat(request) {
    await forgetOld(request)
    await note(request)
    const { session_id, accepts_agent_imports: accepts } = request.input
    return {
      session_id,
      server_time: request.now.toISOString(),
      agent_jobs: accepts ? await selectAgentJobs(request, 'own') : [],
      ...(accepts && (await selectSent(request))),
    }
  },
}

/** An id that was unseen for so long is free again, whether or not background work has come by. */
async function forgetOld({ sql, workspace, now, input }: Heartbeat): Promise<void> {
  const before = new Date(now.getTime() - most.keptDays * 24 * hourMs).toISOString()
  await sql`
    delete from editor_sessions
     where workspace_id = ${workspace.id} and session_id = ${input.session_id} and last_seen_at < ${before}`
}

/** What an editor may leave out. */
const facts = [
  'engine_version',
  'plugin_version',
  'machine',
  'default_root',
  'transfer_mode',
  'desktop_agent',
  'busy_job_id',
  'last_error',
] as const

/** The first heartbeat makes the session; of two people with one id the first has it. */
async function note({ sql, workspace, actor, now, input }: Heartbeat): Promise<void> {
  const at = now.toISOString()
  const { session_id, project_key, accepts_agent_imports, heartbeat_interval_seconds } = input
  const sent = Object.fromEntries(facts.flatMap((fact) => (input[fact] === undefined ? [] : [[fact, input[fact]]])))
  const said = { project_key, accepts_agent_imports, heartbeat_interval_seconds, ...sent, last_seen_at: at, ended_at: null }
  const row = { workspace_id: workspace.id, session_id, user_id: actor.id, started_at: at, ...said }
  const [noted] = await sql`
    insert into editor_sessions ${sql(row)}
    on conflict (workspace_id, session_id) do update set ${sql(said)} where editor_sessions.user_id = ${actor.id}
    returning session_id`
  if (!noted) throw new ApiError('CONFLICT', `The session ${session_id} belongs to another person's editor.`)
}

/** Those that wait for an agent in exactly this project, ordered by this person or by others, the oldest first. */
const selectAgentJobs = ({ sql, workspace, actor, now, input }: Heartbeat, whose: 'own' | 'sent'): PromiseLike<PullJob[]> =>
  selectPullJobs(
    { sql, workspace, now },
    sql`and j.delivery = 'agent' and j.status in ('queued', 'claimed', 'running') and ${isInState(sql, now, 'queued')}
        and j.requested_by ${whose === 'own' ? sql`=` : sql`<>`} ${actor.id} and j.target_project = ${input.project_key}
      order by j.id limit ${most.agentJobs}`,
  )

/** Nothing where there are none, as an answer that knows no such jobs. */
async function selectSent(request: Heartbeat): Promise<{ sent_jobs?: SentJob[] }> {
  const { sql, workspace } = request
  const jobs = await selectAgentJobs(request, 'sent')
  if (jobs.length === 0) return {}
  const senders = await selectStubs(
    sql,
    workspace.id,
    jobs.map(({ requested_by }) => requested_by),
  )
  const sent_jobs = jobs.flatMap((job) => {
    const sender = senders.get(job.requested_by)
    return sender ? [{ ...job, sender }] : []
  })
  return { sent_jobs }
}

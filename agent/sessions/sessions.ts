/** Editor sessions at the server: one for each editor, and one of the agent's own for a project that nobody has open. Jobs come back. */
import { hostname } from 'node:os'
import type { AgentEditor } from '../../contract/agent-editors.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Imports } from '../imports/imports.ts'
import { goneMessage, type Project } from '../projects/projects.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import { OwnSessions } from './own-sessions.ts'
import { type Heartbeat, KeptSession, type Next } from './session.ts'

/** In milliseconds. */
export interface SessionTimes {
  withEditorMs: number
  aloneMs: number
  /** After a refusal that another attempt does not change. */
  refusedMs: number
  /** For saying that a session ends. */
  endingMs: number
}

const usual: SessionTimes = { withEditorMs: 15_000, aloneMs: 30_000, refusedMs: 5 * 60_000, endingMs: 2000 }

/** What a session is about. */
interface Subject {
  project: Project
  /** Null: the agent's own session. */
  editor: AgentEditor | null
}

/** A run of the part: its sessions by what they are about. */
interface Run {
  sessions: Map<string, KeptSession>
  signal: AbortSignal
  say(message: string | null): void
}

export class Sessions {
  readonly #around: Surroundings
  readonly #imports: Imports
  readonly #times: SessionTimes
  readonly #own: OwnSessions
  #run: Run | undefined

  constructor(around: Surroundings, imports: Imports, times: Partial<SessionTimes> = {}) {
    this.#around = around
    this.#imports = imports
    this.#times = { ...usual, ...times }
    this.#own = new OwnSessions(around.dir)
  }

  readonly part: Part = {
    name: 'sessions',
    canPause: false,
    run: async (signal, say) => {
      const run: Run = { sessions: new Map(), signal, say }
      this.#run = run
      const endings = [this.#around.projects.onChange(() => this.#changed(run)), this.#imports.onChange(() => this.#beatNews())]
      this.#follow(run)
      try {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      } finally {
        for (const end of endings) end()
        this.#run = undefined
        await Promise.all([...run.sessions.values()].map((session) => this.#end(session)))
      }
    },
  }

  /** Says every session anew, and so learns which jobs wait. */
  beatNow(): void {
    for (const session of this.#run?.sessions.values() ?? []) session.beat()
  }

  close(): void {
    this.#own.close()
  }

  #changed(run: Run): void {
    this.#follow(run)
    this.#beatNews()
  }

  #beatNews(): void {
    for (const session of this.#run?.sessions.values() ?? []) session.beatNews()
  }

  /** Begins sessions that are new, and ends those whose project or editor is gone. */
  #follow(run: Run): void {
    const wanted = new Set(this.#subjects().map(subjectKey))
    for (const [key, session] of run.sessions) {
      if (wanted.has(key)) continue
      run.sessions.delete(key)
      void this.#end(session)
    }
    for (const key of wanted) if (!run.sessions.has(key)) run.sessions.set(key, this.#begin(key, run))
  }

  #subjects(): Subject[] {
    const { projects } = this.#around
    const list = projects.list()
    const byRoot = new Map(list.map((project) => [project.root, project]))
    const edited = projects.editors.list().flatMap((editor): Subject[] => {
      const project = byRoot.get(editor.root)
      return project ? [{ project, editor }] : []
    })
    const alone = list.filter(({ linked, acceptsImports, editor }) => linked && acceptsImports && !editor)
    return [...edited, ...alone.map((project) => ({ project, editor: null }))]
  }

  #begin(key: string, run: Run): KeptSession {
    let last: Subject | undefined
    const subject = (): Subject => {
      last = this.#subjects().find((one) => subjectKey(one) === key) ?? last
      if (!last) throw new Error(`the session ${key} is about nothing`)
      return last
    }
    return new KeptSession({
      heartbeat: () => this.#heartbeatOf(subject()),
      say: (heartbeat) => this.#say(heartbeat, { subject: subject(), run }),
      failed: (error) => this.#afterFailure(error, { subject: last, run }),
    })
  }

  #heartbeatOf({ project, editor }: Subject): Heartbeat {
    const { root, key, engineVersion, acceptsImports } = project
    const isThere = this.#imports.isThere(project)
    const accepts = editor ? editor.accepts_imports : acceptsImports
    const error = isThere ? this.#imports.lastErrorOf(root) : goneMessage(project)
    return {
      session_id: editor?.session_id ?? this.#own.idOf(root, key),
      project_key: key,
      accepts_agent_imports: accepts && isThere && this.#imports.isTaking,
      heartbeat_interval_seconds: this.#secondsOf(editor),
      engine_version: editor?.engine_version ?? engineVersion,
      plugin_version: editor?.plugin_version ?? null,
      machine: hostname().slice(0, limits.editorSession.fact),
      default_root: editor?.default_root ?? null,
      transfer_mode: 'agent',
      desktop_agent: 'live',
      busy_job_id: this.#imports.busyWith(root),
      last_error: error?.slice(0, limits.editorSession.lastError).toWellFormed() ?? null,
    }
  }

  #msOf = (editor: AgentEditor | null): number => (editor ? this.#times.withEditorMs : this.#times.aloneMs)

  #secondsOf(editor: AgentEditor | null): number {
    const { min, max } = limits.editorSession.heartbeatSeconds
    return Math.min(max, Math.max(min, Math.ceil(this.#msOf(editor) / 1000)))
  }

  async #say(heartbeat: Heartbeat, { subject, run }: { subject: Subject; run: Run }): Promise<Next> {
    const { api, reach } = this.#around
    const { agent_jobs, sent_jobs } = await api.editorSessions.heartbeat(heartbeat, { signal: run.signal })
    reach.worked()
    run.say(null)
    if (!run.signal.aborted && heartbeat.accepts_agent_imports) this.#imports.offer(subject.project, agent_jobs, sent_jobs)
    return { inMs: this.#msOf(subject.editor) }
  }

  /** An id of someone else stays theirs: an editor chooses another one, the agent does so itself. */
  #afterFailure(error: unknown, { subject, run }: { subject: Subject | undefined; run: Run }): Next {
    const usually = { inMs: this.#msOf(subject?.editor ?? null) }
    if (run.signal.aborted) return usually
    const { reach, log } = this.#around
    const message = error instanceof Error ? error.message : String(error)
    reach.failed(error)
    run.say(subject ? `${subject.project.key}: ${message}` : message)
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT' || !subject) return usually
    log.warn(message)
    if (subject.editor) return { inMs: this.#times.refusedMs, isRefused: true }
    this.#own.renew(subject.project.root, subject.project.key)
    return usually
  }

  /** The server would notice by itself, later. */
  async #end(session: KeptSession): Promise<void> {
    const { api, log } = this.#around
    const id = await session.end()
    if (id === undefined) return
    const signal = AbortSignal.timeout(this.#times.endingMs)
    await api.editorSessions
      .remove({ session_id: id }, { signal })
      .catch((error: unknown) => log.info(`the server was not told that ${id} ended: ${error}`))
  }
}

const subjectKey = ({ project, editor }: Subject): string => editor?.session_id ?? project.root

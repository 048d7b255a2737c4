/** What the agent brings into projects: jobs that someone sent with `--to-agent`, and the questions that they raise. One project at a time. */
import { existsSync } from 'node:fs'
import { letGo, openPulls } from '../../client/pull/let-go.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import type { AgentConflict, ImportReport } from '../../contract/agent-imports.ts'
import type { SentJob } from '../../contract/editor-sessions.ts'
import type { PullJob } from '../../contract/pull-jobs.ts'
import { goneMessage, isThere, type Project } from '../projects/projects.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import { Answers } from './answers.ts'
import { type Answer, Conflicts } from './conflicts.ts'
import { ImportReports } from './import-reports.ts'
import { type ImportOrder, type ImportParts, type ImportRun, runImport } from './import-run.ts'
import { type ImportTimes, usualImportTimes } from './import-times.ts'
import { ImportQueue, type Work } from './queue.ts'
import { Senders } from './senders.ts'

/** Projects that are imported into at the same time, besides those that wait for an answer. */
const mostAtOnce = 2

export class Imports {
  readonly #around: Surroundings
  readonly #times: ImportTimes
  readonly #reports: ImportReports
  readonly #conflicts: Conflicts
  /** Other people who send to projects here. */
  readonly senders: Senders
  /** Jobs of this person that the server named last, by root. */
  readonly #own = new Map<string, readonly PullJob[]>()
  readonly #queues = new Map<string, ImportQueue>()
  readonly #listeners = new Set<() => void>()
  readonly #answers: Answers
  /** While the part runs. */
  #run: { signal: AbortSignal; under: Set<Promise<void>>; say(message: string | null): void } | undefined

  constructor(around: Surroundings, times: Partial<ImportTimes> = {}) {
    this.#around = around
    this.#times = { ...usualImportTimes, ...times }
    this.#reports = new ImportReports(around.events, this.#times.tellMs)
    this.#conflicts = new Conflicts(around)
    this.senders = new Senders(around, {
      isBusy: (jobId) => [...this.#queues.values()].some(({ busy }) => busy?.jobId === jobId),
      changed: (key) => {
        for (const project of this.#taking().values()) if (project.key === key) this.#offer(project)
      },
    })
    this.#answers = new Answers(this.#conflicts, {
      api: around.api,
      queueOf: (root) => this.#queueOf(root),
      isPaused: () => !this.#run,
      isThere: (project) => this.isThere(project),
      run: (queue, order, signal) => this.#import(queue, order, signal),
      pump: () => this.#pump(),
    })
    around.projects.onChange(() => this.#forgetUnwanted())
  }

  get wasDamaged(): boolean {
    return this.#conflicts.wasDamaged
  }

  readonly part: Part = {
    name: 'imports',
    canPause: true,
    run: async (signal, say) => {
      const under = new Set<Promise<void>>()
      this.#run = { signal, under, say }
      this.#changed()
      this.retryNow()
      try {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      } finally {
        this.#run = undefined
        this.#changed()
        await Promise.all(under)
      }
    },
  }

  /** Whether what is sent now would be brought: not while imports are paused. */
  get isTaking(): boolean {
    return this.#run !== undefined
  }

  /** What goes on in a project, for its editor session. */
  busyWith = (root: string): number | null => {
    const { busy, project } = this.#queues.get(root) ?? {}
    const goesOn = () => this.list().find(({ project_key, state }) => project_key === project?.key && state === 'running')
    return busy ? (busy.jobId ?? goesOn()?.job_id ?? null) : null
  }
  lastErrorOf = (root: string): string | null => this.#queues.get(root)?.lastError ?? null

  /** Called when an import begins or ends, and when imports are paused or go on; gives what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The server was reached, and these jobs wait there for the project, of this person and of others, unless it takes nothing any more since that was asked. */
  offer(project: Project, jobs: readonly PullJob[], sent: readonly SentJob[] = []): void {
    if (this.#taking().get(project.root)?.key !== project.key) return
    this.senders.heard(project, sent)
    this.#own.set(project.root, jobs)
    this.#conflicts.settleElsewhere()
    this.#offer(project)
  }

  #offer(project: Project): void {
    const jobs = [...(this.#own.get(project.root) ?? []), ...this.senders.allowed(project.key)]
    const queue = this.#queues.get(project.root) ?? new ImportQueue(project, this.#times)
    this.#queues.set(project.root, queue)
    queue.become(project)
    queue.offer(jobs)
    this.#pump()
  }

  /** What waits after a failure is tried at once: what it failed for may be over. */
  retryNow(): void {
    for (const queue of this.#queues.values()) queue.release()
    this.#pump()
  }

  list(): ImportReport[] {
    return this.#reports.list()
  }

  waiting(): PullJob[] {
    const jobs = [...this.#queues.values()].flatMap((queue) => queue.waiting().map((job) => [job.id, job] as const))
    return [...new Map(jobs).values()]
  }

  of(projectKey: string): { running: ImportReport | null; waiting: number; last: ImportReport | null } {
    const own = this.list().filter(({ project_key }) => project_key === projectKey)
    return {
      running: own.find(({ ended_at }) => ended_at === null) ?? null,
      waiting: this.waiting().filter(({ target_project }) => target_project === projectKey).length,
      last: own.find(({ ended_at }) => ended_at !== null) ?? null,
    }
  }

  conflicts(projectKey: string | undefined): AgentConflict[] {
    return this.#conflicts.list(projectKey)
  }

  answer = (id: number, answer: Answer): Promise<AgentConflict> => this.#answers.answer(id, answer)

  close(): void {
    this.#conflicts.close()
    this.senders.close()
  }

  /** What waits for a project that takes nothing any more stays where it is; what is under way goes on. */
  #forgetUnwanted(): void {
    const taking = this.#taking()
    this.senders.forgetOthers(new Set(taking.values().map(({ key }) => key)))
    for (const [root, queue] of this.#queues) if (taking.get(root)?.key !== queue.project.key) queue.offer([])
  }

  /** Projects that take imports now, by root: of those that are open, where one of their editors does. */
  #taking(): Map<string, Project> {
    const { projects } = this.#around
    const byEditor = new Set(projects.editors.list().flatMap(({ root, accepts_imports }) => (accepts_imports ? root : [])))
    const taking = projects.list().filter(({ root, editor, acceptsImports }) => (editor ? byEditor.has(root) : acceptsImports))
    return new Map(taking.map((project) => [project.root, project]))
  }

  #queueOf(root: string): ImportQueue | undefined {
    const project = this.#around.projects.list().find((one) => one.root === root)
    const queue = this.#queues.get(root)
    if (queue && project) queue.become(project)
    if (queue || !project) return queue
    const begun = new ImportQueue(project, this.#times)
    this.#queues.set(root, begun)
    return begun
  }

  #pump(): void {
    const busy = () => [...this.#queues.values()].filter((queue) => queue.busy)
    const active = () => busy().filter((queue) => !queue.isAsking)
    for (const queue of this.#queues.values()) {
      const run = this.#run
      if (!run || run.signal.aborted || active().length >= mostAtOnce) return
      if (queue.busy) continue
      const taken = new Set(busy().map((one) => one.busy?.jobId))
      const work = queue.next((jobId) => taken.has(jobId))
      if (!work) continue
      queue.busy = { jobId: work.kind === 'job' ? work.id : null }
      const done = this.#work(queue, { work, signal: run.signal }).finally(() => {
        queue.busy = undefined
        run.under.delete(done)
        this.#changed()
        this.#pump()
      })
      run.under.add(done)
    }
  }

  /** Never throws: one project hears nothing of another one. */
  async #work(queue: ImportQueue, { work, signal }: { work: Work; signal: AbortSignal }): Promise<void> {
    const { log, reach } = this.#around
    const { root } = queue.project
    try {
      if (work.kind === 'errand') await work.run(signal)
      else if (await this.#canBring(queue, work)) await this.#bring(queue, { work, signal })
    } catch (error) {
      if (signal.aborted) return queue.left()
      const message = error instanceof Error ? error.message : String(error)
      queue.left()
      queue.hold('left')
      if (work.kind === 'job') queue.hold(work.id)
      queue.lastError = message
      reach.failed(error)
      log.warn({ err: error }, `an import into ${root} was interrupted and is tried again: ${message}`)
    }
  }

  /** Whether the folder of a project is what it was. */
  isThere(project: Project): boolean {
    const queue = this.#queues.get(project.root)
    const descriptor = queue?.project.key === project.key ? queue.descriptor : undefined
    return isThere(project) && (!descriptor || existsSync(descriptor))
  }

  /** A project that was taken away gets nothing, and what was under way is given back: nobody knows whether it comes again. */
  async #canBring(queue: ImportQueue, work: Work): Promise<boolean> {
    const { root, key } = queue.project
    if (this.isThere(queue.project)) {
      queue.descriptor ??= findTarget({ cwd: root, into: root, project: key }).descriptor
      return true
    }
    queue.lastError = goneMessage(queue.project)
    const gone = await letGo(this.#around.wire, root, queue.lastError)
    for (const id of gone) this.#reports.begin(id, key)
    for (const id of gone) this.#reports.end(id, 'failed', queue.lastError)
    // `waiting` leaves out the job that this import is about. Without a hold it would be taken up again at once, without end.
    if (work.kind === 'job') queue.hold(work.id)
    for (const { id } of queue.waiting()) queue.hold(id)
    queue.hold('left')
    return false
  }

  async #bring(queue: ImportQueue, { work, signal }: { work: Exclude<Work, { kind: 'errand' }>; signal: AbortSignal }) {
    const left = [...this.#openJobs(queue)]
    const isIdle = work.kind === 'left' && left.length === 0
    const order = { left, jobs: work.kind === 'job' ? [work.id] : [] }
    const { jobs } = isIdle ? { jobs: [] } : await this.#import(queue, order, signal)
    this.#conflicts.letWait(queue.project.root, this.#openJobs(queue))
    // Jobs that were ordered at once are brought at once.
    const [refused, ended] = [true, false].map((is) =>
      jobs.flatMap(({ job_ids, status }) => ((status === 'refused') === is ? job_ids : [])),
    ) as [number[], number[]]
    this.senders.ended(ended)
    for (const id of ended) queue.done({ kind: 'job', id })
    if (work.kind !== 'job' || !refused.includes(work.id)) queue.done(work)
    for (const id of refused) queue.hold(id)
  }

  async #import(queue: ImportQueue, order: ImportOrder, signal: AbortSignal): Promise<ImportRun> {
    const { log, reach } = this.#around
    this.#changed()
    const run = await runImport(this.#parts(queue), { project: queue.project, order, signal })
    reach.worked()
    for (const { job_id, status, reason } of run.jobs) {
      queue.lastError = status === 'done' ? null : reason
      log.info(`job ${job_id} into ${queue.project.root}: ${status}${reason === null ? '' : `, ${reason}`}`)
    }
    for (const note of run.notes) log.info(note)
    return run
  }

  #openJobs(queue: ImportQueue): Set<number> {
    const { folders, url } = this.#around.wire
    return new Set(openPulls({ folders, url, root: queue.project.root }).map(({ jobId }) => jobId))
  }

  #parts(queue: ImportQueue): ImportParts {
    const { wire, dir, events, projects, reach, remember } = this.#around
    return {
      about: (jobId) => this.senders.about(jobId) ?? { sent_by: null, note: queue.job(jobId)?.note ?? null },
      ...{ wire, dir, events, remember, times: this.#times, reports: this.#reports, conflicts: this.#conflicts },
      descriptor: queue.descriptor,
      onAsking: (isAsking) => {
        queue.isAsking = isAsking
        if (isAsking) this.#pump()
      },
      // As versions say who pushed them.
      person: () => reach.person?.name ?? null,
      openIn: (root) => {
        const editors = projects.editors.list().filter((editor) => editor.root === root)
        return new Set(editors.flatMap(({ open }) => open.map((name) => name.toLowerCase())))
      },
    }
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

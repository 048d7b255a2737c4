/** What the agent brings into projects: jobs that someone sent with `--to-agent`, and the questions that they raise. One project at a time. */
import { existsSync } from 'node:fs'
import { letGo, openPulls } from '../../client/pull/let-go.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import type { AgentConflict, ImportReport } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import type { PullJob } from '../../contract/pull-jobs.ts'
import { goneMessage, isThere, type Project } from '../projects/projects.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import type { KeptConflict } from './conflict-file.ts'
import { type Answer, Conflicts } from './conflicts.ts'
import { ImportReports } from './import-reports.ts'
import { type ImportOrder, type ImportParts, type ImportRun, runImport } from './import-run.ts'
import { type ImportTimes, usualImportTimes } from './import-times.ts'
import { ImportQueue, type Work } from './queue.ts'
import { takeWaiting } from './take-waiting.ts'

/** Projects that are imported into at the same time, besides those that wait for an answer. */
const mostAtOnce = 2

export class Imports {
  readonly #around: Surroundings
  readonly #times: ImportTimes
  readonly #reports: ImportReports
  readonly #conflicts: Conflicts
  readonly #queues = new Map<string, ImportQueue>()
  readonly #listeners = new Set<() => void>()
  /** Versions that waited and are brought now, by the id of their conflict. */
  readonly #takes = new Map<number, Promise<AgentConflict>>()
  /** While the part runs. */
  #run: { signal: AbortSignal; under: Set<Promise<void>>; say(message: string | null): void } | undefined

  constructor(around: Surroundings, times: Partial<ImportTimes> = {}) {
    this.#around = around
    this.#times = { ...usualImportTimes, ...times }
    this.#reports = new ImportReports(around.events, this.#times.tellMs)
    this.#conflicts = new Conflicts(around)
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

  /** The server was reached, and these jobs wait there for the project, unless it takes nothing any more since that was asked. */
  offer(project: Project, jobs: readonly PullJob[]): void {
    if (this.#taking().get(project.root)?.key !== project.key) return
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

  async answer(id: number, answer: Answer): Promise<AgentConflict> {
    const found = this.#conflicts.get(id)
    const under = this.#takes.get(id)
    if (under && answer === 'keep_local')
      throw new ApiError('CONFLICT', `${found.file} is being replaced at this moment, as was answered before.`)
    if (under) return under
    if (found.state !== 'waiting') return this.#conflicts.answer(id, answer)
    if (answer === 'keep_local') return this.#conflicts.end(found, answer, null)
    const taking = this.#take(found).finally(() => this.#takes.delete(id))
    this.#takes.set(id, taking)
    return taking
  }

  async #take(found: KeptConflict): Promise<AgentConflict> {
    const queue = this.#queueOf(found.root)
    const again = `then answer again: \`ph agent answer ${found.id} --take\`.`
    if (!queue)
      throw new ApiError('UNAVAILABLE', `${found.root} is not linked any more. Link it with \`ph agent link\`, ${again}`)
    if (!this.#run) throw new ApiError('UNAVAILABLE', `Imports are paused. Go on with \`ph agent resume\`, ${again}`)
    return new Promise((resolve, reject) => {
      queue.add(async (signal) => {
        const run = (order: ImportOrder) => this.#import(queue, order, signal)
        const take = async () => {
          if (this.isThere(queue.project)) return takeWaiting(found, { api: this.#around.api, conflicts: this.#conflicts, run })
          throw new ApiError('UNAVAILABLE', `${goneMessage(queue.project)} Put it back, ${again}`)
        }
        await take().then(resolve, (error) => {
          queue.left()
          reject(error)
        })
      })
      this.#pump()
    })
  }

  close(): void {
    this.#conflicts.close()
  }

  /** What waits for a project that takes nothing any more stays where it is; what is under way goes on. */
  #forgetUnwanted(): void {
    const taking = this.#taking()
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
    const refused = new Set(jobs.flatMap(({ job_id, status }) => (status === 'refused' ? job_id : [])))
    if (work.kind !== 'job' || !refused.has(work.id)) queue.done(work)
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
    const { wire, dir, events, projects, reach } = this.#around
    return {
      ...{ wire, dir, events, times: this.#times, reports: this.#reports, conflicts: this.#conflicts },
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

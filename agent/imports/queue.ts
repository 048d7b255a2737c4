/** What waits to be brought into one project: jobs that the server named, what an earlier run left, and versions that someone takes. */
import type { PullJob } from '../../contract/pull-jobs.ts'
import type { Project } from '../projects/projects.ts'
import type { ImportTimes } from './import-times.ts'

/** `left`: what an earlier run began, and `jobs` that it may be. */
export type Work = { kind: 'left' } | { kind: 'job'; id: number } | { kind: 'errand'; run(signal: AbortSignal): Promise<void> }

interface Held {
  untilMs: number
  failures: number
}

export class ImportQueue {
  /** As it was when it was last heard of. */
  project: Project
  /** Its .uproject, once it was seen. */
  descriptor: string | undefined
  busy: { jobId: number | null } | undefined
  /** What goes on waits for people. */
  isAsking = false
  /** Of the import that ended last. */
  lastError: string | null = null
  #jobs = new Map<number, PullJob>()
  readonly #held = new Map<number | 'left', Held>()
  readonly #errands: Extract<Work, { kind: 'errand' }>[] = []
  #hasLeft = true
  readonly #times: ImportTimes

  constructor(project: Project, times: ImportTimes) {
    this.project = project
    this.#times = times
  }

  /** Linked anew, or announced: of another name it has another descriptor. */
  become(project: Project): void {
    if (project.key !== this.project.key) this.descriptor = undefined
    this.project = project
  }

  /** Those that the server says wait now; one that is not among them was done or taken. */
  offer(jobs: readonly PullJob[]): void {
    this.#jobs = new Map(jobs.map((job) => [job.id, job]))
    for (const id of this.#held.keys()) if (id !== 'left' && !this.#jobs.has(id)) this.#held.delete(id)
  }

  waiting(): PullJob[] {
    return [...this.#jobs.values()].filter(({ id }) => id !== this.busy?.jobId)
  }

  job = (id: number): PullJob | undefined => this.#jobs.get(id)

  /** Someone waits for it: it comes before jobs. */
  add(run: (signal: AbortSignal) => Promise<void>): void {
    this.#errands.push({ kind: 'errand', run })
  }

  next(isTaken: (jobId: number) => boolean): Work | undefined {
    if (this.#hasLeft && this.#isFree('left')) return { kind: 'left' }
    const errand = this.#errands.shift()
    if (errand) return errand
    const job = this.waiting().find(({ id }) => this.#isFree(id) && !isTaken(id))
    return job && { kind: 'job', id: job.id }
  }

  done(work: Work): void {
    if (work.kind === 'left') this.#hasLeft = false
    if (work.kind === 'job') this.#jobs.delete(work.id)
    this.#held.delete(work.kind === 'job' ? work.id : 'left')
  }

  /** Something may have been begun and not ended. */
  left(): void {
    this.#hasLeft = true
  }

  /** It could not be done now: it is tried again later, and later each time. */
  hold(what: number | 'left'): void {
    const failures = (this.#held.get(what)?.failures ?? 0) + 1
    const { firstRetryMs, mostRetryMs } = this.#times
    this.#held.set(what, { failures, untilMs: performance.now() + Math.min(mostRetryMs, firstRetryMs * 2 ** (failures - 1)) })
  }

  /** Whatever waits after a failure is tried at once. */
  release(): void {
    this.#held.clear()
  }

  #isFree = (what: number | 'left'): boolean => (this.#held.get(what)?.untilMs ?? 0) <= performance.now()
}

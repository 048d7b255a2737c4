/** Background work: looks by the clock for what is due and does it in small steps, beside requests and beside other servers on the database. */

import { oneAtATime } from '../../system/one-at-a-time.ts'
import { type Clock, randomId } from '../clock.ts'
import type { Database } from '../database/open.ts'
import type { Logger } from '../monitoring/log.ts'
import { finish, type Leased, lease, makeDue, prepare } from './leases.ts'

interface AnyJob {
  /** As the database and the log know it. */
  name: string
  everyMs: number
}

/** Done by every server: of what it has in its memory. */
export interface ServerJob extends AnyJob {
  of: 'server'
  run(): Promise<void>
}

/** Done by every server, where one look at an index finds something: most of the time nowhere. */
export interface FoundJob extends AnyJob {
  of: 'found workspaces'
  find(): Promise<readonly number[]>
  /** Until nothing is due there. Another server may do the same at this moment. */
  run(workspaceId: number): Promise<void>
}

/** Done in each workspace, by one of the servers on the database. */
export interface WorkspaceJob extends AnyJob {
  of: 'workspace'
  /** Where it is due at once, whatever its interval: asked at every look, of an index. */
  find?(): Promise<readonly number[]>
  /**
   * One bounded step; true when the next one is due at once. It may be interrupted, and done again by another server while this one is
   * at it still: what belongs together is one transaction, which looks what is to be done under the locks that it takes.
   */
  run(step: Step): Promise<boolean>
}

export type Job = ServerJob | FoundJob | WorkspaceJob

export interface Step {
  workspaceId: number
  now: Date
}

/** What a step that removes things did. */
export interface StepDone {
  gone: number
  isMore: boolean
}

interface RunnerParts {
  database: Database
  clock: Clock
  log: Logger
}

/** Between two looks. No timer is armed for longer: a machine that sleeps, or a clock that is put right, delays nothing. */
const lookMs = 4_000

/** A step that waits for others in the database is broken off by the end of its connection. */
const stopMs = 4_000
/** While the database is away. */
const longestSilenceMs = 600_000

/** After the first failure. It doubles with each further one. */
const firstPauseMs = 5_000
/** Doubled more often it would be years. */
const mostDoublings = 20

/** Until the next time: the job's interval, or after failures a pause that grows up to that. */
const pauseMs = (everyMs: number, failures: number): number =>
  failures === 0 ? everyMs : Math.min(everyMs, firstPauseMs * 2 ** Math.min(failures - 1, mostDoublings))

/**
 * A time that lies further ahead than it was ever set was set by a clock that was wrong. Clocks of several servers may differ by as much as
 * the interval.
 */
const isDue = (dueMs: number, nowMs: number, everyMs: number): boolean => dueMs <= nowMs || dueMs > nowMs + 2 * everyMs

/** When a job of this server is next due; the others have rows in the database. */
interface OwnState {
  dueMs: number
  failures: number
}

export class Runner {
  readonly #parts: RunnerParts
  readonly #own: Map<ServerJob | FoundJob, OwnState>
  readonly #jobs: ReadonlyMap<string, WorkspaceJob>
  readonly #me = randomId('srv')
  /** Those of the server do not wait for those of workspaces. */
  readonly #doOwn = oneAtATime(() => this.#lookAtOwn())
  readonly #doLeased = oneAtATime(() => this.#lookAtWorkspaces())
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  /** Looks that failed in a row, and when that is worth the next line in the log. */
  #failedLooks = 0
  #silentUntilMs = 0

  constructor(parts: RunnerParts, jobs: readonly Job[]) {
    this.#parts = parts
    this.#own = new Map(jobs.flatMap((job) => (job.of === 'workspace' ? [] : [[job, { dueMs: 0, failures: 0 }]])))
    this.#jobs = new Map(jobs.flatMap((job) => (job.of === 'workspace' ? [[job.name, job]] : [])))
  }

  start(everyMs = lookMs): void {
    this.#timer = setInterval(() => void this.look(), everyMs).unref()
  }

  /** Done when all that was due at this call, and whatever came due by it, is done. Failures are logged and never thrown. */
  async look(): Promise<void> {
    await Promise.all([this.#doOwn(), this.#doLeased()])
  }

  /** Waits for the steps under way, as long as a server that stops has time; nothing is begun any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    const impatience = Promise.withResolvers<void>()
    const timer = setTimeout(impatience.resolve, stopMs)
    await Promise.race([this.look(), impatience.promise])
    clearTimeout(timer)
  }

  async #lookAtOwn(): Promise<void> {
    for (const [job, state] of this.#own) {
      if (this.#isStopped || !isDue(state.dueMs, this.#nowMs(), job.everyMs)) continue
      try {
        await (job.of === 'server' ? job.run() : runWhereFound(job))
        state.failures = 0
      } catch (err) {
        state.failures++
        // Some come every few seconds: while the database is away they are told of less and less often.
        if ((state.failures & (state.failures - 1)) === 0) this.#tell(err, { job: job.name })
      }
      state.dueMs = this.#nowMs() + pauseMs(job.everyMs, state.failures)
    }
  }

  async #lookAtWorkspaces(): Promise<void> {
    if (this.#isStopped || this.#jobs.size === 0) return
    try {
      await prepare(this.#parts.database.sql, this.#question())
      await this.#findDue()
      while (!this.#isStopped) {
        const leased = await lease(this.#parts.database.sql, this.#question())
        if (!leased) break
        await this.#work(leased)
      }
      this.#failedLooks = 0
      this.#silentUntilMs = 0
    } catch (err) {
      this.#lookFailed(err)
    }
  }

  /** What one job cannot find out keeps the others from nothing. */
  async #findDue(): Promise<void> {
    for (const job of this.#jobs.values()) {
      try {
        const workspaceIds = (await job.find?.()) ?? []
        if (workspaceIds.length > 0)
          await makeDue(this.#parts.database.sql, { name: job.name, workspaceIds, now: this.#parts.clock.now() })
      } catch (err) {
        this.#tell(err, { job: job.name })
      }
    }
  }

  /** One step. After it others come, those that have been due for longer first. */
  async #work({ workspaceId, name, failures }: Leased): Promise<void> {
    const job = this.#jobs.get(name)
    if (!job) throw new Error(`the job ${name} was not asked for`)
    let isMore = false
    let failed = 0
    try {
      isMore = await job.run({ workspaceId, now: this.#parts.clock.now() })
    } catch (err) {
      failed = failures + 1
      this.#tell(err, { job: name, workspace_id: workspaceId })
    }
    const dueAt = new Date(this.#nowMs() + (isMore ? 0 : pauseMs(job.everyMs, failed)))
    await finish(this.#parts.database.sql, { workspaceId, name, by: this.#me, dueAt, failures: failed })
  }

  #question() {
    return { jobs: [...this.#jobs.values()], by: this.#me, now: this.#parts.clock.now() }
  }

  #nowMs(): number {
    return this.#parts.clock.now().getTime()
  }

  #tell(err: unknown, what: { job: string; workspace_id?: number }): void {
    this.#parts.log.warn({ err, ...what }, 'background work failed; it is tried again')
  }

  /** The database is away, most likely: it is looked for as often as ever, and told about less and less often. */
  #lookFailed(err: unknown): void {
    this.#failedLooks++
    if (this.#nowMs() < this.#silentUntilMs) return
    this.#silentUntilMs = this.#nowMs() + pauseMs(longestSilenceMs, this.#failedLooks)
    this.#parts.log.warn({ err }, 'what background work is due could not be found out; this is tried again')
  }
}

/** What one workspace waits for keeps the others from nothing. */
async function runWhereFound(job: FoundJob): Promise<void> {
  const failures: unknown[] = []
  for (const workspaceId of await job.find())
    try {
      await job.run(workspaceId)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}

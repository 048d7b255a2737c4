/** `ph pull`: brings entries with everything they need into a project. Start here. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import type { PullJobDetail, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { projectStateFile, pullLock } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire } from '../http/open-http.ts'
import type { OpenPull } from '../memory/open-pulls.ts'
import { waitForLock } from '../memory/process-lock.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { isClaimGone, PullClaim } from './claim.ts'
import { type JobParts, PullJob } from './job.ts'
import { makeOrder, onlyOf, orderedText, type PullOptions, type PullParts, versionWarnings } from './options.ts'
import { clearStaging, stagingFolder } from './placing/folders.ts'
import { settledFiles, settleInterrupted } from './placing/recovery.ts'
import { type JobReport, type PullReport, refusedReport } from './report.ts'
import type { PullTarget } from './target-project.ts'
import { queuedJobs, type WaitingJob, waitingJobs } from './waiting-jobs.ts'

export type { PullOptions } from './options.ts'

/**
 * Pulls: what an interrupted pull left first, then what is ordered, or else the jobs that are named or every queued manual one of the project. What is
 * wrong with the files of a job is in its report; thrown is what concerns the pull as a whole: ApiError from the library,
 * ClientError from here, the reason of an aborted `signal`. The claim then stays, and the next pull goes on from there.
 */
export async function pull(options: PullOptions): Promise<PullReport> {
  const startedMs = performance.now()
  const { url, tell = () => {} } = options
  const signal = options.signal ?? new AbortController().signal
  const target = makeRoot(options.target)
  const state = projectStateFile(options.folders, url, target.root)
  const onWait = () => tell({ kind: 'wait', reason: 'another pull into this project is under way', delayMs: 0 })
  const lock = await waitForLock(pullLock(state), { onWait, signal })
  const http = openWire({ ...options, signal }, tell)
  const memory = new ProjectMemory(state, { address: url, root: target.root })
  try {
    const parts = { options, target, http, api: createApi(http), memory, tell, signal }
    const { jobs, notes } = await new Pull(parts, stagingFolder(target, state)).run()
    const waiting = await stillWaiting(parts, jobs)
    const took_ms = Math.round(performance.now() - startedMs)
    const { project, root, engineVersion: engine_version } = target
    return { project, root, url, engine_version, jobs, waiting, notes, took_ms }
  } finally {
    memory.close()
    lock.release()
    await http.close(signal.aborted ? 'destroy' : 'finish')
  }
}

/** What waits for the project after this pull. What was pulled is reported also where this cannot be learned any more. */
async function stillWaiting({ api, target }: PullParts, done: readonly JobReport[]): Promise<WaitingJob[]> {
  const told = new Set(done.map(({ job_id }) => job_id))
  const jobs = await waitingJobs(api, target.project).catch(() => [])
  return jobs.filter(({ id }) => !told.has(id))
}

/** The folder of a project that is only now begun. */
function makeRoot(target: PullTarget): PullTarget {
  mkdirSync(target.root, { recursive: true })
  const root = realpathSync(target.root)
  return root === target.root
    ? target
    : { ...target, root, content: { ...target.content, path: join(root, target.content.file) } }
}

/** The library will not let this job go on, now or later. What a key may not, or the time is not right for, may change. */
const isForGood = (error: unknown): error is ApiError =>
  isClaimGone(error) || (error instanceof ApiError && ['CONFLICT', 'ENGINE_TOO_OLD', 'VALIDATION'].includes(error.code))

/** Said of a job that an interrupted pull had brought to its end. */
export const finishedNote = (jobId: number): string =>
  `The interrupted pull had finished job ${jobId}; only the answer of the library had not arrived.`

function goneNote(jobId: number, why: string, placed: number): string {
  const files = placed === 1 ? 'file' : `${placed} files`
  const stays = placed > 0 ? ` The ${files} that it had placed ${placed === 1 ? 'stays' : 'stay'}.` : ''
  return `An interrupted pull has lost its claim on job ${jobId}: ${why}${stays}`
}

class Pull {
  readonly #parts: PullParts
  readonly #staging: string
  readonly #notes: string[] = []

  constructor(parts: PullParts, staging: string) {
    this.#parts = parts
    this.#staging = staging
  }

  async run(): Promise<{ jobs: JobReport[]; notes: string[] }> {
    const { memory, options, api, tell, signal, target } = this.#parts
    // Before anything else: whatever comes of this run, what is remembered of the project is true then.
    this.#notes.push(...(await settleInterrupted({ memory, root: target.root, signal }, this.#staging)))
    tell({ kind: 'phase', phase: 'order' })
    const order = options.order && (await makeOrder(options, api))
    const jobs: JobReport[] = []
    let isAnswered = false
    for (const open of memory.pulls.list()) {
      const report = await this.#takeUp(open)
      if (report) jobs.push(report)
      const isSame = order !== undefined && open.ordered === orderedText(order, options.only)
      isAnswered ||= isSame && report?.status === 'done'
    }
    if (!order) jobs.push(...(await this.#doQueued(await this.#queued(jobs))))
    else if (!isAnswered) jobs.push(await this.#doOrdered(order))
    return { jobs, notes: this.#notes }
  }

  /** An interrupted pull goes on where it was. When its claim is gone, what it had placed stays, and is said. */
  async #takeUp(open: OpenPull): Promise<JobReport | undefined> {
    const { memory } = this.#parts
    try {
      return await this.#goOn(open)
    } catch (error) {
      if (!isForGood(error)) throw error
      const placed = settledFiles(this.#parts, open.jobId).size
      await clearStaging(this.#staging, this.#parts.target.root)
      memory.pulls.forget(open.jobId)
      this.#notes.push(error.details.status === 'done' ? finishedNote(open.jobId) : goneNote(open.jobId, error.message, placed))
      return undefined
    }
  }

  /** With the claim that it had; with a new one when that ran out and nobody else has the job. */
  async #goOn({ jobId, claimToken, ordered }: OpenPull): Promise<JobReport> {
    const { api } = this.#parts
    const only = onlyOf(ordered)
    const refused = claimToken === null ? undefined : await this.#goOnWith(jobId, { token: claimToken, only })
    if (refused && !isClaimGone(refused)) return refused
    const job = await api.pullJobs.get({ job_id: jobId })
    if (refused && job.status !== 'queued') throw refused
    // By the same token: the claim of the run before may still be on its way.
    return this.#claim(job, { ordered, resumed: true, token: claimToken ?? undefined })
  }

  /** Gives what the library says against the claim, when it does. */
  async #goOnWith(jobId: number, { token, only }: Pick<JobParts, 'only'> & { token: string }): Promise<JobReport | ApiError> {
    const { api } = this.#parts
    const answer = await api.pullJobs.heartbeat({ job_id: jobId, claim_token: token }).catch((error: unknown) => {
      if (isClaimGone(error)) return error
      throw error
    })
    if (answer instanceof ApiError) return answer
    const going = { token, isRunning: answer.status === 'running', resumed: true, warnings: [] }
    return this.#do(await api.pullJobs.get({ job_id: jobId }), { ...going, only, closure: this.#closureOf(jobId) })
  }

  async #doOrdered(order: PullOrder): Promise<JobReport> {
    const { api, memory } = this.#parts
    const { warnings: said, ...job } = await api.pullJobs.create(order)
    const warnings = [...said, ...versionWarnings(order, job)]
    const ordered = orderedText(order, this.#parts.options.only)
    memory.pulls.keep({ jobId: job.id, claimToken: null, ordered }, new Date())
    try {
      return await this.#claim(job, { ordered, resumed: false, warnings })
    } catch (error) {
      if (error instanceof ApiError) await this.#takeBack(job.id)
      throw error
    }
  }

  /** Nobody shall stumble over an order that its own project cannot take. */
  async #takeBack(jobId: number): Promise<void> {
    const { api, memory } = this.#parts
    await api.pullJobs.update({ job_id: jobId, status: 'cancelled' }).catch((error) => {
      if (!(error instanceof ApiError)) throw error
    })
    memory.pulls.forget(jobId)
  }

  /** Jobs that are named, else all that someone put there for this project to be pulled; those that were taken up are done. */
  async #queued(done: readonly JobReport[]): Promise<number[]> {
    const { api, options, target } = this.#parts
    const ids = options.jobs ?? (await queuedJobs(api, target.project)).map(({ id }) => id)
    const told = new Set(done.map(({ job_id }) => job_id))
    return ids.filter((id) => !told.has(id))
  }

  /** Oldest first. One that cannot be taken does not stop the others. */
  async #doQueued(ids: readonly number[]): Promise<JobReport[]> {
    const reports: JobReport[] = []
    for (const id of ids) {
      const job = await this.#parts.api.pullJobs.get({ job_id: id })
      try {
        reports.push(await this.#claim(job, { ordered: null, resumed: false }))
      } catch (error) {
        if (!(error instanceof ApiError) || (error.code !== 'JOB_STATE' && error.code !== 'ENGINE_TOO_OLD')) throw error
        this.#parts.memory.pulls.forget(id)
        if (error.code === 'ENGINE_TOO_OLD') reports.push(refusedReport(job, error))
        else this.#notes.push(`Someone else took job ${id} meanwhile.`)
      }
    }
    return reports
  }

  async #claim(
    job: PullJobDetail,
    {
      ordered,
      resumed,
      warnings = [],
      token: chosen = randomBytes(24).toString('base64url'),
    }: { ordered: string | null; resumed: boolean; warnings?: PullWarning[]; token?: string | undefined },
  ): Promise<JobReport> {
    const { api, memory, target } = this.#parts
    // Written down before it is sent: a claim is nobody's for an hour when its answer is lost and its token with it.
    memory.pulls.keep({ jobId: job.id, claimToken: chosen, ordered }, new Date())
    // The list is on its way while the claim is: it is the same for the one who gets the job.
    const closure = this.#closureOf(job.id)
    const claimed = await api.pullJobs.claim({
      job_id: job.id,
      project_key: target.project,
      claim_token: chosen,
      ...(target.engineVersion === null ? {} : { engine_version: target.engineVersion }),
    })
    const token = claimed.claim_token
    // An older library chooses by itself.
    if (token !== chosen) memory.pulls.keep({ jobId: job.id, claimToken: token, ordered }, new Date())
    const said = [...warnings, ...claimed.warnings]
    const only = onlyOf(ordered)
    return this.#do(job, { token, isRunning: claimed.status === 'running', resumed, warnings: said, closure, only })
  }

  #closureOf(jobId: number): JobParts['closure'] {
    const closure = this.#parts.api.pullJobs.closure({ job_id: jobId, urls: true })
    // Met where it is awaited.
    closure.catch(() => {})
    return closure
  }

  #do(
    job: PullJobDetail,
    going: Omit<JobParts, 'job' | 'claim' | 'staging'> & { token: string; isRunning: boolean },
  ): Promise<JobReport> {
    const { token, isRunning, ...rest } = going
    const claim = new PullClaim(this.#parts.api, { jobId: job.id, token, isRunning })
    return new PullJob(this.#parts, { ...rest, job, claim, staging: this.#staging }).run()
  }
}

/** Takes jobs on: claims those that belong to one order, all of them or none, goes on with claims of an interrupted pull, gives claims back. */
import { ApiError } from '../../contract/errors.ts'
import type { PullJobDetail, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import type { OpenPull } from '../memory/open-pulls.ts'
import { isClaimGone, newClaimToken, PullClaim } from './claim.ts'
import { type ClaimedJob, PullJob } from './job.ts'
import { isSent, isWholeOrder, onlyOf, orderOf, type PullParts } from './options.ts'
import { uniteFiles } from './orders/united-files.ts'
import type { JobReport } from './report.ts'

/** A job that was ordered a moment ago. */
export interface MadeJob {
  job: PullJobDetail
  warnings: PullWarning[]
}

interface Taking {
  /** The order as it is remembered; null for a job that someone else ordered. */
  ordered: string | null
  /** An earlier run was interrupted over it. */
  resumed: boolean
  warnings: PullWarning[]
  /** Who sent jobs that waited, as people call them. */
  sentBy?: string | null
}

/** A job before this run has a claim on it. */
interface FreeJob {
  job: PullJobDetail
  token: string
  closure: ClaimedJob['closure']
}

/** A claim of an interrupted pull, as it stands now. */
type Standing = { job: PullJobDetail; token: string; refusal?: ApiError; isRunning?: boolean }

export class JobTaker {
  readonly #parts: PullParts
  readonly #staging: string

  constructor(parts: PullParts, staging: string) {
    this.#parts = parts
    this.#staging = staging
  }

  /** Claims all of these jobs and brings them as one. Where two of them clash none is claimed, and VALIDATION is thrown. */
  async bring(jobs: readonly PullJobDetail[], taking: Taking): Promise<JobReport> {
    const { ordered } = taking
    const free = jobs.map((job) => ({ job, token: newClaimToken(), closure: this.#closureOf(job.id) }))
    // Written down before they are sent: a claim is nobody's for an hour when its answer is lost and its token with it.
    this.#keep(free, ordered)
    if (free.length > 1) await this.#requireUnion(free, ordered)
    const { claimed, warnings } = await this.#claimAll(free, ordered)
    return this.#do(claimed, { ...taking, warnings: [...taking.warnings, ...warnings] })
  }

  /** With the claims that they had; with new ones where those ran out and nobody else has the jobs. Throws where someone has. */
  async goOn(open: readonly OpenPull[]): Promise<JobReport> {
    const [{ ordered } = { ordered: null }] = open
    const standings: Standing[] = []
    for (const one of open) standings.push(await this.#standingOf(one))
    const [first] = standings
    if (first?.refusal && standings.every(isReported)) throw first.refusal
    const jobs = standings.map((one) => ({ ...one, closure: this.#closureOf(one.job.id) }))
    const free = jobs.filter((one) => one.refusal && !isReported(one))
    const { claimed, warnings } = await this.#claimAll(free, ordered)
    const claims = new Map(claimed.map(({ claim }) => [claim?.jobId, claim]))
    const going = jobs.map((one) => ({ ...one, claim: claims.get(one.job.id) ?? this.#heldClaim(one) }))
    return this.#do(going, { ordered, resumed: true, warnings })
  }

  /** Lets go of what can still be let go of, because the jobs cannot be brought together any more. */
  async giveUp(open: readonly OpenPull[], reason: string): Promise<void> {
    const { api } = this.#parts
    for (const { jobId, claimToken } of open) {
      const isCancelled = await api.pullJobs.update({ job_id: jobId, status: 'cancelled' }).then(() => true, falseWhereRefused)
      if (isCancelled || claimToken === null) continue
      const isRunning = (await api.pullJobs.get({ job_id: jobId })).status === 'running'
      await new PullClaim(api, { jobId, token: claimToken, isRunning }).giveBack(reason)
    }
  }

  #heldClaim({ job, token, refusal, isRunning = false }: Standing): PullClaim | undefined {
    return refusal ? undefined : new PullClaim(this.#parts.api, { jobId: job.id, token, isRunning })
  }

  /** `refusal`: what the library says against the claim, where it does; then the job waits again, or was reported before. */
  async #standingOf({ jobId, claimToken }: OpenPull): Promise<Standing> {
    const { api } = this.#parts
    const token = claimToken ?? newClaimToken()
    const answer = await api.pullJobs.heartbeat({ job_id: jobId, claim_token: token }).catch((error: unknown) => {
      if (isClaimGone(error)) return error
      throw error
    })
    const job = await api.pullJobs.get({ job_id: jobId })
    if (!(answer instanceof ApiError)) return { job, token, isRunning: answer.status === 'running' }
    const standing = { job, token, refusal: answer }
    if (job.status !== 'queued' && !isReported(standing)) throw answer
    return standing
  }

  #keep(jobs: readonly FreeJob[], ordered: string | null): void {
    const open = jobs.map(({ job, token }) => ({ jobId: job.id, claimToken: token, ordered }))
    this.#parts.memory.pulls.keep(open, new Date())
  }

  async #requireUnion(jobs: readonly FreeJob[], ordered: string | null): Promise<void> {
    const lists = await Promise.all(jobs.map(({ closure }) => closure))
    uniteFiles(
      lists.map(({ objects }) => objects),
      parsed(ordered) ?? undefined,
    )
  }

  /** One that the library refuses takes the claims before it along. */
  async #claimAll(jobs: readonly FreeJob[], ordered: string | null): Promise<{ claimed: ClaimedJob[]; warnings: PullWarning[] }> {
    const claimed: ClaimedJob[] = []
    const warnings: PullWarning[] = []
    try {
      for (const job of jobs) {
        const answer = await this.#claim(job, ordered)
        claimed.push(answer.claimed)
        warnings.push(...answer.warnings)
      }
      return { claimed, warnings }
    } catch (error) {
      if (error instanceof ApiError) await Promise.all(claimed.map(({ claim }) => claim?.giveBack(error.message)))
      throw error
    }
  }

  async #claim({ job, token: chosen, closure }: FreeJob, ordered: string | null) {
    const { api, target } = this.#parts
    const { claim_token, status, warnings } = await api.pullJobs.claim({
      job_id: job.id,
      project_key: target.project,
      claim_token: chosen,
      ...(target.engineVersion === null ? {} : { engine_version: target.engineVersion }),
    })
    // An older library chooses by itself.
    if (claim_token !== chosen) this.#keep([{ job, token: claim_token, closure }], ordered)
    const claim = new PullClaim(api, { jobId: job.id, token: claim_token, isRunning: status === 'running' })
    return { claimed: { job, claim, closure }, warnings }
  }

  /** On its way while the claim is: it is the same for the one who gets the job. */
  #closureOf(jobId: number): ClaimedJob['closure'] {
    const closure = this.#parts.api.pullJobs.closure({ job_id: jobId, urls: true })
    // Met where it is awaited.
    closure.catch(() => {})
    return closure
  }

  #do(jobs: readonly ClaimedJob[], { ordered, resumed, warnings, sentBy = null }: Taking): Promise<JobReport> {
    const whole = { isWhole: isWholeOrder(ordered), sentBy }
    const asked = { order: parsed(ordered), only: onlyOf(ordered), staging: this.#staging, ...whole }
    return new PullJob(this.#parts, { jobs, resumed, warnings, ...asked }).run()
  }
}

const parsed = (ordered: string | null): PullOrder | null => (ordered === null || isSent(ordered) ? null : orderOf(ordered))

/** The library knows how it went: the run before was ended after that. */
const isReported = ({ refusal, job }: Standing): boolean => refusal?.details.status === 'done' && job.status === 'done'

function falseWhereRefused(error: unknown): false {
  if (error instanceof ApiError) return false
  throw error
}

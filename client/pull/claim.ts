/** The claim of a pull on its job: taken, kept alive, given back with a report. What the library says against it is CLAIM_LOST. */
import { randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { PullReport } from '../../contract/pull-reports.ts'
import { ClientError, isUnanswered } from '../client-error.ts'
import type { Api } from '../http/api.ts'

/** How far a job is, as its claimant says. */
type Progress =
  | { status: 'running' }
  | { status: 'done'; report_json: PullReport }
  | { status: 'failed'; failure_reason: string; report_json?: PullReport }

/** A secret that nobody guesses. */
export const newClaimToken = (): string => randomBytes(24).toString('base64url')

/** A claim lives an hour after its last heartbeat. */
const heartbeatMs = 10 * 60_000
/** A claim that was confirmed so shortly before needs no other look. By the clock, which goes on while the machine sleeps. */
const freshMs = 60_000

export class PullClaim {
  readonly jobId: number
  readonly #token: string
  readonly #api: Api
  readonly #lost = new AbortController()
  readonly #isRunning: boolean
  #begun: Promise<void> = Promise.resolve()
  #confirmedAt = Date.now()
  #timer: NodeJS.Timeout | undefined

  constructor(api: Api, { jobId, token, isRunning }: { jobId: number; token: string; isRunning: boolean }) {
    this.#api = api
    this.jobId = jobId
    this.#token = token
    this.#isRunning = isRunning
  }

  /** Aborted with CLAIM_LOST when a heartbeat finds that someone else has the job. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Says that work has begun, without waiting for the answer, and keeps the claim until `end`. */
  begin(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => this.#beat(), heartbeatMs)
    this.#timer.unref()
    if (this.#isRunning) return
    this.#begun = this.#tell({ status: 'running' })
    // Met where the claim is confirmed or given back.
    this.#begun.catch(() => {})
  }

  /** Makes sure that the claim holds, before what cannot be undone. */
  async confirm(): Promise<void> {
    await this.#begun
    this.#lost.signal.throwIfAborted()
    if (Math.abs(Date.now() - this.#confirmedAt) < freshMs) return
    await this.#guard(() => this.#api.pullJobs.heartbeat({ job_id: this.jobId, claim_token: this.#token }))
  }

  /** Gives the job back with its report. */
  async finish(progress: Exclude<Progress, { status: 'running' }>): Promise<void> {
    await this.#begun
    await this.#tell(progress)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Gives the job back as failed, for a reason that lies in another job of the order. What the library says against it does not matter then. */
  async giveBack(reason: string): Promise<void> {
    try {
      this.begin()
      await this.finish({ status: 'failed', failure_reason: reason.slice(0, 4000) })
    } catch (error) {
      if (!isClaimLost(error) && !(error instanceof ApiError)) throw error
    } finally {
      this.end()
    }
  }

  /** A change is not sent twice by itself: where no answer came, the job says whether it arrived. */
  #tell = async (progress: Progress): Promise<void> => {
    const send = () => this.#api.pullJobs.update({ job_id: this.jobId, claim_token: this.#token, ...progress })
    await this.#guard(async () => {
      try {
        await send()
      } catch (error) {
        if (!isUnanswered(error)) throw error
        const { status } = await this.#api.pullJobs.get({ job_id: this.jobId })
        if (status !== progress.status) await send()
      }
    })
  }

  async #guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call()
      this.#confirmedAt = Date.now()
      return answer
    } catch (error) {
      throw isClaimGone(error) ? claimLost(this.jobId, error) : error
    }
  }

  /** What else goes wrong with a heartbeat is tried again by the next one. */
  #beat(): void {
    this.#guard(() => this.#api.pullJobs.heartbeat({ job_id: this.jobId, claim_token: this.#token })).catch((error) => {
      if (isClaimLost(error)) this.#lost.abort(error)
    })
  }
}

const claimLost = (jobId: number, cause: unknown): ClientError =>
  new ClientError('CLAIM_LOST', `The claim on pull job ${jobId} is lost: ${cause instanceof Error ? cause.message : ''}`, {
    cause,
  })

export const isClaimLost = (error: unknown): error is ClientError => error instanceof ClientError && error.code === 'CLAIM_LOST'

/** The claim, or the job, is not what it was: someone else has it, or its time was over. */
export const isClaimGone = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'JOB_STATE' || error.code === 'JOB_NOT_FOUND')

/** `ph pull`: brings entries with everything they need into a project. Start here. */
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import { projectStateFile, pullLock } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire } from '../http/open-http.ts'
import type { OpenPull } from '../memory/open-pulls.ts'
import { waitForLock } from '../memory/process-lock.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { isClaimGone } from './claim.ts'
import { refusedReport } from './job-report.ts'
import { JobTaker, type MadeJob } from './job-taker.ts'
import {
  isSent,
  makeOrder,
  orderedText,
  orderOf,
  type PullOptions,
  type PullParts,
  sentText,
  versionWarnings,
} from './options.ts'
import { askApart } from './orders/apart.ts'
import { askInParts, type EntriesOrder } from './orders/parts.ts'
import { ordersWith, queuedOrders, type WaitingJob, type WaitingOrder, waitingJobs } from './orders/waiting-jobs.ts'
import { clearStaging, stagingFolder } from './placing/folders.ts'
import { settledFiles, settleInterrupted } from './placing/recovery.ts'
import type { JobReport, PulledFile, PullReport } from './report.ts'
import type { PullTarget } from './target-project.ts'

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
  const told = new Set(done.flatMap(({ job_ids }) => job_ids))
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

const lastingCodes: readonly ApiError['code'][] = [
  ...(['CONFLICT', 'ENGINE_TOO_OLD', 'VALIDATION'] as const),
  ...(['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'LINEAGE_CONFLICT'] as const),
]
/** The library will not let this job go on, now or later. What a key may not, or the time is not right for, may change. */
const isForGood = (error: unknown): error is ApiError =>
  isClaimGone(error) || (error instanceof ApiError && lastingCodes.includes(error.code))

/** Said of a job that an interrupted pull had brought to its end. */
export const finishedNote = (jobId: number): string =>
  `The interrupted pull had finished job ${jobId}; only the answer of the library had not arrived.`

function goneNote([jobId, ...others]: readonly number[], why: string, placed: number): string {
  const more = others.length > 0 ? ` and ${others.length} more that belong to it` : ''
  const files = placed === 1 ? 'file' : `${placed} files`
  const stays = placed > 0 ? ` The ${files} that it had placed ${placed === 1 ? 'stays' : 'stay'}.` : ''
  return `An interrupted pull has lost its claim on job ${jobId}${more}: ${why}${stays}`
}

const overReason = 'It was interrupted, and is ordered anew: other versions are current by now.'

function overNote(jobIds: readonly number[], placed: readonly PulledFile[]): string {
  const kept = placed.flatMap(({ outcome, backup }) => (outcome === 'overwritten' && backup !== undefined ? backup : []))
  const backups = kept.length > 0 ? ` What it had replaced is kept: ${kept.join(', ')}.` : ''
  return `An interrupted pull (job ${jobIds.join(', ')}) is ordered anew: other versions are current by now.${backups}`
}

class Pull {
  readonly #parts: PullParts
  readonly #staging: string
  readonly #taker: JobTaker
  readonly #notes: string[] = []

  constructor(parts: PullParts, staging: string) {
    this.#parts = parts
    this.#staging = staging
    this.#taker = new JobTaker(parts, staging)
  }

  async run(): Promise<{ jobs: JobReport[]; notes: string[] }> {
    const { memory, options, api, tell, signal, target } = this.#parts
    // Before anything else: whatever comes of this run, what is remembered of the project is true then.
    this.#notes.push(...(await settleInterrupted({ memory, root: target.root, signal }, this.#staging)))
    tell({ kind: 'phase', phase: 'order' })
    const order = options.order && (await makeOrder(options, { api, memory }))
    const isNothing = options.alsoQueued === true && order?.entries.length === 0
    const text = order && !isNothing ? orderedText(order, options.only) : undefined
    const jobs: JobReport[] = []
    let isAnswered = false
    for (const [ordered, open] of Map.groupBy(memory.pulls.list(), ({ ordered, jobId }) => ordered ?? jobId)) {
      const report = await this.#takeUp(open)
      if (report) jobs.push(report)
      isAnswered ||= ordered === text && report?.status === 'done'
    }
    if (order && text !== undefined && !isAnswered) {
      const ask = (part: typeof order) => this.#doOrdered(orderedText(part, options.only), { resumed: false })
      jobs.push(...(await askApart(order, { options, ask })))
    }
    if (!order || options.alsoQueued) jobs.push(...(await this.#doQueued(await this.#queued(jobs))))
    return { jobs, notes: this.#notes }
  }

  /** An interrupted pull, of one job or all that one order came to, goes on where it was. When a claim is gone, what it had placed stays, and is said. */
  async #takeUp(open: readonly OpenPull[]): Promise<JobReport | undefined> {
    const { memory } = this.#parts
    const ids = open.map(({ jobId }) => jobId)
    try {
      return await this.#goOn(open)
    } catch (error) {
      if (!isForGood(error)) throw error
      const placed = settledFiles(this.#parts, ids[0] ?? 0).size
      await clearStaging(this.#staging, this.#parts.target.root)
      if (open.length > 1) await this.#taker.giveUp(open, error.message)
      memory.pulls.forget(ids)
      const isFinished = error.details.status === 'done'
      this.#notes.push(...(isFinished ? ids.map(finishedNote) : [goneNote(ids, error.message, placed)]))
      return undefined
    }
  }

  /**
   * Where nothing was claimed yet, some jobs of the order may be missing: it is ordered anew. So it is where other versions are current by now: what
   * was ordered then would set files back.
   */
  async #goOn(open: readonly OpenPull[]): Promise<JobReport> {
    const [{ ordered } = { ordered: null }] = open
    if (ordered === null || isSent(ordered)) return this.#taker.goOn(open)
    const isClaimed = open.some(({ claimToken }) => claimToken !== null)
    if (isClaimed && !(await this.#isOver(open, orderOf(ordered)))) return this.#taker.goOn(open)
    const ids = open.map(({ jobId }) => jobId)
    if (isClaimed) {
      await this.#taker.giveUp(open, overReason)
      this.#notes.push(overNote(ids, [...settledFiles(this.#parts, ids[0] ?? 0).values()]))
    }
    await this.#takeBack(ids)
    return this.#doOrdered(ordered, { resumed: true })
  }

  /** Whether an order of current versions would bring other ones now. */
  async #isOver(open: readonly OpenPull[], order: EntriesOrder): Promise<boolean> {
    const { api } = this.#parts
    if (order.dependencies !== 'current') return false
    const ordered = await Promise.all(open.map(({ jobId }) => api.pullJobs.closure({ job_id: jobId })))
    const plans = await askInParts(api, order, { ask: (part) => api.pullJobs.plan(part) }).catch(() => [])
    // A server that does not plan says nothing of it.
    const planned = plans.flatMap(({ closure }) => closure?.objects ?? [])
    const idsOf = (objects: readonly PullJobObject[]) => new Set(objects.map(({ object_id }) => object_id))
    return planned.length > 0 && idsOf(planned).symmetricDifference(idsOf(ordered.flatMap(({ objects }) => objects))).size > 0
  }

  /** `ordered`: the order as it is remembered. */
  async #doOrdered(ordered: string, { resumed }: { resumed: boolean }): Promise<JobReport> {
    const { api } = this.#parts
    const undo = (made: readonly MadeJob[]) => this.#takeBack(made.map(({ job }) => job.id))
    const made = await askInParts(api, orderOf(ordered), { ask: (part) => this.#make(part, ordered), undo })
    try {
      const warnings = made.flatMap((one) => one.warnings)
      return await this.#taker.bring(
        made.map(({ job }) => job),
        { ordered, resumed, warnings },
      )
    } catch (error) {
      if (error instanceof ApiError) await undo(made)
      throw error
    }
  }

  async #make(part: EntriesOrder, ordered: string): Promise<MadeJob> {
    const { api, memory } = this.#parts
    const { warnings: said, ...job } = await api.pullJobs.create(part)
    const warnings = [...said, ...versionWarnings(part, job)]
    memory.pulls.keep([{ jobId: job.id, claimToken: null, ordered }], new Date())
    return { job, warnings }
  }

  /** Nobody shall stumble over an order that its own project cannot take. */
  async #takeBack(jobIds: readonly number[]): Promise<void> {
    const { api, memory } = this.#parts
    for (const job_id of jobIds)
      await api.pullJobs.update({ job_id, status: 'cancelled' }).catch((error) => {
        if (!(error instanceof ApiError)) throw error
      })
    memory.pulls.forget(jobIds)
  }

  /** Jobs that are named, with those that were ordered with them, else all that waits for this project; those that were taken up are done. */
  async #queued(done: readonly JobReport[]): Promise<WaitingOrder[]> {
    const { api, options, target } = this.#parts
    const told = new Set(done.flatMap(({ job_ids }) => job_ids))
    const orders = options.jobs ? await this.#named(options.jobs) : await queuedOrders(api, target.project)
    return orders.filter(({ jobs }) => !jobs.some(({ id }) => told.has(id)))
  }

  async #named(ids: readonly number[]): Promise<WaitingOrder[]> {
    const { api, target } = this.#parts
    const jobs = await Promise.all(ids.map((job_id) => api.pullJobs.get({ job_id })))
    const alone = jobs.filter(({ slice }) => !slice)
    const sliced = jobs.filter(({ slice }) => slice).map(({ id }) => id)
    return [
      ...alone.map((job) => ({ jobs: [{ ...job, requested_by_name: null }], isWhole: true })),
      ...(sliced.length > 0 ? await ordersWith(api, target.project, sliced) : []),
    ]
  }

  /** Oldest first. One that cannot be taken does not stop the others. */
  async #doQueued(orders: readonly WaitingOrder[]): Promise<JobReport[]> {
    const reports: JobReport[] = []
    for (const order of orders) {
      const ids = order.jobs.map(({ id }) => id)
      const [first, ...others] = await Promise.all(ids.map((job_id) => this.#parts.api.pullJobs.get({ job_id })))
      if (!first) continue
      const sentBy = order.jobs[0]?.requested_by_name ?? null
      if (isBeingMade(order)) {
        reports.push(refusedReport([first, ...others], beingMade, sentBy))
        continue
      }
      try {
        const ordered = sentText(order.jobs, order.isWhole)
        reports.push(await this.#taker.bring([first, ...others], { ordered, resumed: false, warnings: [], sentBy }))
      } catch (error) {
        if (!(error instanceof ApiError) || (error.code !== 'JOB_STATE' && error.code !== 'ENGINE_TOO_OLD')) throw error
        this.#parts.memory.pulls.forget(ids)
        if (error.code === 'ENGINE_TOO_OLD') reports.push(refusedReport([first, ...others], error.message, sentBy))
        else this.#notes.push(`Someone else took job ${ids.join(', ')} meanwhile.`)
      }
    }
    return reports
  }
}

/** Between two slices of an order no more time passes, whatever the clocks of two machines say. */
const makingMs = 2 * 60_000
const beingMade = 'Its order is still being made: more of it follows. Pull again in a few minutes.'

const isBeingMade = ({ jobs, isWhole }: WaitingOrder): boolean =>
  !isWhole &&
  jobs.every(({ slice }) => slice && slice.from + slice.count < slice.total) &&
  Math.abs(Date.now() - Date.parse(jobs.at(-1)?.created_at ?? '')) < makingMs

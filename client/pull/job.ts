/** What was ordered at once, as one claimed job or several, from the lists of files to the reports: compare, fetch, place, tell. */
import type { PullJobDetail, PullJobObject, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { ClosureAddresses } from '../content/closure-addresses.ts'
import { isClaimLost, type PullClaim } from './claim.ts'
import { compareProject, type Decision, unlessRemoved } from './compare.ts'
import { answerConflicts, isOpen, needsAnswer } from './conflict-answers.ts'
import { nothingRemains } from './destinations.ts'
import { asThereAlready, ending, itemOf, type JobFiles, leftOutItem, orderedAt, uniteEntries, updatedItem } from './job-report.ts'
import type { Obstacle } from './obstacle.ts'
import type { ConflictAnswer, PullParts } from './options.ts'
import { forgetLost, withoutOlderSets } from './orders/older-sets.ts'
import { nothingYet, type PlannedFiles, plannedFilesOf } from './orders/planned-files.ts'
import { backupFolder, clearStaging } from './placing/folders.ts'
import { notYetKnown, type Planned, placePlanned } from './placing/place-and-remember.ts'
import { settledFiles } from './placing/recovery.ts'
import { checkReplaced, findGone } from './preflight.ts'
import { takeAwayLeaving } from './removing/leaving.ts'
import type { TakingAway } from './removing/take-away.ts'
import { type JobReport, type PulledFile, sentReport, sumsOf } from './report.ts'

export interface ClaimedJob {
  job: PullJobDetail
  /** Undefined: an earlier run has told the library how it went. */
  claim: PullClaim | undefined
  /** The list of files, on its way. */
  closure: Promise<JobFiles>
}

export interface JobParts {
  /** In the order of their ids; the first of them names the pull in memory, in backups and in its report. */
  jobs: readonly ClaimedJob[]
  /** Null for jobs that someone else ordered. */
  order: PullOrder | null
  warnings: PullWarning[]
  /** An earlier run was killed or interrupted over it. */
  resumed: boolean
  /** Files that it is about; undefined: all of them. */
  only: readonly string[] | undefined
  /** Else some of its jobs are not among these, and what they bring is not known. */
  isWhole: boolean
  sentBy: string | null
  staging: string
}

export class PullJob {
  readonly #parts: PullParts
  readonly #job: JobParts
  readonly #id: number
  readonly #claims: readonly PullClaim[]
  readonly #signal: AbortSignal
  /** Entries by the version that the job brings of them. */
  readonly #entryIds: ReadonlyMap<number, number>
  /** What became of files, by content hash. */
  readonly #files = new Map<string, PulledFile>()
  readonly #bytes = { downloaded: 0, from_cache: 0, placed: 0, total: 0 }
  #planned: PlannedFiles
  #spellings: PullWarning[] = []
  readonly #backups: string
  #takingAway: TakingAway = { taken: [], left: [] }

  constructor(parts: PullParts, job: JobParts) {
    this.#parts = parts
    this.#job = job
    this.#id = job.jobs[0]?.job.id ?? 0
    this.#claims = job.jobs.flatMap(({ claim }) => claim ?? [])
    this.#signal = AbortSignal.any([parts.signal, ...this.#claims.map(({ signal }) => signal)])
    const entries = job.jobs.flatMap((one) => one.job.entries)
    this.#entryIds = new Map(entries.map(({ object_id, entry_id }) => [object_id, entry_id]))
    this.#backups = backupFolder(parts.target.root, this.#id, new Date())
    this.#planned = nothingYet({ ...job, target: parts.target })
  }

  /**
   * Does the job. Whatever is wrong with files or the project becomes a report that failed; a lost claim one that is lost.
   * Throws what keeps this run from going on (the network, an interruption): then the claim stays, for the next run.
   */
  async run(): Promise<JobReport> {
    const { jobs, staging } = this.#job
    const { memory, target } = this.#parts
    let isOver = false
    try {
      for (const claim of this.#claims) claim.begin()
      const obstacles = await this.#work()
      const report = await this.#finish(obstacles)
      isOver = true
      return report
    } catch (error) {
      if (!isClaimLost(error)) throw error
      isOver = true
      await Promise.all(this.#claims.map((claim) => claim.giveBack(error.message)))
      return this.#report('lost', error.message, [])
    } finally {
      for (const claim of this.#claims) claim.end()
      // Killed in between, the next run still knows of it, and takes the rest away.
      if (isOver) await clearStaging(staging, target.root)
      if (isOver) memory.pulls.forget(jobs.map(({ job }) => job.id))
    }
  }

  /** Gives what stood in the way; with anything of it, nothing more was placed. */
  async #work(): Promise<Obstacle[]> {
    const { jobs } = this.#job
    const { tell, target } = this.#parts
    const planned = plannedFilesOf(await Promise.all(jobs.map(({ closure }) => closure)), { ...this.#job, target })
    this.#planned = planned
    if (planned.obstacles.length > 0) return planned.obstacles
    const { files, leftOut, objects } = planned
    this.#bytes.total = planned.bytes
    tell({ kind: 'job', jobId: this.#id, files: files.length, bytes: this.#bytes.total })
    tell({ kind: 'phase', phase: 'compare' })
    for (const [hash, item] of settledFiles(this.#parts, this.#id)) this.#files.set(hash, item)
    for (const file of leftOut) this.#files.set(file.object.content_hash, leftOutItem(file, target.content))
    const nothing = nothingRemains(planned)
    if (nothing.length > 0) return nothing
    await forgetLost(this.#parts, planned.objects)
    const { decisions, obstacles, warnings } = await compareProject(
      files.filter(({ object }) => !this.#files.has(object.content_hash)),
      { ...target, memory: this.#parts.memory, library: this.#parts.api, orderedAt: orderedAt(this.#job), signal: this.#signal },
    )
    this.#spellings = warnings
    this.#spellAsHere(decisions)
    await this.#confirm()
    this.#settleIdentical(decisions.filter(({ action }) => action === 'identical'))
    // Nobody is asked about files of a pull that cannot come to pass.
    if (obstacles.length > 0) return obstacles
    const inTheWay = await this.#bringDecided(this.#withinOrder(decisions), this.#addressesOf(objects))
    // An order that is about some files only, or not all of it, leaves all others as they are.
    if (inTheWay.length === 0 && this.#job.only === undefined && this.#job.isWhole) await this.#takeAwayLeaving()
    return inTheWay
  }

  async #takeAwayLeaving(): Promise<void> {
    const targetRoot = this.#job.jobs[0]?.job.target_root ?? ''
    const { objects } = withoutOlderSets(this.#parts.memory, this.#planned.objects, orderedAt(this.#job))
    const have = this.#job.order?.have_set ?? []
    const about = { objects, files: this.#items(), have, targetRoot, jobId: this.#id, onBegin: this.#confirm }
    this.#takingAway = await takeAwayLeaving({ ...this.#parts, signal: this.#signal }, about)
  }

  /** A folder that is here in other letters is the one that files go to. */
  #spellAsHere(decisions: readonly Decision[]): void {
    const here = new Map(decisions.map(({ pullFile }) => [pullFile.object.content_hash, pullFile]))
    this.#planned.all = this.#planned.all.map((pullFile) => here.get(pullFile.object.content_hash) ?? pullFile)
  }

  #addressesOf = (objects: readonly PullJobObject[]): ClosureAddresses =>
    new ClosureAddresses(
      this.#parts.api,
      this.#job.jobs.map(({ job }) => job.id),
      objects,
    )

  #confirm = (): Promise<unknown> => Promise.all(this.#claims.map((claim) => claim.confirm()))

  /** What the order is not about stays as it is. */
  #withinOrder(decisions: readonly Decision[]): Decision[] {
    const only = this.#job.only && new Set(this.#job.only)
    const open = decisions.filter(({ action }) => action !== 'identical' && action !== 'newer')
    for (const decision of decisions) if (decision.action === 'newer') this.#settle(decision, 'newer')
    const others = only ? open.filter(({ file }) => !only.has(file)) : []
    for (const decision of others) this.#settle(decision, 'skipped')
    return open.filter((decision) => !others.includes(decision))
  }

  async #bringDecided(decisions: readonly Decision[], addresses: ClosureAddresses): Promise<Obstacle[]> {
    const { options } = this.#parts
    const asked = decisions.filter((one) => needsAnswer(one, options))
    const sure = this.#plan(decisions.filter((one) => !asked.includes(one)))
    if (options.askLast && asked.length > 0) {
      const obstacles = await this.#bringFree(sure.splice(0), addresses)
      if (obstacles.length > 0) return obstacles
    }
    const asking = { ...this.#parts, jobId: this.#id, signal: this.#signal }
    const answered = this.#planAnswered(asked, await answerConflicts(asked, asking))
    return this.#bringFree([...sure, ...answered], addresses)
  }

  async #bringFree(planned: readonly Planned[], addresses: ClosureAddresses): Promise<Obstacle[]> {
    const replaced = planned.map(({ decision }) => decision)
    const blocked = await checkReplaced(replaced, this.#signal)
    return blocked.length > 0 || planned.length === 0 ? blocked : this.#bring(planned, addresses)
  }

  #plan = (decisions: readonly Decision[]): Planned[] =>
    decisions.map((decision) =>
      decision.action === 'add'
        ? { decision, item: itemOf(decision, 'added') }
        : { decision, item: updatedItem(decision, this.#backups) },
    )

  #planAnswered(asked: readonly Decision[], answers: ReadonlyMap<string, ConflictAnswer>): Planned[] {
    return asked.flatMap((decision): Planned[] => {
      const answer = answers.get(decision.file) ?? 'keep'
      if (answer === 'overwrite') {
        const now = unlessRemoved(decision)
        if (now.action === 'add') return this.#plan([now])
        return [{ decision, item: { ...itemOf(decision, 'overwritten'), backup: `${this.#backups}/${decision.file}` } }]
      }
      this.#settle(decision, answer === 'skip' ? 'skipped' : 'kept')
      return []
    })
  }

  /** A package may have been opened since it was decided about: then it stays, as one that nobody answered about. */
  #stillFree(planned: readonly Planned[]): Planned[] {
    const opened = planned.filter(({ decision, item }) => item.outcome === 'updated' && isOpen(decision, this.#parts.options))
    for (const { decision } of opened) this.#settle(decision, 'kept')
    return planned.filter((one) => !opened.includes(one))
  }

  #settle(decision: Decision, outcome: PulledFile['outcome']): void {
    this.#files.set(decision.pullFile.object.content_hash, itemOf(decision, outcome))
  }

  /** Files that were there already are known from now on, so that an edit of them is pushed as their next version. */
  #settleIdentical(identical: readonly Decision[]): void {
    for (const decision of identical) this.#settle(decision, 'identical')
    const unknown = notYetKnown(identical, this.#entryIds)
    if (unknown.length > 0) this.#parts.memory.savePlaced(unknown)
  }

  async #bring(planned: readonly Planned[], addresses: ClosureAddresses): Promise<Obstacle[]> {
    const { staging } = this.#job
    const { tell, target } = this.#parts
    tell({ kind: 'phase', phase: 'fetch' })
    const { confirmShared, provide } = await import('./stage-files.ts')
    const contents = planned.map(({ item }) => ({ hash: item.content_hash, size: item.size, title: item.destination }))
    await clearStaging(staging, target.root)
    const findObstacle = () => findGone(this.#parts.target)
    const order = { contents, addresses, stagingFolder: staging, findObstacle, signal: this.#signal }
    const provision = await provide(this.#parts, order)
    this.#bytes.downloaded += provision.downloaded
    this.#bytes.from_cache += provision.fromCache
    if (provision.obstacles.length > 0) return provision.obstacles
    tell({ kind: 'phase', phase: 'place' })
    await this.#confirm()
    this.#signal.throwIfAborted()
    const gone = findGone(this.#parts.target)
    if (gone) return [gone]
    const free = this.#stillFree(planned)
    if (free.length === 0) return []
    const placed = await placePlanned(this.#parts, free, { jobId: this.#id, folder: staging, entryIds: this.#entryIds })
    for (const item of placed.items) this.#files.set(item.content_hash, item)
    confirmShared(this.#parts, placed.remembered)
    return placed.obstacles
  }

  /** Each job hears of its own files. One that an earlier job has brought is there already for a later one. */
  async #finish(obstacles: readonly Obstacle[]): Promise<JobReport> {
    this.#parts.tell({ kind: 'phase', phase: 'report' })
    const { status, reason } = ending(obstacles)
    const items = new Map([...this.#items(obstacles), ...this.#planned.yielding].map((item) => [item.content_hash, item]))
    for (const [at, { claim }] of this.#job.jobs.entries()) {
      const own = this.#planned.lists[at]?.flatMap((object) => items.get(object?.content_hash) ?? []) ?? []
      const report_json = sentReport(own)
      if (reason === null) await claim?.finish({ status: 'done', report_json })
      else await claim?.finish({ status: 'failed', failure_reason: reason.slice(0, 4000), report_json })
      for (const item of own) items.set(item.content_hash, asThereAlready(item))
    }
    return this.#report(status, reason, obstacles)
  }

  /** Every file once. What was neither placed nor found in place has failed. */
  #items(obstacles: readonly Obstacle[] = []): PulledFile[] {
    const messages = new Map(obstacles.map(({ file, message }) => [file, message]))
    return this.#planned.all.map((pullFile) => {
      const known = this.#files.get(pullFile.object.content_hash)
      if (known) return known
      const file = `${(pullFile.content ?? this.#parts.target.content).file}/${pullFile.path}`
      const error = messages.get(file) ?? messages.get(pullFile.destination) ?? 'It was not placed because of other files.'
      return { ...itemOf({ pullFile, file }, 'failed'), error }
    })
  }

  #report(status: JobReport['status'], reason: string | null, obstacles: readonly Obstacle[]): JobReport {
    const { jobs, resumed, sentBy: sent_by } = this.#job
    const files = status === 'lost' ? [...this.#files.values()] : this.#items(obstacles)
    const placed = files.filter(({ outcome }) => outcome === 'added' || outcome === 'updated' || outcome === 'overwritten')
    const { target_root = '' } = jobs[0]?.job ?? {}
    return {
      job_id: this.#id,
      job_ids: jobs.map(({ job }) => job.id),
      status,
      ...{ reason, resumed, sent_by, note: jobs[0]?.job.note ?? null },
      target_root,
      entries: uniteEntries(jobs.map(({ job }) => job)),
      files,
      taken_away: this.#takingAway.taken,
      not_taken_away: this.#takingAway.left,
      obstacles: [...obstacles],
      warnings: [...this.#planned.warnings, ...this.#spellings],
      ...this.#planned.missing,
      summary: sumsOf(files),
      bytes: { ...this.#bytes, placed: placed.reduce((sum, { size }) => sum + size, 0) },
    }
  }
}

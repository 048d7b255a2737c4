/** One claimed job of a pull, from the list of its files to its report: compare, fetch, place, tell. */
import { existsSync } from 'node:fs'
import type { PullJobDetail, PullJobObject, PullWarning } from '../../contract/pull-jobs.ts'
import { ClosureAddresses } from '../content/closure-addresses.ts'
import type { FilePlaced } from '../memory/project-memory.ts'
import { isClaimLost, type PullClaim } from './claim.ts'
import { compareProject, type Decision, unlessRemoved } from './compare.ts'
import { answerConflicts, isOpen, needsAnswer } from './conflict-answers.ts'
import {
  destinationsOf,
  type LeftOutFile,
  nothingRemains,
  type PullFile,
  whyNotIn,
  withLeftOut,
  withMisnamed,
} from './destinations.ts'
import { type MissingInProject, missingInProject, namedObject } from './missing-in-project.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import type { ConflictAnswer, PullParts } from './options.ts'
import { backupFolder, clearStaging } from './placing/folders.ts'
import { memoryOf, type Planned, placePlanned } from './placing/place-and-remember.ts'
import { settledFiles } from './placing/recovery.ts'
import { checkReplaced } from './preflight.ts'
import { type JobReport, type PulledFile, sentReport, sumsOf } from './report.ts'
import { withRootWarning } from './target-root.ts'

export interface JobParts {
  job: PullJobDetail
  warnings: PullWarning[]
  claim: PullClaim
  /** The list of files, on its way. */
  closure: Promise<{ job_id?: number; objects: PullJobObject[] }>
  /** An earlier run was killed or interrupted over it. */
  resumed: boolean
  /** Files that it is about; undefined: all of them. */
  only: readonly string[] | undefined
  staging: string
}

export class PullJob {
  readonly #parts: PullParts
  readonly #job: JobParts
  readonly #signal: AbortSignal
  /** Entries by the version that the job brings of them. */
  readonly #entryIds: ReadonlyMap<number, number>
  /** What became of files, by content hash. */
  readonly #files = new Map<string, PulledFile>()
  readonly #bytes = { downloaded: 0, from_cache: 0, placed: 0, total: 0 }
  #pullFiles: PullFile[] = []
  #leftOut: LeftOutFile[] = []
  #spellings: PullWarning[] = []
  #missing: MissingInProject = { missing_dependencies: [], plugins: [] }

  constructor(parts: PullParts, job: JobParts) {
    this.#parts = parts
    this.#job = job
    this.#signal = AbortSignal.any([parts.signal, job.claim.signal])
    this.#entryIds = new Map(job.job.entries.map(({ object_id, entry_id }) => [object_id, entry_id]))
  }

  /**
   * Does the job. Whatever is wrong with files or the project becomes a report that failed; a lost claim one that is lost.
   * Throws what keeps this run from going on (the network, an interruption): then the claim stays, for the next run.
   */
  async run(): Promise<JobReport> {
    const { claim, staging } = this.#job
    const { memory, target } = this.#parts
    let isOver = false
    try {
      claim.begin()
      const obstacles = await this.#work()
      const report = await this.#finish(obstacles)
      isOver = true
      return report
    } catch (error) {
      if (!isClaimLost(error)) throw error
      isOver = true
      return this.#report('lost', error.message, [])
    } finally {
      claim.end()
      // Killed in between, the next run still knows of it, and takes the rest away.
      if (isOver) await clearStaging(staging, target.root)
      if (isOver) memory.pulls.forget(claim.jobId)
    }
  }

  /** Gives what stood in the way; with anything of it, nothing more was placed. */
  async #work(): Promise<Obstacle[]> {
    const { job, closure, claim } = this.#job
    const { tell, target } = this.#parts
    const { job_id = job.id, objects } = await closure
    const destined = destinationsOf(objects, job.target_root, whyNotIn(target))
    const { files, leftOut, refused } = destined
    if (job_id !== job.id)
      return [obstacle('not-allowed', `job ${job.id}`, `The list of files for job ${job.id} is that of job ${job_id}.`)]
    if (refused.length > 0) return refused.map(({ what, why }) => obstacle('not-allowed', what, `${what} ${why}.`))
    this.#pullFiles = [...files, ...leftOut]
    this.#leftOut = leftOut
    this.#missing = missingInProject(objects.map(namedObject), target)
    this.#bytes.total = files.reduce((sum, { object }) => sum + object.blob_size, 0)
    tell({ kind: 'job', jobId: job.id, files: files.length, bytes: this.#bytes.total })
    tell({ kind: 'phase', phase: 'compare' })
    for (const [hash, item] of settledFiles(this.#parts, claim.jobId)) this.#files.set(hash, item)
    for (const file of leftOut) this.#files.set(file.object.content_hash, this.#leftOutItem(file))
    const nothing = nothingRemains(destined)
    if (nothing.length > 0) return nothing
    const { decisions, obstacles, warnings } = await compareProject(
      files.filter(({ object }) => !this.#files.has(object.content_hash)),
      { content: target.content, memory: this.#parts.memory, library: this.#parts.api, signal: this.#signal },
    )
    this.#spellings = warnings
    this.#spellAsHere(decisions)
    await claim.confirm()
    this.#settleIdentical(decisions.filter(({ action }) => action === 'identical'))
    // Nobody is asked about files of a pull that cannot come to pass.
    if (obstacles.length > 0) return obstacles
    return this.#bringDecided(this.#withinOrder(decisions), new ClosureAddresses(this.#parts.api, job.id, objects))
  }

  /** A folder that is here in other letters is the one that files go to. */
  #spellAsHere(decisions: readonly Decision[]): void {
    const here = new Map(decisions.map(({ pullFile }) => [pullFile.object.content_hash, pullFile]))
    this.#pullFiles = this.#pullFiles.map((pullFile) => here.get(pullFile.object.content_hash) ?? pullFile)
  }

  #leftOutItem(pullFile: LeftOutFile): PulledFile {
    const file = `${this.#parts.target.content.file}/${pullFile.path}`
    return { ...itemOf({ pullFile, file }, 'left_out'), error: pullFile.why }
  }

  /** What the order is not about stays as it is. */
  #withinOrder(decisions: readonly Decision[]): Decision[] {
    const only = this.#job.only && new Set(this.#job.only)
    const others = only ? decisions.filter(({ file, action }) => action !== 'identical' && !only.has(file)) : []
    for (const decision of others) this.#settle(decision, 'skipped')
    return decisions.filter((decision) => decision.action !== 'identical' && !others.includes(decision))
  }

  async #bringDecided(decisions: readonly Decision[], addresses: ClosureAddresses): Promise<Obstacle[]> {
    const { options } = this.#parts
    const asked = decisions.filter((one) => needsAnswer(one, options))
    const sure = this.#plan(decisions.filter((one) => !asked.includes(one)))
    if (options.askLast && asked.length > 0) {
      const obstacles = await this.#bringFree(sure.splice(0), addresses)
      if (obstacles.length > 0) return obstacles
    }
    const asking = { ...this.#parts, jobId: this.#job.job.id, signal: this.#signal }
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
        : { decision, item: { ...itemOf(decision, 'updated'), replaced_object_id: decision.replacedObjectId } },
    )

  #planAnswered(asked: readonly Decision[], answers: ReadonlyMap<string, ConflictAnswer>): Planned[] {
    const backups = backupFolder(this.#parts.target.root, this.#job.job.id, new Date())
    return asked.flatMap((decision): Planned[] => {
      const answer = answers.get(decision.file) ?? 'keep'
      if (answer === 'overwrite') {
        const now = unlessRemoved(decision)
        if (now.action === 'add') return this.#plan([now])
        return [{ decision, item: { ...itemOf(decision, 'overwritten'), backup: `${backups}/${decision.file}` } }]
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
    const unknown = identical.flatMap((decision): FilePlaced[] => {
      const { localStat, known } = decision
      const placedAs = memoryOf(decision, this.#entryIds.get(decision.pullFile.object.object_id) ?? null)
      const isKnown =
        known?.stat === localStat && known?.base?.objectId === placedAs.base.objectId && known.base.hash === placedAs.hash
      return isKnown || localStat === undefined ? [] : [{ ...placedAs, stat: localStat }]
    })
    if (unknown.length > 0) this.#parts.memory.savePlaced(unknown)
  }

  async #bring(planned: readonly Planned[], addresses: ClosureAddresses): Promise<Obstacle[]> {
    const { staging, claim } = this.#job
    const { tell, target } = this.#parts
    tell({ kind: 'phase', phase: 'fetch' })
    const { confirmShared, provide } = await import('./stage-files.ts')
    const contents = planned.map(({ item }) => ({ hash: item.content_hash, size: item.size, title: item.destination }))
    await clearStaging(staging, target.root)
    const order = { contents, addresses, stagingFolder: staging, findObstacle: () => this.#whereGone(), signal: this.#signal }
    const provision = await provide(this.#parts, order)
    this.#bytes.downloaded += provision.downloaded
    this.#bytes.from_cache += provision.fromCache
    if (provision.obstacles.length > 0) return provision.obstacles
    tell({ kind: 'phase', phase: 'place' })
    await claim.confirm()
    this.#signal.throwIfAborted()
    const gone = this.#whereGone()
    if (gone) return [gone]
    const free = this.#stillFree(planned)
    if (free.length === 0) return []
    const placed = await placePlanned(this.#parts, free, { jobId: claim.jobId, folder: staging, entryIds: this.#entryIds })
    for (const item of placed.items) this.#files.set(item.content_hash, item)
    confirmShared(this.#parts, placed.remembered)
    return placed.obstacles
  }

  /** The disk of the project may go away at any time, and leave an empty folder. */
  #whereGone(): Obstacle | undefined {
    const { descriptor, root, project } = this.#parts.target
    if (descriptor === undefined || existsSync(descriptor)) return undefined
    return obstacle('project-gone', root, `The project ${project} is not in ${root} any more.`)
  }

  async #finish(obstacles: readonly Obstacle[]): Promise<JobReport> {
    const { claim } = this.#job
    this.#parts.tell({ kind: 'phase', phase: 'report' })
    const items = this.#items(obstacles)
    const report_json = sentReport(items)
    const [first] = obstacles
    if (!first) {
      await claim.finish({ status: 'done', report_json })
      return this.#report('done', null, [])
    }
    const more = obstacles.length > 1 ? ` And ${obstacles.length - 1} more.` : ''
    const reason = `${first.message}${more}`
    await claim.finish({ status: 'failed', failure_reason: reason.slice(0, 4000), report_json })
    return this.#report('failed', reason, obstacles)
  }

  /** Every file of the job once. What was neither placed nor found in place has failed. */
  #items(obstacles: readonly Obstacle[] = []): PulledFile[] {
    const messages = new Map(obstacles.map(({ file, message }) => [file, message]))
    return this.#pullFiles.map((pullFile) => {
      const known = this.#files.get(pullFile.object.content_hash)
      if (known) return known
      const file = `${this.#parts.target.content.file}/${pullFile.path}`
      const error = messages.get(file) ?? messages.get(pullFile.destination) ?? 'It was not placed because of other files.'
      return { ...itemOf({ pullFile, file }, 'failed'), error }
    })
  }

  #report(status: JobReport['status'], reason: string | null, obstacles: readonly Obstacle[]): JobReport {
    const { job, resumed } = this.#job
    const warnings = withMisnamed(this.#job.warnings, job, this.#parts.target.root)
    const files = status === 'lost' ? [...this.#files.values()] : this.#items(obstacles)
    const placed = files.filter(({ outcome }) => outcome === 'added' || outcome === 'updated' || outcome === 'overwritten')
    return {
      job_id: job.id,
      status,
      reason,
      resumed,
      target_root: job.target_root,
      entries: job.entries,
      files,
      obstacles: [...obstacles],
      warnings: [...withLeftOut(withRootWarning(warnings, job.target_root), this.#leftOut), ...this.#spellings],
      ...this.#missing,
      summary: sumsOf(files),
      bytes: { ...this.#bytes, placed: placed.reduce((sum, { size }) => sum + size, 0) },
    }
  }
}

function itemOf({ pullFile, file }: Pick<Decision, 'pullFile' | 'file'>, outcome: PulledFile['outcome']): PulledFile {
  const { object, name: asset_name, destination } = pullFile
  const { content_hash, lineage_id, object_id, blob_size: size } = object
  return { file, outcome, asset_name, destination, content_hash, lineage_id, object_id, size }
}

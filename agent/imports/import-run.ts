/** One import: a pull of jobs into a project, told as it goes on, with the questions that it raises. */
import { join } from 'node:path'
import type { Wire } from '../../client/http/open-http.ts'
import { basesIn } from '../../client/memory/file-bases.ts'
import type { PullEvent } from '../../client/progress.ts'
import type { Conflict, ConflictAnswer, PullOptions } from '../../client/pull/options.ts'
import { finishedNote, pull } from '../../client/pull/pull.ts'
import type { JobReport, PulledFile } from '../../client/pull/report.ts'
import { findTarget, type PullTarget } from '../../client/pull/target-project.ts'
import { takenAwayChange } from '../../client/undo/taken-away.ts'
import type { ImportReport } from '../../contract/agent-imports.ts'
import type { Project } from '../projects/projects.ts'
import type { EventLog } from '../running/event-log.ts'
import type { Surroundings } from '../surroundings.ts'
import { findDetails, type Place, type PulledOver } from './conflict-details.ts'
import { type Conflicts, picturesIn } from './conflicts.ts'
import type { ImportReports } from './import-reports.ts'
import type { ImportTimes } from './import-times.ts'
import { keptMessage, mostStaying, stayingFiles, stayingMessage } from './staying.ts'

export interface ImportParts {
  wire: Wire
  /** Of the agent. */
  dir: string
  events: EventLog
  times: ImportTimes
  reports: ImportReports
  conflicts: Conflicts
  /** Path of the .uproject when it was last seen. If the disk goes away, the empty folder that is left has none. */
  descriptor: string | undefined
  /** The colleague who sent the job, and their note. Undefined for an own job. */
  about(jobId: number): Pick<ImportReport, 'sent_by' | 'note'>
  /** For `ph undo`. */
  remember: Surroundings['remember']
  /** Who works here; null: not known. */
  person(): string | null
  /** People are asked from now on, or have answered. */
  onAsking(isAsking: boolean): void
  /** Packages that editors have open in a project, in lower case. */
  openIn(root: string): ReadonlySet<string>
}

/** What is pulled: jobs, or one version that waits. */
export type ImportOrder = Pick<PullOptions, 'jobs' | 'order' | 'only' | 'isExact' | 'targetRoot'> & {
  /** Jobs that an earlier run began. */
  left?: readonly number[]
  /** By content hash: versions that are taken without another question. */
  taken?: ReadonlySet<string>
}

export interface ImportRun {
  jobs: JobReport[]
  notes: string[]
}

const placedOutcomes: readonly PulledFile['outcome'][] = ['added', 'updated', 'overwritten']

/** Throws as `pull` does: what keeps it from going on now, with the claim kept for the next time. */
export async function runImport(
  parts: ImportParts,
  { project, order, signal }: { project: Project; order: ImportOrder; signal: AbortSignal },
): Promise<ImportRun> {
  const progress = new Progress(parts, project)
  const { taken = new Set<string>(), left = [], ...asked } = order
  for (const id of [...(order.jobs ?? []), ...left]) progress.begin(id)
  const asking = new Asking(parts, project)
  try {
    const { jobs, notes } = await pull({
      ...parts.wire,
      ...asked,
      target: targetOf(project, parts.descriptor),
      signal,
      tell: progress.tell,
      askLast: true,
      mayTakeAway: () => project.takesAway,
      isOpen: (name) => parts.openIn(project.root).has(name.toLowerCase()),
      onConflict: async (conflicts, ended) => {
        parts.onAsking(true)
        try {
          return await progress.asking(() => asking.ask(conflicts, { ended, taken }))
        } finally {
          parts.onAsking(false)
        }
      },
    })
    for (const job of jobs) await asking.settle(job)
    for (const job of jobs) await rememberTakenAway(parts, project, job)
    for (const job of jobs) progress.end(job, keptMessage(parts.conflicts.waitingOf(project.root, job.job_ids)))
    progress.giveUp(notes)
    return { jobs, notes }
  } catch (error) {
    progress.wait(signal.aborted ? null : error)
    throw error
  }
}

async function rememberTakenAway({ remember }: ImportParts, { root, key }: Project, { taken_away: files }: JobReport) {
  if (files.length === 0) return
  const what = `Moved ${files.length === 1 ? '1 file' : `${files.length} files`} out of ${key}, by the desktop agent: nothing in the library has them there`
  await remember(takenAwayChange(what, { root, files }))
}

const editorVersion = /^[0-9]{1,5}\.[0-9]{1,5}(\.[0-9]{1,5})?([^0-9.].{0,60})?$/

/** The engine as the editor says it, else the descriptor, else what was said when the project was linked. */
function targetOf({ root, key, editor, engineVersion }: Project, descriptor: string | undefined): PullTarget {
  const found = findTarget({ cwd: root, into: root, project: key })
  const target = { ...found, descriptor: descriptor ?? found.descriptor }
  const said = editor?.engine_version
  return { ...target, engineVersion: said && editorVersion.test(said) ? said : (target.engineVersion ?? engineVersion) }
}

class Asking {
  readonly #parts: ImportParts
  readonly #project: Project

  constructor(parts: ImportParts, project: Project) {
    this.#parts = parts
    this.#project = project
  }

  async ask(
    found: readonly Conflict[],
    { ended: signal, taken }: { ended: AbortSignal; taken: ReadonlySet<string> },
  ): Promise<Map<string, ConflictAnswer>> {
    const { conflicts, times } = this.#parts
    const { root, key: projectKey } = this.#project
    const files = found.filter(({ hash }) => !taken.has(hash)).map(pulledOver)
    const asked = await this.#detailed(files)
    const answers = await conflicts.ask(asked, { root, projectKey, signal, answerMs: times.answerMs })
    for (const { file, hash } of found) if (taken.has(hash)) answers.set(file, 'overwrite')
    return answers
  }

  /** Before anything is told of the end of the job: what waits is known then. */
  async settle(job: JobReport): Promise<void> {
    const { conflicts, events, openIn } = this.#parts
    const { root, key: projectKey } = this.#project
    const placed = job.files.filter(({ outcome }) => placedOutcomes.includes(outcome))
    const there = job.files.filter(({ outcome }) => outcome === 'identical')
    const open = openIn(root)
    const kept = job.files.filter(({ outcome }) => outcome === 'kept')
    const late = kept.map((file) => keptFile(file, job.job_id, open))
    conflicts.settle(
      { root, projectKey },
      { placed: [...placed, ...there].map(({ file }) => file), kept: await this.#detailed(late) },
    )
    if (placed.length === 0) return
    events.tell('imported', {
      project_key: projectKey,
      root,
      job_id: job.job_id,
      ...this.#parts.reports.about(job.job_id),
      packages: placed.map(({ destination }) => destination),
      files: placed.map(({ file }) => file),
      copies: placed.flatMap(({ file, backup }) => (backup === undefined ? [] : [{ file, copy: join(root, backup) }])),
    })
  }

  async #detailed(files: readonly PulledOver[]) {
    if (files.length === 0) return []
    const { wire, dir, times, person } = this.#parts
    const place: Place = { wire, root: this.#project.root, pictures: picturesIn(dir), person: person() }
    const details = await findDetails(files, place, times.detailsMs)
    const bases = basesIn(
      { ...wire, root: place.root },
      files.map(({ file }) => file),
    )
    return files.flatMap((one, index) => {
      const found = details[index]
      return found ? [{ ...one, details: found, base: bases.get(one.file)?.objectId ?? null }] : []
    })
  }
}

const pulledOver = (one: Conflict): PulledOver => ({
  ...{ file: one.file, jobId: one.jobId, lineageId: one.lineageId, objectId: one.objectId, hash: one.hash },
  ...{ size: one.pulledSize, destination: one.destination, localHash: one.localHash ?? null, baseObjectId: one.baseObjectId },
  ...{ isChanged: one.isChanged, isOpen: one.isOpen },
  ...(one.other ? { other: one.other } : {}),
})

/** Kept at the last moment, without having been asked about: it was opened or saved while the job went on. */
function keptFile(one: PulledFile, jobId: number, open: ReadonlySet<string>): PulledOver {
  const isOpen = open.has(one.destination.toLowerCase())
  return {
    ...{ file: one.file, jobId, lineageId: one.lineage_id, objectId: one.object_id, hash: one.content_hash },
    ...{ size: one.size, destination: one.destination, localHash: null, baseObjectId: null },
    ...{ isChanged: !isOpen, isOpen },
    ...(one.other ? { other: one.other } : {}),
  }
}

const notThere: ReadonlySet<PulledFile['outcome']> = new Set(['failed', 'kept', 'skipped', 'left_out'])

/** What a pull tells, as the report of the job that it is about. */
class Progress {
  readonly #reports: ImportReports
  readonly #about: ImportParts['about']
  readonly #project: Project
  #jobId: number | undefined
  #total = { files: 0, bytes: 0 }
  readonly #begun = new Set<number>()

  constructor({ reports, about }: ImportParts, project: Project) {
    this.#reports = reports
    this.#about = about
    this.#project = project
  }

  begin(jobId: number): void {
    this.#begun.add(jobId)
    this.#jobId = jobId
    this.#reports.begin(jobId, this.#project.key, this.#about(jobId))
  }

  readonly tell = (event: PullEvent): void => {
    if (event.kind === 'job') this.#take(event)
    if (this.#jobId === undefined) return
    const { files, bytes } = this.#total
    if (event.kind === 'phase') this.#reports.turn(this.#jobId, { state: 'running', phase: event.phase, message: null })
    else if (event.kind === 'download')
      this.#reports.advance(this.#jobId, { bytes: bytes - Math.min(bytes, event.totalBytes) + event.bytes, message: null })
    else if (event.kind === 'place')
      this.#reports.advance(this.#jobId, { bytes, files: files - Math.min(files, event.totalFiles) + event.files })
    else if (event.kind === 'wait') this.#reports.advance(this.#jobId, { message: `waiting: ${event.reason}` })
  }

  async asking<T>(ask: () => Promise<T>): Promise<T> {
    const jobId = this.#jobId ?? 0
    this.#reports.turn(jobId, { state: 'asking' })
    try {
      return await ask()
    } finally {
      this.#reports.turn(jobId, { state: 'running' })
    }
  }

  end(job: JobReport, kept: string | null): void {
    const { job_id, job_ids, status, reason, files, warnings, taken_away } = job
    for (const id of job_ids) this.#begun.delete(id)
    const state = status === 'lost' ? 'given_up' : status
    const there = files.filter(({ outcome }) => !notThere.has(outcome)).length
    const leftOut = warnings.find(({ type }) => type === 'not_placed' || type === 'misnamed')?.message ?? null
    if (state === 'done') this.#reports.advance(job_id, { files: there, bytes: this.#total.bytes })
    this.#reports.advance(job_id, {
      taken_away: taken_away.slice(0, mostStaying).map(({ file, backup }) => ({ file, backup })),
      not_taken_away: stayingFiles(job, this.#project),
    })
    if (state === 'refused') this.#reports.turn(job_id, { state: 'waiting', phase: null, message: reason })
    else for (const id of job_ids) this.#reports.end(id, state, reason ?? leftOut ?? kept ?? stayingMessage(job, this.#project))
  }

  /** Jobs that an earlier run had finished, that someone else took, or that are no more. */
  giveUp(notes: readonly string[]): void {
    for (const id of this.#begun) {
      const about = notes.find((note) => new RegExp(`\\bjob ${id}\\b`).test(note))
      if (notes.includes(finishedNote(id))) this.#reports.end(id, 'done', null)
      else this.#reports.end(id, 'given_up', about ?? 'Someone else took it meanwhile.')
    }
  }

  /** Null: it was paused, or the agent ends. */
  wait(error: unknown): void {
    const message = error === null ? null : error instanceof Error ? error.message : String(error)
    for (const id of this.#begun) this.#reports.turn(id, { state: 'waiting', phase: null, message })
  }

  #take({ jobId, files, bytes }: Extract<PullEvent, { kind: 'job' }>): void {
    if (!this.#begun.has(jobId)) this.begin(jobId)
    this.#jobId = jobId
    this.#total = { files, bytes }
    this.#reports.turn(jobId, { total_files: files, total_bytes: bytes })
  }
}

/** How imports are and were: the newest of them, told as events while they go on. */
import type { ImportReport } from '../../contract/agent-imports.ts'
import type { EventLog } from '../running/event-log.ts'

const mostKept = 50
const unknown = { sent_by: null, note: null }

export class ImportReports {
  /** Newest first. */
  readonly #kept: ImportReport[] = []
  readonly #toldAt = new Map<number, number>()
  readonly #events: EventLog
  readonly #tellMs: number

  constructor(events: EventLog, tellMs: number) {
    this.#events = events
    this.#tellMs = tellMs
  }

  list(): ImportReport[] {
    return this.#kept.map((report) => ({ ...report }))
  }

  /** Who sent it and why, as it was known when it began. */
  about(jobId: number): Pick<ImportReport, 'sent_by' | 'note'> {
    const { sent_by, note } = this.#find(jobId) ?? unknown
    return { sent_by, note }
  }

  /** A job that is taken up again goes on in the report that it has. */
  begin(jobId: number, projectKey: string, about: Pick<ImportReport, 'sent_by' | 'note'> = unknown): void {
    const before = this.#find(jobId)
    if (before?.state === 'running') return
    if (before) this.#kept.splice(this.#kept.indexOf(before), 1)
    this.#kept.unshift({
      ...{ job_id: jobId, project_key: projectKey, state: 'running', phase: null, message: null },
      ...{ files: 0, total_files: 0, bytes: 0, total_bytes: 0, taken_away: [], not_taken_away: [] },
      ...{ sent_by: before?.sent_by ?? about.sent_by, note: before?.note ?? about.note },
      ...{ started_at: before?.started_at ?? new Date().toISOString(), ended_at: null },
    })
    const surplus = this.#kept.length > mostKept ? this.#kept.findLastIndex(({ ended_at }) => ended_at !== null) : -1
    for (const { job_id } of surplus < 0 ? [] : this.#kept.splice(surplus, 1)) this.#toldAt.delete(job_id)
    this.#tell(jobId)
  }

  /** How far it is; told now and then. */
  advance(jobId: number, news: Partial<Omit<ImportReport, 'job_id' | 'project_key'>>): void {
    const report = this.#find(jobId)
    if (!report) return
    Object.assign(report, news)
    if (performance.now() - (this.#toldAt.get(jobId) ?? 0) >= this.#tellMs) this.#tell(jobId)
  }

  /** Something else begins, or it ends: told at once. */
  turn(jobId: number, news: Partial<Omit<ImportReport, 'job_id' | 'project_key'>>): void {
    const report = this.#find(jobId)
    if (!report) return
    Object.assign(report, news)
    this.#tell(jobId)
  }

  end(jobId: number, state: 'done' | 'failed' | 'given_up', message: string | null): void {
    this.turn(jobId, { state, message, phase: null, ended_at: new Date().toISOString() })
  }

  #find = (jobId: number): ImportReport | undefined => this.#kept.find(({ job_id }) => job_id === jobId)

  #tell(jobId: number): void {
    this.#toldAt.set(jobId, performance.now())
    this.#events.tell('import', { ...this.#find(jobId) })
  }
}

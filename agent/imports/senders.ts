/** Jobs that colleagues sent to projects of this machine. The agent asks once about each sender, and imports only what its person allowed. */
import { refuseJob } from '../../client/pull/orders/refuse.ts'
import type { AgentSender } from '../../contract/agent-senders.ts'
import type { SentJob } from '../../contract/editor-sessions.ts'
import { ApiError } from '../../contract/errors.ts'
import type { PullJob } from '../../contract/pull-jobs.ts'
import type { UserStub } from '../../contract/shapes.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { Project } from '../projects/projects.ts'
import type { Surroundings } from '../surroundings.ts'
import { type KnownSender, type SenderAnswer, SenderFile } from './sender-file.ts'

type Named = Pick<Project, 'key' | 'root'>

/** The parts of the imports that senders use. */
interface SenderParts {
  /** A job is being brought. */
  isBusy(jobId: number): boolean
  /** Something else of what waits for a project may be brought now. */
  changed(projectKey: string): void
}

export class Senders {
  readonly #file: SenderFile
  readonly #around: Pick<Surroundings, 'events' | 'api' | 'reach'>
  readonly #parts: SenderParts
  /** The last answer of the server, by project. */
  readonly #waiting = new Map<string, readonly SentJob[]>()

  constructor({ dir, wire, ...around }: Surroundings, parts: SenderParts) {
    this.#file = new SenderFile(dir, wire.url)
    this.#around = around
    this.#parts = parts
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  /** These wait for a project now. About a sender who is not known it is asked once. */
  heard(project: Named, jobs: readonly SentJob[]): void {
    this.#waiting.set(project.key, jobs)
    const known = new Set(this.#of(project.key).map(({ sender }) => sender.id))
    for (const [id, theirs] of Map.groupBy(jobs, ({ sender }) => sender.id)) if (!known.has(id)) this.#ask(project, theirs)
  }

  /** Waiting jobs of a project whose sender is allowed. */
  allowed(projectKey: string): PullJob[] {
    const may = new Set(this.#of(projectKey).flatMap(({ sender, answer }) => (answer === 'allow' ? sender.id : [])))
    return (this.#waiting.get(projectKey) ?? []).filter(({ sender }) => may.has(sender.id)).map(jobOf)
  }

  /** Nothing is brought into other projects now, so nobody knows what waits for them. */
  forgetOthers(projectKeys: ReadonlySet<string>): void {
    for (const key of this.#waiting.keys()) if (!projectKeys.has(key)) this.#waiting.delete(key)
  }

  list(projectKey?: string): AgentSender[] {
    return this.#file.list().flatMap((one) => (projectKey === undefined || one.project_key === projectKey ? this.#told(one) : []))
  }

  /** A job that another person sent; undefined for those of this person. */
  find = (jobId: number): SentJob | undefined => [...this.#waiting.values()].flat().find(({ id }) => id === jobId)

  about(jobId: number): { sent_by: UserStub; note: string | null } | undefined {
    const job = this.find(jobId)
    return job && { sent_by: job.sender, note: job.note ?? null }
  }

  /** Null takes an answer back. What waits already is brought, or waits on. Throws USER_NOT_FOUND for who is nobody there. */
  async answer(projectKey: string, senderId: number, answer: SenderAnswer | null): Promise<AgentSender> {
    const before = this.#of(projectKey).find(({ sender }) => sender.id === senderId)
    const sender = before?.sender ?? (await this.#person(senderId))
    const known: KnownSender = { project_key: projectKey, sender, answer, at: new Date().toISOString() }
    const waits = this.#jobsOf(known).length > 0
    // The agent asked about these jobs. Once they are gone, it asks again at the sender's next job.
    if (answer === null && !waits) this.#file.forget(known)
    else this.#file.save(known)
    this.#around.events.tell('sender', { ...this.#told(known) })
    this.#parts.changed(projectKey)
    return this.#told(known)
  }

  /** With all that was ordered with it. Throws JOB_NOT_FOUND where no other person sent it, CONFLICT where it is being brought. */
  async refuse(jobId: number, reason: string | null | undefined): Promise<number[]> {
    const job = this.find(jobId)
    if (!job) throw notSent(jobId)
    if (this.#parts.isBusy(jobId)) throw new ApiError('CONFLICT', `Job ${jobId} is being brought at this moment.`)
    const { api, reach } = this.#around
    const person = nameOfSender(reach.person ?? (await api.members.me()))
    const ids = await refuseJob(api, job, { person, reason })
    this.ended(ids)
    this.#parts.changed(job.target_project)
    return ids
  }

  /** They are not there any more, whatever the server said before. */
  ended(jobIds: readonly number[]): void {
    for (const [key, jobs] of this.#waiting)
      this.#waiting.set(
        key,
        jobs.filter(({ id }) => !jobIds.includes(id)),
      )
  }

  close(): void {
    this.#file.close()
  }

  async #person(id: number): Promise<UserStub> {
    const { name, display_name } = await this.#around.api.members.get({ user_id: id })
    return { id, name, display_name }
  }

  #ask({ key, root }: Named, jobs: readonly SentJob[]): void {
    const [first] = jobs
    if (!first) return
    const { sender } = first
    this.#file.save({ project_key: key, sender, answer: null, at: new Date().toISOString() })
    const allow = `ph agent allow ${shellWord(sender.name)} --project ${shellWord(key)}`
    this.#around.events.tell('sent', {
      ...{ project_key: key, root, sender, jobs: jobs.map(jobOf) },
      message: `${sentWords(jobs)} They arrive when you allow it: \`${printable(allow)}\`.`,
      command: allow,
    })
  }

  #of = (projectKey: string): KnownSender[] => this.#file.list().filter(({ project_key }) => project_key === projectKey)

  #jobsOf({ project_key, sender }: KnownSender): PullJob[] {
    return (this.#waiting.get(project_key) ?? []).filter((job) => job.sender.id === sender.id).map(jobOf)
  }

  #told = (known: KnownSender): AgentSender => ({ ...known, jobs: this.#jobsOf(known) })
}

const jobOf = ({ sender: _sender, ...job }: SentJob): PullJob => job

export const nameOfSender = ({ name, display_name }: Omit<UserStub, 'id'>): string => printable(display_name || name)

/** `2 props, 5 files: “for the bar”.` */
function sentWords(jobs: readonly PullJob[]): string {
  const sum = (field: 'entry_count' | 'object_count') => jobs.reduce((all, job) => all + job[field], 0)
  const many = (amount: number, what: string) => `${amount} ${what}${amount === 1 ? '' : 's'}`
  const note = jobs.find((job) => job.note)?.note
  const why = note ? `: “${printable(note)}”` : ''
  return `${many(sum('entry_count'), 'prop')}, ${many(sum('object_count'), 'file')}${why}.`
}

const notSent = (jobId: number): ApiError =>
  new ApiError(
    'JOB_NOT_FOUND',
    `No job ${jobId} that another person sent waits for a project here. \`ph agent senders\` lists those.`,
  )

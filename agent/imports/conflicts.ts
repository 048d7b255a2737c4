/** Conflicts of imports: asked for a while, then the local file is kept, and the incoming version waits until someone wants it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ConflictAnswer } from '../../client/pull/options.ts'
import type { AgentConflict, conflictAnswers } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventLog } from '../running/event-log.ts'
import type { ConflictDetails, PulledOver } from './conflict-details.ts'
import { ConflictFile, type KeptConflict } from './conflict-file.ts'

export type Answer = (typeof conflictAnswers)[number]

/** A file with all that is known of it. */
export interface ConflictingFile extends PulledOver {
  details: ConflictDetails
}

/** An import that asks. */
export interface Asking {
  root: string
  projectKey: string
  signal: AbortSignal
  answerMs: number
}

const toAnswer: Record<Answer, ConflictAnswer> = { keep_local: 'keep', take_incoming: 'overwrite' }

export class Conflicts {
  readonly #file: ConflictFile
  readonly #events: EventLog
  /** Called when someone has answered. */
  readonly #waiting = new Map<number, () => void>()

  constructor(dir: string, events: EventLog) {
    this.#file = new ConflictFile(dir)
    this.#events = events
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  /** Without those that were answered. */
  list(projectKey?: string): AgentConflict[] {
    const open = this.#file.list().filter(({ state }) => state !== 'answered')
    return open.filter(({ project_key }) => projectKey === undefined || project_key === projectKey).map(told)
  }

  /** Throws NOT_FOUND. */
  get(id: number): KeptConflict {
    const found = this.#file.list().find((one) => one.id === id)
    if (!found) throw new ApiError('NOT_FOUND', `There is no conflict ${id} that waits.`)
    return found
  }

  /** Asks about files of an import until all are answered, the time is over, or the signal ends it. Without an answer a file is kept. */
  async ask(files: readonly ConflictingFile[], asking: Asking): Promise<Map<string, ConflictAnswer>> {
    const asked = files.map((one) => this.#begin(one, asking))
    await Promise.all(asked.filter(({ state }) => state === 'asked').map(({ id }) => this.#answered(id, asking)))
    asking.signal.throwIfAborted()
    return new Map(asked.map(({ id, file }) => [file, toAnswer[this.#answerOf(id)]]))
  }

  /** What was answered before a restart holds, unless the file is another one by now. */
  #begin(one: ConflictingFile, asking: Asking): KeptConflict {
    const before = this.#file.list().find(({ root, file }) => root === asking.root && file === one.file)
    const isSame = before?.incoming.object_id === one.objectId && before.local.content_hash === one.details.local.content_hash
    if (before?.answer && (before.job_id === one.jobId || before.state === 'waiting') && isSame) return before
    const conflict = this.#file.add(conflictOf(one, asking, 'asked'))
    this.#tell(conflict)
    return conflict
  }

  #answered(id: number, { signal, answerMs }: Asking): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, answerMs)
      this.#waiting.set(id, done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }

  /** Nobody answered: from now on it waits, whatever comes of the import. */
  #answerOf(id: number): Answer {
    const found = this.get(id)
    if (found.answer) return found.answer
    this.#change(found, { state: 'waiting' })
    return 'keep_local'
  }

  /** Of a conflict that is asked. Throws CONFLICT where the other answer was given already. */
  answer(id: number, answer: Answer): AgentConflict {
    const found = this.get(id)
    if (found.answer && found.answer !== answer)
      throw new ApiError('CONFLICT', `${found.file} was answered already: ${found.answer}.`)
    if (!found.answer) this.#change(found, { state: 'answered', answer })
    this.#waiting.get(id)?.()
    return told({ ...found, state: 'answered', answer })
  }

  /** Its version is about to be brought; said before, so that who goes on after a crash does not ask again. */
  take(found: KeptConflict): void {
    this.#file.save({ ...found, answer: 'take_incoming' })
  }

  /** It was not brought after all. */
  waitOn(found: KeptConflict): void {
    this.#file.save({ ...found, state: 'waiting', answer: null })
  }

  /** It waits no more: what was asked is done. */
  end(found: KeptConflict, answer: Answer, copy: string | null): AgentConflict {
    this.#remove(found)
    const ended: KeptConflict = { ...found, state: 'answered', answer, copy }
    this.#tell(ended)
    return told(ended)
  }

  /** After an import: of files that it placed nothing waits; those that it kept without a word wait from now on. */
  settle(
    asking: Pick<Asking, 'root' | 'projectKey'>,
    outcomes: { placed: readonly string[]; kept: readonly ConflictingFile[] },
  ): void {
    const own = new Map(this.#file.list().flatMap((one) => (one.root === asking.root ? [[one.file, one] as const] : [])))
    for (const file of outcomes.placed) {
      const found = own.get(file)
      if (found) this.#remove(found)
    }
    for (const one of outcomes.kept) {
      const found = own.get(one.file)
      const isAsked = found?.job_id === one.jobId
      if (isAsked && found.answer === 'keep_local') this.#remove(found)
      else if (isAsked) this.#change(found, { state: 'waiting', answer: null })
      else this.#tell(this.#file.add(conflictOf(one, { ...asking, answerMs: 0 }, 'waiting')))
    }
  }

  /** Of imports that are over, or that nobody knows of any more: nobody waits for an answer, and the version waits. */
  letWait(root: string, openJobs: ReadonlySet<number>): void {
    for (const one of this.#file.list())
      if (one.root === root && one.state !== 'waiting' && !openJobs.has(one.job_id))
        this.#change(one, { state: 'waiting', answer: null })
  }

  close(): void {
    this.#file.close()
  }

  #change(found: KeptConflict, news: Partial<KeptConflict>): void {
    const changed = { ...found, ...news }
    this.#file.save(changed)
    this.#tell(changed)
  }

  #remove(found: KeptConflict): void {
    this.#file.remove(found.id)
    const others = this.#file.list().flatMap(({ local, incoming }) => [local.picture, incoming.picture])
    for (const picture of [found.local.picture, found.incoming.picture])
      if (picture && !others.includes(picture)) rmSync(picture, { force: true })
  }

  #tell(conflict: KeptConflict): void {
    this.#events.tell('conflict', told(conflict))
  }
}

const told = ({ root: _root, ...conflict }: KeptConflict): AgentConflict => conflict

function conflictOf(
  one: ConflictingFile,
  { root, projectKey, answerMs }: Pick<Asking, 'root' | 'projectKey' | 'answerMs'>,
  state: 'asked' | 'waiting',
): Omit<KeptConflict, 'id'> {
  const now = Date.now()
  return {
    ...{ root, job_id: one.jobId, project_key: projectKey, file: one.file, path: join(root, one.file), package: one.destination },
    ...{ reason: one.isChanged ? 'changed' : 'open', open: one.isOpen, ...one.details },
    ...{ state, answer: null, copy: null },
    asked_at: new Date(now).toISOString(),
    answer_by: new Date(now + answerMs).toISOString(),
  }
}

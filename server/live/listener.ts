/** One stream of changes: what it has been told, and what waits to be told. However slowly it is read, only the last word of each thing waits. */
import type { LiveEvent } from '../../contract/changes.ts'
import { epochOf } from '../epoch.ts'
import type { Holder } from '../principal.ts'
import type { Heads, MovedJob } from './look.ts'

/** Who reads nothing of what is told begins anew. */
const mostWaiting = 1000

export class Listener implements AsyncIterableIterator<LiveEvent> {
  readonly holder: Holder
  readonly #waiting = new Map<'head' | number, LiveEvent>()
  readonly #ended: () => void
  #wake = () => {}
  #isEnded = false
  #seq = -1
  #jobSeq = 0

  /** `ended` is called once. */
  constructor(holder: Holder, ended: () => void) {
    this.holder = holder
    this.#ended = ended
  }

  get hasBegun(): boolean {
    return this.#seq >= 0
  }

  /** Changes of jobs up to this one have been told. */
  get jobSeq(): number {
    return this.#jobSeq
  }

  begin(heads: Heads): void {
    this.#jobSeq = heads.job_seq
    this.tellHead(heads)
  }

  /** Looks may be answered out of order. */
  tellHead(heads: Heads): void {
    const { change_seq: seq } = heads
    if (seq <= this.#seq) return
    this.#seq = seq
    this.#tell('head', { event: 'head', data: { seq, library_epoch: epochOf(heads) } })
  }

  /** Jobs in the order in which they moved, and the number up to which these are all. */
  tellJobs(moved: readonly MovedJob[], upTo: number): void {
    for (const { job_id, job_seq, status } of moved) {
      if (job_seq > this.#jobSeq) this.#tell(job_id, { event: 'job', data: { job_id, status } })
      this.#jobSeq = Math.max(this.#jobSeq, job_seq)
    }
    this.#jobSeq = Math.max(this.#jobSeq, upTo)
  }

  async next(): Promise<IteratorResult<LiveEvent>> {
    for (;;) {
      if (this.#isEnded) return { done: true, value: undefined }
      const [first] = this.#waiting
      if (first) {
        this.#waiting.delete(first[0])
        return { done: false, value: first[1] }
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async return(): Promise<IteratorResult<LiveEvent>> {
    this.end()
    return { done: true, value: undefined }
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#ended()
    this.#wake()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #tell(about: 'head' | number, event: LiveEvent): void {
    this.#waiting.set(about, event)
    if (this.#waiting.size > mostWaiting) this.end()
    else this.#wake()
  }
}

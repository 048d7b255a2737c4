/** People who push and read without a pause, while a test takes something away from the server. */
import { expect } from 'vitest'
import type { Answer, Caller, Json } from './api.ts'
import { item, manifestOf } from './push.ts'

export class BusyWork {
  readonly answers: Answer[] = []
  readonly #workers: Promise<void>[]
  #isOver = false

  /** So many at once, each of which pushes one prop and reads these, over and over. */
  constructor(caller: Caller, { workers, reads }: { workers: number; reads: readonly string[] }) {
    this.#workers = Array.from({ length: workers }, async () => {
      while (!this.#isOver) {
        const one = item()
        this.answers.push(await caller.put(`/blobs/${one.content_hash}`, one.bytes))
        this.answers.push(await caller.post('/push/commit', manifestOf([one])))
        for (const path of reads) this.answers.push(await caller.get(path))
      }
    })
  }

  /** Until so many more have come. */
  async goOn(more: number, isCounted: (answer: Answer) => boolean = () => true): Promise<void> {
    const counted = () => this.answers.filter(isCounted).length
    const before = counted()
    await expect.poll(counted).toBeGreaterThan(before + more)
  }

  /** Ends it. Whatever was not done was told to come back. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
    const failed = this.answers.filter(
      ({ status, body }) => status >= 400 && status !== 503 && body.error?.code !== 'BLOB_MISSING',
    )
    expect(failed.map(({ status, body }) => [status, body])).toEqual([])
    expect(this.answers.some(({ status }) => status === 503)).toBe(true)
  }

  /** Ids of versions of which a commit was acknowledged. */
  get committed(): number[] {
    return [...new Set(this.answers.flatMap(({ body }) => (body.results ?? []) as Json[]).map((result) => result.object_id))]
  }
}

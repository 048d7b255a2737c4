/**
 * The one live connection to the server that all parts share: they hear at once that something changed, and ask by the clock while it is
 * away. Servers without one are asked again whether they have it by now, once in a while.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Reach } from '../reach.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'

/** A server that was updated may have it then. */
const withoutMs = 10 * 60_000

export class LiveFeed implements Part {
  readonly name = 'live'
  readonly canPause = false
  readonly #api: Surroundings['api']
  readonly #reach: Reach
  readonly #waiting = new Set<() => void>()
  readonly #jobListeners = new Set<() => void>()
  /** Ends the present connection. */
  #turn = new AbortController()
  /** Undefined while there is no connection. */
  #head: number | undefined

  constructor({ api, reach }: Pick<Surroundings, 'api' | 'reach'>) {
    this.#api = api
    this.#reach = reach
  }

  get isConnected(): boolean {
    return this.#head !== undefined
  }

  async run(signal: AbortSignal, say: (message: string | null) => void): Promise<void> {
    try {
      await this.#listen(signal, say)
    } catch (error) {
      if (signal.aborted || !isUnknown(error)) throw error
      say('the server has no live connection')
      await within(withoutMs, signal)
    } finally {
      this.#become(undefined)
    }
  }

  /** Heads as they move, the present one first; ends when the connection is cut, and waits for one before that. */
  async *heads(signal: AbortSignal): AsyncGenerator<{ seq: number }> {
    while (this.#head === undefined && !signal.aborted) await this.#next(signal)
    for (let told: number | undefined; this.#head !== undefined && !signal.aborted; ) {
      if (told === this.#head) await this.#next(signal)
      else {
        told = this.#head
        yield { seq: told }
      }
    }
  }

  /** Called when a pull job of this person was made or moved, and when there is a connection again: what moved before was not told. */
  onJobs(listener: () => void): void {
    this.#jobListeners.add(listener)
  }

  /** The connection may be dead without a word, as after the machine slept: another one is opened. */
  reopen(): void {
    this.#turn.abort(new Error('the live connection is opened anew'))
  }

  async #listen(signal: AbortSignal, say: (message: string | null) => void): Promise<void> {
    say('connecting')
    this.#turn = new AbortController()
    for await (const event of this.#api.changes.live({}, { signal: AbortSignal.any([signal, this.#turn.signal]) })) {
      this.#reach.worked()
      say('connected')
      if (event.event === 'head') {
        const isFirst = this.#head === undefined
        this.#become(event.data.seq)
        if (isFirst) this.#tellJobs()
      } else this.#tellJobs()
    }
    signal.throwIfAborted()
    throw new Error('the server ended the live connection')
  }

  #tellJobs(): void {
    for (const listener of this.#jobListeners) listener()
  }

  #become(head: number | undefined): void {
    this.#head = head
    for (const wake of [...this.#waiting]) wake()
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }
}

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_FOUND'

const within = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

/** The change feed as it moves: every change after a cursor, in order, each page with the cursor behind it. */
import type { ChangeRecord } from '../../contract/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { LibraryEpoch } from '../../contract/shapes.ts'
import { isUnanswered } from '../client-error.ts'
import type { Api } from '../http/api.ts'
import { type Pause, pause as realPause } from '../http/pause.ts'
import { findFeedEnd, isOtherEpoch } from '../memory/feed.ts'

export interface FollowedPage {
  /** Oldest first. Each says what changed; `record` only with `expand`. */
  changes: ChangeRecord[]
  /** Keep it once these changes are dealt with: following from it goes on behind them. */
  cursor: number
  /** The library's history that the cursor is of, where the server says it. Keep it with the cursor. */
  epoch: string | undefined
  /** The feed does not reach back to the cursor, or the library has another history: whatever was made of it has to be loaded anew. */
  reset: boolean
}

export interface FollowingChanges {
  /** Where an earlier follower ended; without it, what changes from now on. */
  cursor?: number
  /** What that follower kept beside the cursor: where the library is another one by now, the first page is a reset. */
  epoch?: string
  /** Let each change bring what its own address would answer now. */
  expand?: boolean
  /** Ends it. */
  signal?: AbortSignal
  /** Told once when the server cannot be asked, and once when it can again. */
  tell?: (state: { away: Error } | 'back') => void
  pause?: Pause
}

type Calls = Pick<Api, 'changes' | 'lineages'>

/** Milliseconds: before the first try to reach a server again, the longest, and between two questions to a server without live events. */
const waits = { first: 1000, most: 60_000, clock: 10_000 }

/**
 * Pages of changes as they happen, within a second of each where the server has live events, else asked for every ten seconds. A server
 * that is away is waited for. A page may come twice where the caller did not keep its cursor; none is left out.
 *
 * Throws ApiError where the server refuses for good, and the reason of an aborted `signal`.
 */
export async function* followChanges(api: Calls, following: FollowingChanges = {}): AsyncGenerator<FollowedPage> {
  const { signal = new AbortController().signal, pause = realPause, tell = () => {} } = following
  const feed = new Feed(api, { ...following, signal })
  for (let isLive = true, waitMs = 0; ; ) {
    try {
      for await (const page of isLive ? feed.live() : feed.now()) {
        if (waitMs > 0) tell('back')
        waitMs = 0
        if (page) yield page
      }
      signal.throwIfAborted()
      await pause(isLive ? waits.first : waits.clock, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isLive && isWithoutLive(error)) isLive = false
      else if (!isPassing(error)) throw error
      else {
        if (waitMs === 0) tell({ away: error })
        waitMs = Math.min(Math.max(waitMs * 2, waits.first), waits.most)
        await pause(waitMs, signal)
      }
    }
  }
}

/** What came after a cursor. Undefined is told where the server answered that there is nothing. */
class Feed {
  readonly #api: Calls
  readonly #options: FollowingChanges
  #cursor: number | undefined
  #epoch: string | undefined

  constructor(api: Calls, options: FollowingChanges) {
    this.#api = api
    this.#options = options
    this.#cursor = options.cursor
    this.#epoch = options.epoch
  }

  /** Whenever the head moves; until the server ends the connection. */
  async *live(): AsyncGenerator<FollowedPage | undefined> {
    const { signal } = this.#options
    let isFirst = true
    for await (const event of this.#api.changes.live({}, { signal })) {
      if (event.event !== 'head') continue
      const { seq, library_epoch } = event.data
      this.#cursor ??= seq
      // Later ones may have waited here while newer pages were read.
      const isSetBack = this.#isOther(library_epoch) || (isFirst && seq < this.#cursor)
      isFirst = false
      if (isSetBack) yield this.#reset(seq)
      else if (seq > this.#cursor) yield* this.now()
      else yield undefined
    }
  }

  /** All that is there now. */
  async *now(): AsyncGenerator<FollowedPage | undefined> {
    const { expand = false, signal } = this.#options
    this.#cursor ??= (await findFeedEnd(this.#api))?.cursor ?? 0
    for (;;) {
      const question = { cursor: this.#cursor, expand, limit: limits.changesPage.max }
      const { changes, next_cursor, reset, library_epoch } = await this.#api.changes.list(question, { signal })
      if (this.#isOther(library_epoch)) yield this.#reset((await findFeedEnd(this.#api))?.cursor ?? next_cursor)
      else if (reset) yield this.#reset(next_cursor)
      else if (changes.length === 0) return yield undefined
      else {
        this.#cursor = next_cursor
        yield { changes, cursor: next_cursor, epoch: this.#epoch, reset }
      }
    }
  }

  /** Whether the library was set back; the first epoch that is heard of is the present one. */
  #isOther(epoch: LibraryEpoch | undefined): boolean {
    const isOther = isOtherEpoch(epoch, { epoch: this.#epoch })
    this.#epoch = epoch?.id ?? this.#epoch
    return isOther
  }

  #reset(cursor: number): FollowedPage {
    this.#cursor = cursor
    return { changes: [], cursor, epoch: this.#epoch, reset: true }
  }
}

const isWithoutLive = (error: unknown): boolean => error instanceof ApiError && [404, 405].includes(error.status)

const isPassing = (error: unknown): error is Error =>
  isUnanswered(error) || (error instanceof ApiError && (error.status >= 500 || error.status === 429))

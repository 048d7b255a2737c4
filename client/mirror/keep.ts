/**
 * Keeps a mirror as the library is, for as long as it is let: loads it where there is none, follows the feed, and asks as often as
 * someone looks. A live connection says when to ask; while it is away, asking goes on by the clock, and it is opened again with growing
 * pauses. One request is under way at a time, and what the server asks to wait for is waited for by the one who sends (client/http).
 */
import { ApiError } from '../../contract/errors.ts'
import { isUnanswered } from '../client-error.ts'
import type { Api } from '../http/api.ts'
import { type Pause, pause as realPause } from '../http/pause.ts'
import { followOnce } from './follow.ts'
import { type Fill, loadMirror } from './load/load.ts'
import type { LoadOptions } from './load/news.ts'
import { isDamaged, type Mirror } from './mirror.ts'
import { Wake } from './wake.ts'
import { waitToWrite } from './writing.ts'

export interface KeepOptions extends LoadOptions {
  signal: AbortSignal
  /** Begin with loading it anew; what is there serves meanwhile. */
  anew?: boolean
  /** Whether an editor is there now: its person sees changes soon. */
  hasEditor?: () => boolean
  /** How a new one is filled; by default here. */
  fill?: Fill
  /** Opens the server's live connection; where the server has none, it ends without a head. */
  live?: (signal: AbortSignal) => AsyncIterable<{ seq: number }>
}

const second = 1000
/** How often it is asked: with an editor; without one, from the first to the longest; beside a live connection. */
const every = { editor: 5 * second, idle: 10 * second, idleMost: 60 * second, live: 60 * second }
const failurePause = { first: 2 * second, most: 60 * second, mostWithEditor: 15 * second }
/** A server that says `reset` again and again is not listed again and again. */
const reloadPause = { first: 60 * second, most: 3600 * second }
const livePause = { first: second, most: 120 * second }

const grown = (ms: number, { first, most }: { first: number; most: number }): number => Math.min(Math.max(ms * 2, first), most)

/** Ends with the signal's reason; throws what asking again does not change, such as a key that is refused. */
export async function keepMirror(mirror: Mirror, api: Api, options: KeepOptions): Promise<never> {
  mirror.files.make()
  const lock = await waitToWrite(mirror, options.signal)
  const keeper = new Keeper(mirror, api, options)
  try {
    return await keeper.run()
  } finally {
    await keeper.end()
    lock.release()
  }
}

class Keeper {
  readonly #mirror: Mirror
  readonly #api: Api
  readonly #options: KeepOptions
  readonly #pause: Pause
  readonly #wake = new Wake()
  readonly #ending = new AbortController()
  #isLive = false
  #anew: boolean
  #idleMs = every.idle
  #failedMs = 0
  #reloadMs = 0
  /** Of the server as it runs now: one that was away may have been set back. */
  #isHistorySeen = false
  #live: Promise<void> | undefined

  constructor(mirror: Mirror, api: Api, options: KeepOptions) {
    this.#mirror = mirror
    this.#api = api
    this.#options = options
    this.#pause = options.pause ?? realPause
    this.#anew = options.anew ?? false
  }

  async run(): Promise<never> {
    const { signal } = this.#options
    this.#live = this.#keepLive(AbortSignal.any([signal, this.#ending.signal]))
    for (;;) {
      signal.throwIfAborted()
      const waitMs = await this.#turn()
      await this.#wake.within(waitMs, this.#pause, signal)
    }
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#live
  }

  /** Loads or follows; gives how long to wait before the next time. */
  async #turn(): Promise<number> {
    try {
      this.#wake.heard()
      if (this.#anew || !this.#mirror.db) await this.#load()
      this.#anew = false
      const { signal, now } = this.#options
      const {
        applied,
        reset,
        isSetBack = false,
      } = await followOnce(this.#mirror, this.#api, { signal, now, isHistorySeen: this.#isHistorySeen })
      this.#isHistorySeen = true
      this.#failedMs = 0
      if (reset) return await this.#reload(isSetBack)
      this.#reloadMs = 0
      return this.#interval(applied > 0)
    } catch (error) {
      return this.#failed(error)
    }
  }

  async #load(): Promise<void> {
    this.#mirror.standing = { state: 'loading', head: null }
    await loadMirror(this.#mirror, this.#api, this.#options)
  }

  /** At once the first time. Again right after it, the server does not keep what it says: then after longer and longer. */
  async #reload(isSetBack: boolean): Promise<number> {
    this.#options.tell?.({ kind: 'reset', isSetBack })
    this.#mirror.standing = { ...this.#mirror.standing, state: 'behind' }
    if (this.#reloadMs > 0) await this.#pause(this.#reloadMs, this.#options.signal)
    this.#reloadMs = grown(this.#reloadMs, reloadPause)
    await this.#load()
    return 0
  }

  #interval(isChanged: boolean): number {
    this.#idleMs = isChanged ? every.idle : Math.min(this.#idleMs * 1.5, every.idleMost)
    if (this.#isLive) return every.live
    return this.#options.hasEditor?.() ? every.editor : this.#idleMs
  }

  #failed(error: unknown): number {
    this.#options.signal.throwIfAborted()
    this.#isHistorySeen = false
    const { tell, hasEditor } = this.#options
    if (error instanceof ApiError && [401, 403].includes(error.status)) throw error
    if (isDamaged(error)) {
      this.#mirror.discard()
      this.#mirror.wasDamaged = true
      tell?.({ kind: 'damaged' })
      this.#failedMs = grown(this.#failedMs, { ...failurePause })
      return this.#failedMs
    }
    const reason = error instanceof Error ? error.message : String(error)
    const isAway = isTemporary(error)
    this.#mirror.standing = { ...this.#mirror.standing, state: isAway ? 'offline' : 'failed' }
    if (this.#failedMs === 0) tell?.({ kind: isAway ? 'offline' : 'failed', reason })
    const most = hasEditor?.() ? failurePause.mostWithEditor : failurePause.most
    this.#failedMs = grown(this.#failedMs, { first: failurePause.first, most })
    return this.#failedMs
  }

  /** Every head that is new wakes the loop. What went silent is opened again, for as long as this runs. */
  async #keepLive(signal: AbortSignal): Promise<void> {
    const { live } = this.#options
    for (let pauseMs = 0; live && !signal.aborted; ) {
      try {
        for await (const { seq } of live(signal)) {
          this.#isLive = true
          pauseMs = 0
          this.#mirror.standing = { ...this.#mirror.standing, head: seq }
          // There is a connection: what failed before need not wait any longer.
          if (seq !== this.#cursor() || this.#failedMs > 0) this.#wake.now()
        }
      } catch {}
      // Whatever came while nobody listened is asked for at once.
      if (this.#isLive) this.#wake.now()
      this.#isLive = false
      this.#isHistorySeen = false
      pauseMs = grown(pauseMs, livePause)
      await this.#pause(pauseMs, signal).catch(() => undefined)
    }
  }

  #cursor(): number | undefined {
    try {
      return this.#mirror.meta('cursor')
    } catch {
      return undefined
    }
  }
}

/** The server is away, or has no time. */
const isTemporary = (error: unknown): boolean =>
  isUnanswered(error) || (error instanceof ApiError && (error.status >= 500 || error.status === 429))

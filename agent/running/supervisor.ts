/** Runs the parts of the agent beside each other: one that fails is run again, after pauses that grow, and the others hear nothing of it. */
import { ClientError } from '../../client/client-error.ts'
import type { agentParts, PartReport } from '../../contract/agent.ts'

export type PartName = (typeof agentParts)[number]

/** One of the parts that the agent is made of: each goes on by itself, fails by itself, and is started again. */
export interface Part {
  name: PartName
  /** A pause ends it until someone resumes; sessions of editors go on. */
  canPause: boolean
  /**
   * Works until the signal ends it. What it throws is reported, and it is run again after a pause; so it is when it ends by itself.
   * `say`: what it does at present, for `ph agent status`.
   */
  run(signal: AbortSignal, say: (message: string | null) => void): Promise<void>
}

/** Pauses in milliseconds; a part that ran for so long begins with the first pause again. */
export interface Patience {
  firstMs: number
  mostMs: number
  steadyMs: number
  /** A pause that someone asked for ends when it was said to, also where the clock is set or the machine sleeps: so often that is looked at. */
  pauseLookMs: number
}

const usual: Patience = { firstMs: 1000, mostMs: 5 * 60_000, steadyMs: 60_000, pauseLookMs: 5000 }

/** A part that hangs does not hold up the end of the others. */
const endingMs = 15_000

/** Told of what goes wrong; says nothing about what to do, which is the supervisor's. */
export interface Watchers {
  failed(part: Part, error: unknown, again: { inMs: number }): void
  began(part: Part): void
}

interface Running {
  part: Part
  state: PartReport['state']
  message: string | null
  failures: number
  /** Of the present run, or the last one, by the clock that nobody sets. */
  startedMs: number
  nextTryAt: Date | null
  /** Ends the present run, or the wait for the next. */
  turn: AbortController
  ended: Promise<void>
}

/** Why a run ends before the part is stopped. */
const wake = Symbol('wake')

export class Supervisor {
  readonly #running: Running[] = []
  readonly #watchers: Watchers
  readonly #patience: Patience
  readonly #stopping = new AbortController()
  #pausedUntil: Date | undefined
  #isPaused = false
  #resuming: NodeJS.Timeout | undefined

  constructor(watchers: Watchers, patience: Partial<Patience> = {}) {
    this.#watchers = watchers
    this.#patience = { ...usual, ...patience }
  }

  start(parts: readonly Part[]): void {
    for (const part of parts) {
      const one: Running = {
        part,
        state: 'running',
        message: null,
        failures: 0,
        startedMs: performance.now(),
        nextTryAt: null,
        turn: new AbortController(),
        ended: Promise.resolve(),
      }
      one.ended = this.#keepRunning(one)
      this.#running.push(one)
    }
  }

  /** Undefined: until someone resumes. */
  pause(until: Date | undefined): void {
    clearTimeout(this.#resuming)
    this.#isPaused = true
    this.#pausedUntil = until
    if (until) this.#resumeAt(until)
    for (const { part, turn } of this.#running) if (part.canPause) turn.abort(wake)
  }

  #resumeAt(until: Date): void {
    const leftMs = until.getTime() - Date.now()
    if (leftMs <= 0) this.resume()
    else this.#resuming = setTimeout(() => this.#resumeAt(until), Math.min(leftMs, this.#patience.pauseLookMs))
  }

  /** Also tries at once what waits after a failure. */
  resume(): void {
    clearTimeout(this.#resuming)
    this.#isPaused = false
    this.#pausedUntil = undefined
    for (const { state, turn } of this.#running) if (state !== 'running') turn.abort(wake)
  }

  /** What waits after a failure is tried at once: what it failed for may be over. */
  retryNow(): void {
    for (const { state, turn } of this.#running) if (state === 'waiting') turn.abort(wake)
  }

  get paused(): { until: Date | undefined } | undefined {
    return this.#isPaused ? { until: this.#pausedUntil } : undefined
  }

  reports(): PartReport[] {
    return this.#running.map((one) => ({
      name: one.part.name,
      state: one.state,
      message: one.message,
      failures: one.state === 'running' && this.#isSteady(one) ? 0 : one.failures,
      next_try_at: one.nextTryAt?.toISOString() ?? null,
    }))
  }

  /** It ran, or has run, for a while: what failed before is forgotten. */
  readonly #isSteady = ({ startedMs }: Running): boolean => performance.now() - startedMs > this.#patience.steadyMs

  /** Resolves when every part has ended, or when its time is over; gives those that had not ended by then. */
  async stop(limitMs = endingMs): Promise<Part['name'][]> {
    clearTimeout(this.#resuming)
    this.#stopping.abort()
    for (const { turn } of this.#running) turn.abort()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, limitMs)
    await Promise.race([Promise.all(this.#running.map(({ ended }) => ended)), late])
    clearTimeout(timer)
    return this.#running.flatMap(({ part, state }) => (state === 'stopped' ? [] : part.name))
  }

  async #keepRunning(one: Running): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      one.turn = new AbortController()
      if (this.#isPaused && one.part.canPause) {
        Object.assign(one, { state: 'paused', message: null })
        await aborted(one.turn.signal)
      } else await this.#runOnce(one)
    }
    one.state = 'stopped'
  }

  async #runOnce(one: Running): Promise<void> {
    const { part, turn } = one
    Object.assign(one, { state: 'running', message: null, startedMs: performance.now(), nextTryAt: null })
    this.#watchers.began(part)
    const say = (message: string | null) => {
      if (one.turn === turn) one.message = message
    }
    try {
      await part.run(turn.signal, say)
      if (!turn.signal.aborted) throw new Error(`the part ${part.name} ended by itself`)
    } catch (error) {
      if (turn.signal.aborted) return
      if (this.#isSteady(one)) one.failures = 0
      await this.#waitAfter(one, error)
    }
  }

  async #waitAfter(one: Running, error: unknown): Promise<void> {
    const { firstMs, mostMs } = this.#patience
    const inMs = Math.min(mostMs, firstMs * 2 ** one.failures) * (0.8 + 0.4 * Math.random())
    one.failures++
    Object.assign(one, {
      state: 'waiting',
      message: messageOf(error),
      nextTryAt: new Date(Date.now() + inMs),
    })
    this.#watchers.failed(one.part, error, { inMs })
    one.turn = new AbortController()
    if (this.#stopping.signal.aborted) return
    const timer = setTimeout(() => one.turn.abort(wake), inMs)
    await aborted(one.turn.signal)
    clearTimeout(timer)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof ClientError ? `${error.message} ${error.next}` : error instanceof Error ? error.message : String(error)

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** One editor session at the server, kept alive: said again and again, and at once when something about it is new. */
import type { editorSessions } from '../../contract/editor-sessions.ts'
import type { InputOf } from '../../contract/route.ts'

export type Heartbeat = InputOf<(typeof editorSessions)['heartbeat']>

export interface Beating {
  /** As it is now. */
  heartbeat(): Heartbeat
  say(heartbeat: Heartbeat): Promise<Next>
  /** What to do after a failure. Never throws. */
  failed(error: unknown): Next
}

/** When it is said again; with `isRefused` not before that, whatever is new. */
export interface Next {
  inMs: number
  isRefused?: boolean
}

export class KeptSession {
  readonly #beating: Beating
  #timer: NodeJS.Timeout | undefined
  #under: Promise<void> | undefined
  #isAsked = false
  #isEnded = false
  #isRefused = false
  #said: Heartbeat | undefined

  constructor(beating: Beating) {
    this.#beating = beating
    this.beat()
  }

  /** Now, or when the one that is on its way has been answered. */
  beat(): void {
    if (this.#isEnded || this.#isRefused) return
    if (this.#under) this.#isAsked = true
    else this.#under = this.#beat()
  }

  /** As `beat`, where what it would say is not what it said last: each of fifty projects hears of what happens in one of them. */
  beatNews(): void {
    if (this.#isNews()) this.beat()
  }

  #isNews(): boolean {
    try {
      return JSON.stringify(this.#beating.heartbeat()) !== JSON.stringify(this.#said)
    } catch {
      return true
    }
  }

  /** Gives the session that the server knows of, if any, when nothing is on its way any more. */
  async end(): Promise<string | undefined> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.#under
    return this.#said?.session_id
  }

  #beatAgain(): void {
    this.#isRefused = false
    this.beat()
  }

  async #beat(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isAsked = false
    const { inMs, isRefused = false } = await this.#say().catch((error: unknown) => this.#beating.failed(error))
    this.#under = undefined
    if (this.#isEnded) return
    this.#isRefused = isRefused
    if (this.#isAsked && !isRefused) this.beat()
    else this.#timer = setTimeout(() => this.#beatAgain(), inMs)
  }

  async #say(): Promise<Next> {
    const heartbeat = this.#beating.heartbeat()
    this.#said = heartbeat
    return this.#beating.say(heartbeat)
  }
}

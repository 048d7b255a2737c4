/** Whether the server is reached, and who the agent is there: learnt from what its parts meet. */
import { isUnanswered } from '../client/client-error.ts'
import type { Api } from '../client/http/api.ts'
import { ApiError } from '../contract/errors.ts'
import type { UserStub } from '../contract/shapes.ts'

export type Reached = 'unknown' | 'online' | 'offline' | 'signed_out'

/** While it is away: every part may wait for minutes by then, and this one question tells all of them that it is back. */
const usualAskAgainMs = 15_000

export class Reach {
  readonly #api: Api
  readonly #changed: (state: Reached) => void
  #state: Reached = 'unknown'
  #person: UserStub | null = null
  readonly #askAgainMs: number
  #asking = false
  #askingAgain: NodeJS.Timeout | undefined

  constructor(api: Api, changed: (state: Reached) => void, askAgainMs = usualAskAgainMs) {
    this.#api = api
    this.#changed = changed
    this.#askAgainMs = askAgainMs
  }

  get state(): Reached {
    return this.#state
  }

  /** Null until the server has said it. */
  get person(): UserStub | null {
    if (!this.#person) this.ask()
    return this.#person
  }

  /** The server answered someone. */
  worked(): void {
    this.#become('online')
  }

  /** What went wrong may say that it is away, or that the key is not valid any more. */
  failed(error: unknown): void {
    if (isUnanswered(error)) this.#become('offline')
    else if (error instanceof ApiError && error.code === 'UNAUTHORIZED') this.#become('signed_out')
    else if (error instanceof ApiError) this.#become('online')
  }

  /** Asks who it is, without anybody waiting for that. */
  ask(): void {
    if (this.#asking) return
    this.#asking = true
    this.#api.members
      .me()
      .then(({ id, name, display_name }) => {
        this.#person = { id, name, display_name }
        this.worked()
      })
      .catch((error: unknown) => this.failed(error))
      .finally(() => {
        this.#asking = false
      })
  }

  close(): void {
    clearInterval(this.#askingAgain)
  }

  #become(state: Reached): void {
    if (state === this.#state) return
    this.#state = state
    clearInterval(this.#askingAgain)
    if (state === 'offline') this.#askingAgain = setInterval(() => this.ask(), this.#askAgainMs).unref()
    this.#changed(state)
  }
}

/** Whether the server is reached, and who the agent is there: learnt from what its parts meet. */
import { ClientError } from '../client/client-error.ts'
import type { Api } from '../client/http/api.ts'
import { ApiError } from '../contract/errors.ts'
import type { UserStub } from '../contract/shapes.ts'

export type Reached = 'unknown' | 'online' | 'offline' | 'signed_out'

export class Reach {
  readonly #api: Api
  readonly #changed: (state: Reached) => void
  #state: Reached = 'unknown'
  #person: UserStub | null = null
  #asking = false

  constructor(api: Api, changed: (state: Reached) => void) {
    this.#api = api
    this.#changed = changed
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
    if (error instanceof ClientError && (error.code === 'UNREACHABLE' || error.code === 'ANSWER_CUT')) this.#become('offline')
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

  #become(state: Reached): void {
    if (state === this.#state) return
    this.#state = state
    this.#changed(state)
  }
}

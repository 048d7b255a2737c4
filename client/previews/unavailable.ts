/** Tells the library which versions can have no preview: many in one call, and one by one where a server does not know that question. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'
import { answerOf, type Sent } from './sender.ts'

interface VersionOf {
  entry_id: number
  object_id: number
}

interface Waiting {
  version: VersionOf
  answered: (sent: Sent) => void
}

/** What servers say of a route that they do not have. */
const noSuchRoute = new Set([404, 405])

export class UnavailablePreviews {
  readonly #media: Pick<Api['media'], 'unavailable' | 'unavailableMany'>
  #waiting: Waiting[] = []
  #takesMany = true

  constructor(media: Pick<Api['media'], 'unavailable' | 'unavailableMany'>) {
    this.#media = media
  }

  /** The answer comes later. Throws what is wrong with more than one version. */
  async add(version: VersionOf, answered: Waiting['answered']): Promise<void> {
    this.#waiting.push({ version, answered })
    if (this.#waiting.length === limits.mediaPresign.items) await this.flush()
  }

  /** Tells what waits. */
  async flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length === 0 || (await this.#tellTogether(waiting))) return
    for (const { version, answered } of waiting) answered(await answerOf(() => this.#media.unavailable(version)))
  }

  /** False where the server does not know how. */
  async #tellTogether(waiting: readonly Waiting[]): Promise<boolean> {
    if (!this.#takesMany) return false
    try {
      const { not_current } = await this.#media.unavailableMany({ items: waiting.map(({ version }) => version) })
      const moved = new Set(not_current.map(({ object_id }) => object_id))
      for (const { version, answered } of waiting) answered({ outcome: moved.has(version.object_id) ? 'moved' : 'taken' })
      return true
    } catch (error) {
      if (!(error instanceof ApiError && noSuchRoute.has(error.status))) throw error
      this.#takesMany = false
      return false
    }
  }
}

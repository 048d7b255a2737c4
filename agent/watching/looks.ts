/** Questions about the files of one project. */
import { isUnanswered } from '../../client/client-error.ts'
import { type Api, createApi } from '../../client/http/api.ts'
import { openWire } from '../../client/http/open-http.ts'
import type { FileLock, StatusReport } from '../../client/status/report.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Look } from './look-orders.ts'
import type { LookProcess } from './look-process.ts'

export class Looks {
  readonly #lookProcess: LookProcess
  readonly #wire: Surroundings['wire']
  readonly #root: string

  constructor(lookProcess: LookProcess, { wire }: Pick<Surroundings, 'wire'>, root: string) {
    this.#lookProcess = lookProcess
    this.#wire = wire
    this.#root = root
  }

  take = (look: Look, signal?: AbortSignal): Promise<StatusReport> =>
    this.#lookProcess.order('status', this.#root, { given: look, signal })

  /** How far this project followed the change feed. */
  cursor = (): Promise<number | undefined> => this.#lookProcess.order('cursor', this.#root, { given: undefined })

  filesOf = (lineageIds: ReadonlySet<string>): Promise<string[]> =>
    this.#lookProcess.order('filesOf', this.#root, { given: lineageIds })

  /** Who has which file of the project, those `differing` from memory included. */
  locks = (differing: (readonly [file: string, lineageId: string | null])[], signal: AbortSignal): Promise<FileLock[]> =>
    this.#lookProcess.order('locks', this.#root, { given: differing, signal })

  fileOfPackage = (name: string): Promise<string | undefined> =>
    this.#lookProcess.order('fileOfPackage', this.#root, { given: name })

  /** A connection for one question: one that is kept would go on trying for minutes while the server is away. */
  async ask<T>(question: (api: Api) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const http = openWire({ ...this.#wire, ...(signal ? { signal } : {}) }, () => {})
    try {
      return await question(createApi(http))
    } finally {
      await http.close('destroy')
    }
  }
}

/** The server does not answer, or not this key any more: what is known of it counts until it does. */
export const isAway = (error: unknown): boolean =>
  isUnanswered(error) || (error instanceof ApiError && error.code === 'UNAUTHORIZED')

/** What this machine could not make of a version: remembered, so that no push and no worker tries it for ever. */
import { makerVersion } from '../../previews/threads/media-order.ts'
import { ClientError } from '../client-error.ts'
import { type Folders, givenUpFile } from '../folders.ts'
import { type Layout, StateFile } from '../memory/state-file.ts'

/** Where it is made. A push has what lies beside a file, a worker has not: what one gives up the other may make. */
export type Tier = 'push' | 'worker'
export type Part = 'preview' | 'thumbnail'

const layout: Layout = { version: 1, schema: new URL('./given-up.sql', import.meta.url), tables: ['given_up'] }
/** A file that took too long or too much memory may have had bad luck once. */
export const mostTries = 2

export class GivenUp {
  readonly #state: StateFile
  readonly #tier: Tier

  /** Throws ClientError `STATE_UNUSABLE`. */
  constructor(folders: Folders, address: string, tier: Tier) {
    this.#tier = tier
    const path = givenUpFile(folders, address)
    const unusable = (reason: string, cause: unknown) =>
      new ClientError('STATE_UNUSABLE', `What ph remembers of previews cannot be kept in ${path}: ${reason}.`, { cause })
    this.#state = new StateFile(path, { layout, unusable })
  }

  has(hash: string, what: Part): boolean {
    const query = 'select 1 from given_up where hash = ? and what = ? and maker = ? and tries >= ?'
    return this.#state.guard(
      () => this.#state.db.prepare(query).pluck().get(hash, this.#rowOf(what), makerVersion, mostTries) === 1,
    )
  }

  /** `isFinal`: another try would end alike. Gives whether it is given up by now. */
  add(hash: string, what: Part, { reason, isFinal }: { reason: string; isFinal: boolean }): boolean {
    const add = this.#state.db.prepare<[string, string, string, number, string]>(`
      insert into given_up (hash, what, maker, tries, reason) values (?, ?, ?, ?, ?)
      on conflict (hash, what) do update set reason = excluded.reason, maker = excluded.maker,
        tries = case when maker = excluded.maker then tries + excluded.tries else excluded.tries end`)
    this.#state.write(() => add.run(hash, this.#rowOf(what), makerVersion, isFinal ? mostTries : 1, reason))
    return this.has(hash, what)
  }

  #rowOf = (what: Part): string => `${what} by ${this.#tier}`

  close(): void {
    this.#state.close()
  }
}

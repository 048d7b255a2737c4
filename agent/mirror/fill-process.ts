/** Fills a new mirror from the library, in a process of its own: it takes three times what the agent takes at rest. */
import type { Folders } from '../../client/folders.ts'
import type { Fill } from '../../client/mirror/load/load.ts'
import type { MirrorNews } from '../../client/mirror/load/news.ts'
import { OrderProcess } from '../running/order-process.ts'

/** What goes from process to process: no functions. */
export interface FillWire {
  url: string
  key: string
  folders: Folders
}

export class FillProcess {
  readonly #wire: FillWire
  readonly #process = new OrderProcess('./fill-worker', { from: import.meta.url, what: 'fills the mirror' })

  constructor({ url, key, folders }: FillWire) {
    this.#wire = { url, key, folders }
  }

  /** Throws as it does here. */
  readonly fill: Fill = async (_mirror, _api, { signal, tell }) => {
    const hear = (news: unknown) => tell?.(news as MirrorNews)
    return (await this.#process.order('fill', this.#wire, { signal, tell: hear })) as number
  }

  close(): void {
    this.#process.close()
  }
}

/** `@prop-house/client/mirror`: the catalog of a workspace in a SQLite file of this machine, which answers without the server. */
import type { MirrorReport } from '../../contract/agent-mirror.ts'
import type { Api } from '../http/api.ts'
import type { Wire } from '../http/open-http.ts'
import { keepMirror } from '../mirror/keep.ts'
import type { LoadOptions } from '../mirror/load/news.ts'
import { type Mirror, openMirror } from '../mirror/mirror.ts'
import { offlineApi } from '../mirror/offline-api.ts'
import { mirrorReport } from '../mirror/report.ts'
import { updateMirror } from '../mirror/update.ts'

export type { MirrorReport } from '../../contract/agent-mirror.ts'
export type { LoadOptions, MirrorNews } from '../mirror/load/news.ts'

/** The one that `ph` and the desktop agent use, too. One process writes it at a time, any number read. */
export class CatalogMirror {
  readonly #mirror: Mirror
  /**
   * The calls that it answers, in the shape in which a server answers them: `entries.list`, `facets`, `get`, `find`; `lineages`; `locks.list`;
   * `packs.list`; `collections.list`; `members.me`. All others throw ClientError `NOT_OFFLINE`; before it was loaded, `NO_MIRROR`.
   */
  readonly api: Api

  /** Makes nothing on the disk. */
  constructor({ url, folders }: Pick<Wire, 'url' | 'folders'>) {
    this.#mirror = openMirror(folders, url)
    this.api = offlineApi(this.#mirror)
  }

  /**
   * Brings it up to date by the change feed, or loads it where there is none; `anew` loads it in any case. Throws ClientError `MIRROR_BUSY`
   * where another process keeps it (the desktop agent does), `MIRROR_UNUSABLE` for a full disk, and what calls throw.
   */
  update(api: Api, options: LoadOptions & { anew?: boolean } = {}): Promise<void> {
    return updateMirror(this.#mirror, api, options)
  }

  /** Keeps it up to date until `signal` is aborted, whose reason it throws. Waits for another process that keeps it to end. */
  keep(api: Api, options: LoadOptions & { signal: AbortSignal }): Promise<never> {
    return keepMirror(this.#mirror, api, { ...options, live: (signal) => headsOf(api, signal) })
  }

  /** How it stands to the library: entries, position in the feed, age in seconds. */
  report(): MirrorReport {
    return mirrorReport(this.#mirror)
  }

  close(): void {
    this.#mirror.close()
  }
}

async function* headsOf(api: Api, signal: AbortSignal): AsyncGenerator<{ seq: number }> {
  for await (const event of api.changes.live({}, { signal })) if (event.event === 'head') yield event.data
}

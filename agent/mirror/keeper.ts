/** Keeps the mirror of the catalog as the library is, and answers editors and assistants from it. */
import { ClientError } from '../../client/client-error.ts'
import { keepMirror } from '../../client/mirror/keep.ts'
import type { MirrorNews } from '../../client/mirror/load/news.ts'
import { type Mirror, openMirror } from '../../client/mirror/mirror.ts'
import { offlineApi } from '../../client/mirror/offline-api.ts'
import { mirrorReport } from '../../client/mirror/report.ts'
import { Thumbnails } from '../../client/mirror/thumbnails.ts'
import type { MirrorReport } from '../../contract/agent-mirror.ts'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { LiveFeed } from '../live/live-feed.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import { FillProcess } from './fill-process.ts'

export class MirrorKeeper implements Part {
  readonly name = 'mirror'
  readonly canPause = true
  readonly #around: Surroundings
  readonly #live: LiveFeed
  readonly #mirror: Mirror
  readonly #thumbnails: Thumbnails
  /** Ends the present keeping, to begin with a new one. */
  #turn = new AbortController()
  #isWanted = false
  #isRunning = false
  readonly #filling: FillProcess

  constructor(around: Surroundings, live: LiveFeed) {
    const { folders, url } = around.wire
    this.#around = around
    this.#live = live
    this.#mirror = openMirror(folders, url)
    this.#filling = new FillProcess(around.wire)
    this.#thumbnails = new Thumbnails(this.#mirror, folders)
  }

  async run(signal: AbortSignal, say: (message: string | null) => void): Promise<void> {
    this.#isRunning = true
    try {
      await this.#keep(signal, say)
    } finally {
      this.#isRunning = false
      // While it is paused, or waits after a failure, nobody knows.
      const { standing } = this.#mirror
      if (standing.state !== 'failed') this.#mirror.standing = { ...standing, state: 'offline' }
    }
  }

  async #keep(signal: AbortSignal, say: (message: string | null) => void): Promise<void> {
    const { api, reach, projects, log } = this.#around
    const tell = (news: MirrorNews) => {
      if (news.kind === 'loaded') reach.worked()
      if (news.kind !== 'loading') log.info(newsWords(news))
      say(news.kind === 'loading' ? newsWords(news) : null)
    }
    for (;;) {
      this.#turn = new AbortController()
      const ending = AbortSignal.any([signal, this.#turn.signal])
      const anew = this.#isWanted
      this.#isWanted = false
      try {
        const hasEditor = () => projects.editors.list().length > 0
        const live = (until: AbortSignal) => this.#live.heads(until)
        await keepMirror(this.#mirror, api, { signal: ending, tell, anew, hasEditor, live, fill: this.#filling.fill })
      } catch (error) {
        if (signal.aborted || !this.#turn.signal.aborted) throw error
      }
    }
  }

  report(): MirrorReport {
    return mirrorReport(this.#mirror)
  }

  /** Begins at once, or when a pause is over; what is there serves until the new one is loaded. */
  rebuild(): MirrorReport {
    this.#isWanted = true
    this.#turn.abort()
    return this.#isRunning ? { ...this.report(), state: 'loading' } : this.report()
  }

  async search(q: string | undefined, limit: number | undefined): Promise<{ entries: EntrySummary[]; total: number }> {
    const question = { ...(q === undefined ? {} : { q }), ...(limit === undefined ? {} : { limit }) }
    const { entries, total } = await offlineApi(this.#mirror).entries.list(question).catch(withoutMirror)
    return { entries, total: total ?? entries.length }
  }

  /** The file of its picture, which is fetched where it was not looked at before. */
  async thumbnail(entryId: number): Promise<string> {
    const { api, http } = this.#around
    const file = await this.#thumbnails.of(entryId, { source: { api, http } }).catch(withoutMirror)
    if (file === undefined) throw new ApiError('NOT_FOUND', `Entry ${entryId} has no picture.`)
    return file
  }

  close(): void {
    this.#filling.close()
    this.#mirror.close()
  }
}

function newsWords(news: MirrorNews): string {
  if (news.kind === 'loading') return `loading: ${news.entries}${news.total === undefined ? '' : ` of ${news.total}`} entries`
  if (news.kind === 'cut') return `mirror: the export was cut after ${news.entries} entries, and goes on behind them`
  if (news.kind === 'pages') return 'mirror: the library is read page by page'
  if (news.kind === 'loaded') return `mirror: loaded, ${news.entries} entries`
  if (news.kind === 'reset') {
    const why = news.isSetBack ? 'the library was set back to an earlier state' : 'the change feed does not reach back so far'
    return `mirror: ${why}; it is loaded anew`
  }
  if (news.kind === 'damaged') return 'mirror: its file was damaged; it is loaded anew'
  return `mirror: ${news.reason}`
}

/** Without a mirror there is nothing to answer from. */
function withoutMirror(error: unknown): never {
  if (error instanceof ClientError && error.code === 'NO_MIRROR')
    throw new ApiError('UNAVAILABLE', 'The mirror is being loaded for the first time. Ask again in a moment.')
  throw error
}

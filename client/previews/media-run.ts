/** Makes what is wanted of some versions and sends it: in threads, with as much in memory as a few files take. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { isCertain, type Lack, type MadeMedia, type NeededFiles } from '../../previews/threads/media-order.ts'
import { SourceThreads } from '../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import type { Api } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import type { GivenUp, Part, Tier } from './given-up.ts'
import type { MediaJob } from './media-jobs.ts'
import { emptyReport, type MediaReport } from './report.ts'
import { type MediaFile, MediaSender, type Sent } from './sender.ts'
import { UnavailablePreviews } from './unavailable.ts'

/** A version whose file is here. */
export interface MediaFileJob extends MediaJob {
  path: string
  /** Files that it needs; without them they are looked for beside it. */
  needed?: NeededFiles
}

export interface MediaRunParts {
  http: Http
  api: Api
  givenUp: GivenUp
  signal?: AbortSignal | undefined
  tier: Tier
  /** Ended with it; by default its own. */
  threads?: SourceThreads | undefined
  /** Told of each version once nothing is left to be done for it. */
  onDone?: (wanted: MediaJob) => void
}

/** Beside each other; two cores are kept busy by two, and more of them would take more memory. */
const makersAtOnce = 2
/** From here on a file is made alone: its pixels or corners may take some hundred MiB. */
const largeBytes = 8 * 1024 * 1024

export const makerThreads = (): SourceThreads => new SourceThreads({ threads: makersAtOnce })

export class MediaRun {
  readonly report: MediaReport = emptyReport()
  readonly #parts: MediaRunParts
  readonly #threads: SourceThreads
  readonly #sender: MediaSender
  readonly #unavailable: UnavailablePreviews
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #lanes = pLimit(makersAtOnce + 1)
  readonly #large = pLimit(1)

  constructor(parts: MediaRunParts) {
    this.#parts = parts
    const { http, api, tier, signal, threads } = parts
    this.#signal = signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal
    this.#threads = threads ?? makerThreads()
    this.#sender = new MediaSender({ http, api, tier, signal: this.#signal })
    this.#unavailable = new UnavailablePreviews(api.media)
  }

  /** All are made and sent. Throws what concerns more than one of them, and the reason of the signal. */
  async take(files: readonly MediaFileJob[]): Promise<void> {
    const all = files.map((one) =>
      this.#lanes(() => (one.size > largeBytes ? this.#large(() => this.#take(one)) : this.#take(one))),
    )
    const failed = (await Promise.allSettled(all)).find((end) => end.status === 'rejected')
    // What was found out is told also when something else was refused, and not where nobody answers.
    if (!failed || isAnswered(this.#stopping.signal.reason)) await this.#unavailable.flush()
    if (failed) throw this.#stopping.signal.reason ?? failed.reason
    await this.#sender.flush()
  }

  async end(): Promise<void> {
    this.#stopping.abort(new Error('the run has ended'))
    await this.#threads.end()
  }

  async #take(one: MediaFileJob): Promise<void> {
    this.#signal.throwIfAborted()
    try {
      const { path, fileName: name, hash, preview, thumbnail, needed } = one
      const order = { want: 'media', path, name, hash, preview, thumbnail, ...(needed && { needed }) } as const
      const answer = await this.#threads.run(order, this.#signal)
      await this.#send(one, answer)
    } catch (error) {
      // The first failure that is not of one file ends the run; the others follow from it.
      if (!this.#signal.aborted) this.#stopping.abort(error)
      throw error
    }
  }

  async #send(one: MediaJob, answer: SourceAnswer): Promise<void> {
    if (answer.kind !== 'media') {
      this.#parts.onDone?.(one)
      if (answer.kind === 'failed' && answer.reason === 'ENOENT') return void this.report.left++
      const failed = answer.kind === 'failed' ? answer : { reason: 'ended', message: 'The thread gave another answer.' }
      return this.#fail(one, failed, { isFinal: false })
    }
    const { media } = answer
    const files = filesOf(one, media)
    const impossible = media.lacks && this.#lacks(one, media, media.lacks)
    let open = files.length + (impossible ? 1 : 0)
    if (open === 0) this.#parts.onDone?.(one)
    const close = () => {
      open--
      if (open === 0) this.#parts.onDone?.(one)
    }
    if (impossible)
      await this.#unavailable.add({ entry_id: one.entryId, object_id: one.objectId }, (sent) => {
        if (sent.outcome === 'moved') this.report.left++
        else this.report.unavailable.push({ ...remark(one), ...impossible })
        close()
      })
    for (const file of files)
      await this.#sender.add(file, (sent) => {
        this.#answered(one, { file, sent, media })
        close()
      })
  }

  #answered(one: MediaJob, { file, sent, media }: { file: MediaFile; sent: Sent; media: MadeMedia }): void {
    const isThumbnail = file.kind === 'thumbnail'
    if (sent.outcome === 'moved') this.report.left++
    else if (sent.outcome === 'refused')
      this.#fail(
        one,
        { reason: 'refused', message: sent.message },
        { isFinal: true, parts: [isThumbnail ? 'thumbnail' : 'preview'] },
      )
    else if (isThumbnail) this.report.thumbnails++
    else {
      this.report.made++
      const { reduced = [] } = media.preview ?? {}
      if (reduced.length > 0) this.report.reduced.push({ ...remark(one), message: reduced.join(' ') })
    }
  }

  /** Why there can be no preview. That lies in the bytes, and the library is told; what does not is not its business. */
  #lacks(one: MediaJob, media: MadeMedia, { reason, message }: Lack): Lack | undefined {
    if (reason === 'changed') return void this.report.left++
    const certain = isCertain({ reason, message })
    if (one.thumbnail && media.thumbnail === undefined && certain)
      this.#parts.givenUp.add(one.hash, 'thumbnail', { reason: message, isFinal: true })
    if (!one.preview) return undefined
    if (certain) return { reason, message }
    this.#fail(one, { reason, message }, { isFinal: true, parts: ['preview'] })
    return undefined
  }

  #fail(
    one: MediaJob,
    { reason, message }: { reason: string; message: string },
    how: { isFinal: boolean; parts?: Part[] },
  ): void {
    const { isFinal, parts = partsOf(one) } = how
    const given = parts.map((part) => this.#parts.givenUp.add(one.hash, part, { reason: message, isFinal }))
    this.report.failed.push({ ...remark(one), reason, message, given_up: given.every(Boolean) })
  }
}

const isAnswered = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429

const remark = ({ entryId, name }: MediaJob) => ({ entry_id: entryId, name })

const partsOf = ({ preview, thumbnail }: MediaJob): Part[] => [
  ...(preview ? (['preview'] as const) : []),
  ...(thumbnail ? (['thumbnail'] as const) : []),
]

function filesOf({ entryId, objectId }: MediaJob, { preview, thumbnail }: MadeMedia): MediaFile[] {
  const files: MediaFile[] = preview ? [{ entryId, objectId, kind: preview.kind, bytes: preview.bytes }] : []
  return thumbnail ? [...files, { entryId, objectId, kind: 'thumbnail', bytes: thumbnail }] : files
}

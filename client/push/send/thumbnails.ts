/** Brings the pictures of pushed files to the library: many at once through presigned addresses, few by a call each. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import type { PresignedTarget } from '../../../contract/media.ts'
import { systemCode } from '../../client-error.ts'
import type { Api } from '../../http/api.ts'
import { bodyOf } from '../../http/body.ts'
import { DirectMedia } from '../../http/direct-media.ts'
import { isOfOneBody } from '../../http/failures/foreign-answer.ts'
import type { Http } from '../../http/http.ts'
import type { TellPush } from '../../progress.ts'
import { type Problem, problem } from '../../project/problem.ts'
import { pathOf, type SendableFile } from '../../project/project-file.ts'
import { makeThumbnail } from '../../project/thumbnail.ts'

/** A version that lacks its picture. */
export interface ThumbnailJob {
  entryId: number
  objectId: number
  file: SendableFile
}

export interface ThumbnailResult {
  uploaded: number
  /** By content hash: nothing more can be done for these. */
  done: Set<string>
  problems: Problem[]
}

const uploadsAtOnce = 8
/** Pictures in memory at once, of each of two groups: one is made while the other is sent. */
const groupSize = 256
const groupsAtOnce = 2
/** Source pictures are read whole; a few large ones at once would not fit into memory. */
const largeSourceBytes = 8 * 1024 * 1024

export class ThumbnailUploader {
  readonly result: ThumbnailResult = { uploaded: 0, done: new Set(), problems: [] }
  readonly #parts: { api: Api; root: string; tell: TellPush; signal?: AbortSignal }
  readonly #direct: DirectMedia
  readonly #making = pLimit(Math.min(availableParallelism(), 4))
  readonly #makingLarge = pLimit(1)
  readonly #sending = pLimit(uploadsAtOnce)
  readonly #groups = pLimit(groupsAtOnce)
  #total = 0
  #handled = 0

  constructor(parts: { http: Http; api: Api; root: string; tell: TellPush; signal?: AbortSignal }) {
    this.#parts = parts
    this.#direct = new DirectMedia({ ...parts, mayBeOfOne })
  }

  /** Makes and sends the pictures of some versions. A picture that fails is named and does not fail the others. */
  async sendAll(jobs: readonly ThumbnailJob[]): Promise<void> {
    if (jobs.length === 0) return
    this.#total += jobs.length
    const groups = Array.from({ length: Math.ceil(jobs.length / groupSize) }, (_, at) =>
      jobs.slice(at * groupSize, (at + 1) * groupSize),
    )
    const sent = await this.#groups.map(groups, (group) => this.#sendGroup(group))
    await this.#finalize(sent.flat())
  }

  /** Made before addresses are asked for, because an address is for one size. */
  async #sendGroup(jobs: readonly ThumbnailJob[]): Promise<Sent[]> {
    const made = await Promise.all(
      jobs.map(async (job) => {
        const large = job.file.facts.kind === 'source' && job.file.size > largeSourceBytes
        const png = await (large ? this.#makingLarge : this.#making)(() => this.#make(job.file))
        if (png) return [{ job, png }]
        this.#handle()
        return []
      }),
    )
    const pictures = made.flat()
    const targets = await this.#direct.presign(pictures.map(placeOf))
    const sent = await Promise.all(pictures.map((picture, index) => this.#send(picture, targets[index])))
    return sent.filter((one) => one !== undefined)
  }

  async #send({ job, png }: Picture, target: PresignedTarget | undefined): Promise<Sent | undefined> {
    return this.#sending(async () => {
      const bytes = bodyOf(png)
      const { api } = this.#parts
      try {
        if (!target)
          await api.media.putThumbnail({ entry_id: job.entryId, object_id: job.objectId, bytes, contentType: 'image/png' })
        else await this.#direct.store(target, bytes)
      } catch (error) {
        return this.#fail(job, error, target ? 'store' : 'library')
      }
      if (target) return { job, target }
      this.#finish(job)
      return undefined
    })
  }

  async #make(file: SendableFile): Promise<Buffer | undefined> {
    this.#parts.signal?.throwIfAborted()
    const path = pathOf(file)
    try {
      const made = await makeThumbnail(join(this.#parts.root, path), file)
      if ('png' in made) return made.png
      if ('none' in made) {
        this.result.done.add(file.hash)
        this.#name(path, `${path}: ${made.none}`)
      }
    } catch (error) {
      const code = systemCode(error)
      if (code === undefined) throw error
      this.#name(path, `${path} cannot be read for its picture (${code}).`)
    }
    return undefined
  }

  async #finalize(sent: readonly Sent[]): Promise<void> {
    const refused = await this.#direct.finalize(sent.map(({ target }) => target))
    for (const { job, target } of sent) {
      if (refused.has(target)) this.#fail(job, refused.get(target), 'library')
      else this.#finish(job)
    }
  }

  #finish({ file }: ThumbnailJob): void {
    this.result.uploaded++
    this.result.done.add(file.hash)
    this.#handle()
  }

  /**
   * A version that is not current any more needs no picture; that is for the library to say, a store has conflicts of its own. What is
   * refused is named, and sent by the next push; the rest ends the push.
   */
  #fail({ file }: ThumbnailJob, error: unknown, refusedBy: 'library' | 'store'): undefined {
    if (!isOfOneBody(error) && (!(error instanceof ApiError) || error.status === 401)) throw error
    if (error.code === 'CONFLICT' && refusedBy === 'library') this.result.done.add(file.hash)
    else this.#name(pathOf(file), `The picture of ${pathOf(file)} was not taken: ${error.message}`)
    this.#handle()
    return undefined
  }

  #name(path: string, message: string): void {
    this.result.problems.push(problem('thumbnail-failed', path, message))
  }

  #handle(): undefined {
    this.#parts.tell({ kind: 'thumbnails', done: ++this.#handled, total: this.#total })
    return undefined
  }
}

interface Picture {
  job: ThumbnailJob
  png: Buffer
}

interface Sent {
  job: ThumbnailJob
  target: PresignedTarget
}

/** Not the key, the budget, or a server that is away. */
const mayBeOfOne = (error: unknown): boolean =>
  isOfOneBody(error) || (error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 429)

const placeOf = ({ job: { entryId, objectId }, png }: Picture) => ({
  entry_id: entryId,
  object_id: objectId,
  kind: 'thumbnail' as const,
  size: png.length,
})

/** Brings made media to the library: many at once through presigned addresses, few by a call each, which also says who made them. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { MediaKind, PresignedTarget } from '../../contract/media.ts'
import { makerVersion } from '../../previews/threads/media-order.ts'
import type { Api } from '../http/api.ts'
import { bodyOf } from '../http/body.ts'
import { DirectMedia } from '../http/direct-media.ts'
import type { Http } from '../http/http.ts'
import { readVersion } from '../version.ts'
import type { Tier } from './given-up.ts'

export interface MediaFile {
  entryId: number
  objectId: number
  kind: MediaKind
  bytes: Uint8Array
}

/** `moved`: the version is not current any more. `refused`: the library does not take this file. */
export type Sent = { outcome: 'taken' | 'moved' } | { outcome: 'refused'; message: string }

type Answered = (sent: Sent) => void

/** A batch goes when it has so many files, or so many bytes: what waits is in memory. */
const batch = { files: 32, bytes: 16 * 1024 * 1024 }
const uploadsAtOnce = 4
const batchesAtOnce = 2

const types: Record<MediaKind, string> = {
  thumbnail: 'image/png',
  image: 'image/png',
  glb: 'model/gltf-binary',
  audio: 'audio/wav',
}
const generators: Record<MediaKind, string> = { thumbnail: 'thumbnail', image: 'png', glb: 'glb', audio: 'wav' }

interface SenderParts {
  http: Http
  api: Api
  signal: AbortSignal
  tier: Tier
}

export class MediaSender {
  readonly #parts: SenderParts
  readonly #direct: DirectMedia
  readonly #uploads = pLimit(uploadsAtOnce)
  readonly #batches = pLimit(batchesAtOnce)
  #waiting: { file: MediaFile; answered: Answered }[] = []

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#direct = new DirectMedia({ ...parts, mayBeOfOne: concernsOne })
  }

  /** Done when there is room for more; the answer comes later. Throws what is wrong with more than one file. */
  async add(file: MediaFile, answered: Answered): Promise<void> {
    this.#waiting.push({ file, answered })
    const bytes = this.#waiting.reduce((sum, one) => sum + one.file.bytes.length, 0)
    if (this.#waiting.length >= batch.files || bytes >= batch.bytes) await this.flush()
  }

  /** Sends what waits. */
  async flush(): Promise<void> {
    const files = this.#waiting
    this.#waiting = []
    if (files.length > 0) await this.#batches(() => this.#send(files))
  }

  async #send(files: { file: MediaFile; answered: Answered }[]): Promise<void> {
    const targets = await this.#direct.presign(files.map(({ file }) => placeOf(file)))
    const stored = await Promise.all(
      files.map(({ file, answered }, index) =>
        this.#uploads(async () => {
          const target = targets[index]
          if (target && (await this.#store(file, target))) return [{ target, answered }]
          answered(await this.#put(file))
          return []
        }),
      ),
    )
    await this.#finalize(stored.flat())
  }

  /** False when the store does not take it there, which the library explains better. */
  async #store({ bytes }: MediaFile, target: PresignedTarget): Promise<boolean> {
    try {
      await this.#direct.store(target, bodyOf(bytes))
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return false
      throw error
    }
  }

  async #put(file: MediaFile): Promise<Sent> {
    const { media } = this.#parts.api
    const version = { entry_id: file.entryId, object_id: file.objectId }
    const request = { ...version, ...this.#producer(file.kind), bytes: bodyOf(file.bytes), contentType: types[file.kind] }
    return answerOf(() =>
      file.kind === 'thumbnail' ? media.putThumbnail(request) : media.putPreview({ ...request, kind: file.kind }),
    )
  }

  async #finalize(stored: readonly { target: PresignedTarget; answered: Answered }[]): Promise<void> {
    const refused = await this.#direct.finalize(stored.map(({ target }) => target))
    for (const { target, answered } of stored)
      answered(refused.has(target) ? sentAfter(refused.get(target)) : { outcome: 'taken' })
  }

  #producer(kind: MediaKind) {
    return {
      producer_tier: this.#parts.tier,
      producer_tool: 'ph',
      producer_tool_version: readVersion()
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]/g, '-'),
      generator: generators[kind],
      generator_version: makerVersion,
    }
  }
}

const placeOf = ({ entryId, objectId, kind, bytes }: MediaFile) => ({
  entry_id: entryId,
  object_id: objectId,
  kind,
  size: bytes.length,
})

/** Statuses that are about this file or this version, and not about the key, the workspace or the server. */
const concernsOne = (error: unknown): error is ApiError =>
  error instanceof ApiError && [404, 409, 413, 422].includes(error.status)

/** What the library says of one file. Throws what concerns others too. */
export async function answerOf(call: () => Promise<unknown>): Promise<Sent> {
  try {
    await call()
    return { outcome: 'taken' }
  } catch (error) {
    return sentAfter(error)
  }
}

function sentAfter(error: unknown): Sent {
  if (!concernsOne(error)) throw error
  return error.status === 404 || error.status === 409 ? { outcome: 'moved' } : { outcome: 'refused', message: error.message }
}

/** Sends the bytes of files: to presigned addresses where those are offered, else through the API (spec 4.9). */
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import type { UploadTarget } from '../../../contract/push.ts'
import { ClientError, systemCode } from '../../client-error.ts'
import type { Api } from '../../http/api.ts'
import type { Bytes } from '../../http/body.ts'
import { alreadyThere } from '../../http/direct-media.ts'
import { isOfOneBody } from '../../http/failures/foreign-answer.ts'
import type { Http } from '../../http/http.ts'
import type { TellPush } from '../../progress.ts'
import { BufferPool, changed, chunkBytes, largeFile, pieceBytes, smallFile } from './file-body.ts'

export interface Upload {
  hash: string
  path: string
  /** Bytes. */
  size: number
  /** Where to send it; without one it goes through the API. */
  target: UploadTarget | undefined
  /** Asks for a new address when this one is refused, most likely because its time is over. */
  renew: () => Promise<UploadTarget | undefined>
}

/** Requests on their way at once. Large files are streamed, a few at a time, which bounds memory. */
const atOnce = 8
const streamsAtOnce = 4
const progressMs = 100

export class Uploader {
  readonly #http: Http
  readonly #api: Api
  readonly #tell: TellPush
  readonly #signal: AbortSignal | undefined
  readonly #small = pLimit(atOnce)
  readonly #large = pLimit(streamsAtOnce)
  readonly #pieces = new BufferPool(pieceBytes)
  readonly #chunks = new BufferPool(chunkBytes)
  /** Bytes that left of the large files on their way, by hash. */
  readonly #onTheWay = new Map<string, number>()
  readonly #done = { files: 0, bytes: 0 }
  readonly #total = { files: 0, bytes: 0 }

  constructor(parts: { http: Http; api: Api; tell: TellPush; signal?: AbortSignal }) {
    this.#http = parts.http
    this.#api = parts.api
    this.#tell = parts.tell
    this.#signal = parts.signal
  }

  /** Bytes and files that were sent so far. */
  get sent(): { files: number; bytes: number } {
    return { ...this.#done }
  }

  /**
   * Sends several files; the first results that are no failures of a single file end it. Answers the failures by hash:
   * ClientError `FILE_CHANGED`, `FILE_UNREADABLE`, `UPLOAD_REFUSED`, `PROXY_ANSWERED`, or ApiError such as `DENYLISTED`.
   */
  async sendAll(uploads: readonly Upload[]): Promise<Map<string, ClientError | ApiError>> {
    const failures = new Map<string, ClientError | ApiError>()
    this.#total.files += uploads.length
    this.#total.bytes += uploads.reduce((sum, { size }) => sum + size, 0)
    const timer = setInterval(() => this.#report(), progressMs)
    timer.unref()
    try {
      const jobs = uploads.map((upload) => {
        const limit = upload.size > pieceBytes ? this.#large : this.#small
        return limit(async () => {
          const failure = await this.#sendOne(upload)
          if (failure) failures.set(upload.hash, failure)
        })
      })
      await Promise.all(jobs)
    } finally {
      clearInterval(timer)
    }
    this.#report()
    return failures
  }

  async #sendOne(upload: Upload): Promise<ClientError | ApiError | undefined> {
    this.#signal?.throwIfAborted()
    const { size, hash } = upload
    const { bytes, release } = size > pieceBytes ? this.#openLarge(upload) : this.#openSmall(upload)
    try {
      if (upload.target) await this.#sendDirect(upload, bytes)
      else await this.#api.blobs.put({ content_hash: hash, bytes })
    } catch (error) {
      // A socket that failed may still hold the buffers.
      return failureOfFile(error, upload)
    } finally {
      this.#onTheWay.delete(hash)
    }
    release()
    this.#done.files++
    this.#done.bytes += size
    return undefined
  }

  #openSmall({ path, size }: Upload) {
    const piece = this.#pieces.take()
    return { bytes: smallFile(path, size, piece), release: () => this.#pieces.give(piece) }
  }

  #openLarge({ path, size, hash }: Upload) {
    const buffers: [Buffer, Buffer] = [this.#chunks.take(), this.#chunks.take()]
    const onBytes = (sent: number) => this.#onTheWay.set(hash, sent)
    return { bytes: largeFile(path, size, { buffers, onBytes }), release: () => this.#chunks.give(...buffers) }
  }

  /** An address lives for minutes: when storage refuses it, it is asked for once more. */
  async #sendDirect(upload: Upload, bytes: Bytes): Promise<void> {
    try {
      await this.#put(upload.target, bytes)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const renewed = await upload.renew()
      if (renewed) await this.#put(renewed, bytes)
    }
  }

  async #put(target: UploadTarget | undefined, bytes: Bytes): Promise<void> {
    if (!target) return
    const { upload_url: url, headers } = target
    await this.#http.store({ url, method: 'PUT', headers, bytes, accept: [alreadyThere], signal: this.#signal })
  }

  #report(): void {
    const onTheWay = [...this.#onTheWay.values()].reduce((sum, sent) => sum + sent, 0)
    const { files, bytes } = this.#done
    this.#tell({
      kind: 'upload',
      files,
      bytes: Math.min(bytes + onTheWay, this.#total.bytes),
      totalFiles: this.#total.files,
      totalBytes: this.#total.bytes,
    })
  }
}

const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403

/** Failures that concern this file alone; anything else ends the push. */
function failureOfFile(error: unknown, { path }: Upload): ClientError | ApiError {
  if (error instanceof ClientError && error.code === 'FILE_CHANGED') return error
  if (error instanceof ApiError && error.code === 'HASH_MISMATCH') return changed(path)
  if (error instanceof ApiError && error.code === 'DENYLISTED') return error
  if (isOfOneBody(error)) return error
  if (isRefusal(error) && error.details.reason === undefined)
    return new ClientError('UPLOAD_REFUSED', `The storage refused ${path}: ${error.message}`, { cause: error })
  const code = systemCode(error)
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return changed(path)
  if (code !== undefined && /^E[A-Z]+$/.test(code) && (error as NodeJS.ErrnoException).path !== undefined)
    return new ClientError('FILE_UNREADABLE', `${path} cannot be read (${code}).`, { cause: error })
  throw error
}

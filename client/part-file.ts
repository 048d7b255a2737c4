/** A file that is being received: hashed while it is written, taken up again after cuts, never longer than it may be. */
import { createHash, type Hash, hash as hashAtOnce } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, open, readSync, writev } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ApiError } from '../contract/errors.ts'
import { aboutFile, ClientError } from './client-error.ts'
import type { Http } from './http.ts'
import { isNetworkError } from './network-error.ts'

export interface Source {
  /** Gives a presigned address; asked again when the connection was cut. */
  locate(): Promise<string>
  /** Bytes that the file must have. */
  sizeBytes: number
  /** What the file is called when something is wrong with it. */
  title: string
  /** Told how many bytes of the file there are. */
  onProgress?: (bytesDone: number) => void
  signal?: AbortSignal
}

/** Cut connections that are taken up again while each of them brought something. */
const mostFruitlessTries = 3
const readBytes = 1024 * 1024

/** What is there of a file, wherever it is kept. */
export interface Part {
  /** Bytes that are there. */
  size: number
  /** Takes a chunk over, memory and all. Gives what to wait for before there are more, when too many of them wait. */
  write(chunk: Buffer): Promise<void> | undefined
  restart(): Promise<void> | void
  /** The hash of everything; nothing can be written afterwards. */
  digest(): string
}

/** A small file on its way, in memory that the caller owns. */
export class PartBuffer implements Part {
  readonly #buffer: Buffer
  size = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.size)
  }

  write(chunk: Buffer): undefined {
    chunk.copy(this.#buffer, this.size)
    this.size += chunk.length
    release(chunk)
  }

  restart(): void {
    this.size = 0
  }

  digest(): string {
    return hashAtOnce('sha256', this.bytes, 'hex')
  }
}

/** So much waits in memory until it is written with one call, while the next arrives. */
const batchBytes = 1024 * 1024

/** Making a file can take a while on a busy disk; a thread of the system's waits for it. */
const openFile = promisify(open)

/** A file on disk: what was hashed is what is written, by a thread of the system's. */
export class PartFile implements Part {
  readonly path: string
  readonly #meant: string
  readonly #fd: number
  #hash: Hash = createHash('sha256')
  size = 0
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, meant: string, fd: number) {
    this.path = path
    this.#meant = meant
    this.#fd = fd
  }

  /** Opens or makes the file; what is in it counts as nothing until `takeUp`. Errors of the disk name `meant`. */
  static async open(path: string, meant = path): Promise<PartFile> {
    return new PartFile(path, meant, await openFile(path, constants.O_RDWR | constants.O_CREAT, 0o666))
  }

  /** Hashes what an earlier try left. More than the whole file cannot be a part of it. */
  async takeUp(sizeBytes: number): Promise<void> {
    const { size } = fstatSync(this.#fd)
    if (size === 0) return
    if (size > sizeBytes) return this.restart()
    const buffer = Buffer.allocUnsafeSlow(readBytes)
    for (let got = -1; got !== 0; this.size += got) {
      got = readSync(this.#fd, buffer, 0, readBytes, this.size)
      this.#hash.update(buffer.subarray(0, got))
      await breathe()
    }
  }

  write(chunk: Buffer): Promise<void> | undefined {
    this.#hash.update(chunk)
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.size += chunk.length
    if (this.#waitingBytes < batchBytes) return undefined
    const before = this.#writing
    this.#begin()
    return before
  }

  async restart(): Promise<void> {
    await this.#written()
    ftruncateSync(this.#fd)
    this.#hash = createHash('sha256')
    this.size = 0
  }

  digest(): string {
    return this.#hash.digest('hex')
  }

  /** Puts everything on the disk. */
  async sync(): Promise<void> {
    await this.#written()
    try {
      fsyncSync(this.#fd)
    } catch (error) {
      throw aboutFile(error, this.#meant)
    }
  }

  /** Writes what waits, and closes. Throws what writing came to. */
  async close(): Promise<void> {
    try {
      await this.#written()
    } finally {
      closeSync(this.#fd)
    }
  }

  #written(): Promise<void> {
    this.#begin()
    return this.#writing
  }

  /** Batches are written one after the other. A failure stays, and is met by whoever waits next. */
  #begin(): void {
    const [chunks, position] = [this.#waiting, this.size - this.#waitingBytes]
    this.#waiting = []
    this.#waitingBytes = 0
    this.#writing = this.#writing.then(() => this.#writeBatch(chunks, position))
    this.#writing.catch(() => {})
  }

  async #writeBatch(chunks: Buffer[], position: number): Promise<void> {
    const total = chunks.reduce((sum, { length }) => sum + length, 0)
    try {
      for (let done = total > 0 ? await writeMany(this.#fd, chunks, position) : 0; done < total; )
        done += await writeMany(this.#fd, [Buffer.concat(chunks).subarray(done)], position + done)
    } catch (error) {
      throw aboutFile(error, this.#meant)
    }
    for (const chunk of chunks) release(chunk)
  }
}

const writeMany = (fd: number, chunks: Buffer[], position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    writev(fd, chunks, position, (error, written) => (error ? reject(error) : resolve(written)))
  })

/** Receives what is missing of a file. Throws ClientError `WRONG_BYTES`, `UNREACHABLE`, and what Http throws. */
export async function fillPart(http: Http, part: Part, source: Source): Promise<void> {
  let fruitless = 0
  while (part.size < source.sizeBytes) {
    const before = part.size
    try {
      await receive(http, part, source)
    } catch (error) {
      source.signal?.throwIfAborted()
      if (!isNetworkError(error)) throw error
      fruitless = part.size > before ? 0 : fruitless + 1
      if (fruitless < mostFruitlessTries) continue
      throw new ClientError('UNREACHABLE', `The connection was cut again and again while ${source.title} was downloaded.`, {
        cause: error,
      })
    }
    if (part.size === before) throw new ClientError('WRONG_BYTES', `Nothing more arrives for ${source.title}.`)
  }
}

/** One answer's bytes. A server that ignores Range sends the file from its beginning, and then so does the part. */
async function receive(http: Http, part: Part, { locate, sizeBytes, title, onProgress, signal }: Source): Promise<void> {
  const headers: Record<string, string> = part.size > 0 ? { range: `bytes=${part.size}-` } : {}
  const answer = await http.open({ url: await locate(), headers, signal }).catch((error: unknown) => {
    // The storage has less of the file than there is here (RFC 9110 15.5.17).
    if (!(error instanceof ApiError && error.status === 416)) throw error
    throw new ClientError('WRONG_BYTES', `Nothing more arrives for ${title}.`, { cause: error })
  })
  if (part.size > 0 && !String(answer.headers['content-range'] ?? '').startsWith(`bytes ${part.size}-`)) await part.restart()
  await pour(answer.body, (chunk) => {
    if (part.size + chunk.length > sizeBytes) throw new ClientError('WRONG_BYTES', `More arrives for ${title} than the file has.`)
    const busy = part.write(chunk)
    onProgress?.(part.size)
    return busy
  })
}

/** Every chunk as it arrives, without a turn of the event loop in between; held up where `take` asks for patience. */
async function pour(body: Readable, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  let failure: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    body.destroy()
  }
  body.on('data', (chunk: Buffer) => {
    if (failure) return
    try {
      const busy = take(chunk)
      if (!busy) return
      body.pause()
      busy.then(() => body.resume(), fail)
    } catch (error) {
      fail(error)
    }
  })
  await finished(body).catch((error: unknown) => {
    throw failure ? failure.error : error
  })
}

/**
 * Gives the memory of what was read from the socket back at once. Every 64 KiB that arrive have memory of their own, which the
 * collector learns of late: it marked the whole heap every few megabytes. Chunks come in order, so the one that reaches to the
 * end of that memory is the last to need it.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0)
}

/** A file that is being received: hashed while it is written, taken up again after cuts, never longer than it may be. */
import { hash as hashAtOnce } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, open } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { ApiError } from '../contract/errors.ts'
import { aboutFile, ClientError } from './client-error.ts'
import type { Http } from './http.ts'
import { isNetworkError } from './network-error.ts'
import type { PartThread } from './part-thread.ts'
import { ownMemory, releaseMemory } from './received-memory.ts'

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

/** What is there of a file, wherever it is kept. */
export interface Part {
  /** Bytes that are there. */
  size: number
  /** Takes a chunk over, memory and all. Gives what to wait for before there are more, when too many of them wait. */
  write(chunk: Buffer): Promise<unknown> | undefined
  restart(): Promise<void> | void
  /** The hash of everything; nothing can be written afterwards. */
  digest(): string | Promise<string>
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
    releaseMemory(chunk)
  }

  restart(): void {
    this.size = 0
  }

  digest(): string {
    return hashAtOnce('sha256', this.bytes, 'hex')
  }
}

/** So much waits in memory until it goes to the thread that writes, while the next arrives. */
const batchBytes = 1024 * 1024

/** Making a file can take a while on a busy disk; a thread of the system's waits for it. */
const openFile = promisify(open)

export interface PartPlace {
  path: string
  thread: PartThread
  /** The file that errors of the disk name; the default is `path`. */
  meant?: string
}

/** A file on disk: what was hashed is what is written. */
export class PartFile implements Part {
  readonly #place: PartPlace
  readonly #fd: number
  #part: number
  size = 0
  #waiting: Uint8Array<ArrayBuffer>[] = []
  #waitingBytes = 0
  /** Everything that was given to the thread. A failure stays, and is met by whoever waits next. */
  #written: Promise<unknown> = Promise.resolve()
  /** The last of it, for whoever closes the file: the thread must not write to its number any more. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(place: PartPlace, fd: number) {
    this.#place = place
    this.#fd = fd
    this.#part = place.thread.newPart()
  }

  /** Opens or makes the file; what is in it counts as nothing until `takeUp`. */
  static async open(place: PartPlace): Promise<PartFile> {
    return new PartFile(place, await openFile(place.path, constants.O_RDWR | constants.O_CREAT, 0o666))
  }

  /** Hashes what an earlier try left. More than the whole file cannot be a part of it. */
  async takeUp(sizeBytes: number): Promise<void> {
    const { size } = fstatSync(this.#fd)
    if (size === 0) return
    if (size > sizeBytes) return this.restart()
    await this.#ask({ part: this.#part, fd: this.#fd, takeUp: size })
    this.size = size
  }

  write(chunk: Buffer): Promise<unknown> | undefined {
    this.#waiting.push(ownMemory(chunk))
    this.#waitingBytes += chunk.length
    this.size += chunk.length
    if (this.#waitingBytes < batchBytes) return undefined
    const before = this.#written
    this.#begin()
    return before
  }

  async restart(): Promise<void> {
    await this.#flush()
    ftruncateSync(this.#fd)
    this.#part = this.#place.thread.newPart()
    this.size = 0
  }

  async digest(): Promise<string> {
    this.#begin()
    const hash = this.#ask({ part: this.#part, digest: true })
    await this.#written
    return (await hash) ?? ''
  }

  /** Puts everything on the disk. */
  async sync(): Promise<void> {
    await this.#flush()
    try {
      fsyncSync(this.#fd)
    } catch (error) {
      throw aboutFile(error, this.#meant)
    }
  }

  /** Writes what waits, and closes. Throws what writing came to. */
  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#last.catch(() => {})
      closeSync(this.#fd)
    }
  }

  get #meant(): string {
    return this.#place.meant ?? this.#place.path
  }

  #flush(): Promise<unknown> {
    this.#begin()
    return this.#written
  }

  #begin(): void {
    if (this.#waitingBytes === 0) return
    const [chunks, position] = [this.#waiting, this.size - this.#waitingBytes]
    this.#waiting = []
    this.#waitingBytes = 0
    const done = this.#ask({ part: this.#part, fd: this.#fd, position, chunks })
    this.#written = this.#written.then(() => done)
    this.#written.catch(() => {})
  }

  #ask(order: Parameters<PartThread['ask']>[0]): Promise<string | undefined> {
    const done = this.#place.thread.ask(order).catch((error: unknown) => {
      throw aboutFile(error, this.#meant)
    })
    done.catch(() => {})
    this.#last = done
    return done
  }
}

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
async function pour(body: Readable, take: (chunk: Buffer) => Promise<unknown> | undefined): Promise<void> {
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

/** Reads files of the library where they lie, many at once: hashes them, and copies them where that is asked. */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import { type Hashed, HashThreads } from '../../../system/hash-threads.ts'
import { Pace } from '../../../system/pace.ts'
import type { OperatorApi } from '../operator-api.ts'

export interface StoredFile {
  key: string
  /** Bytes, as far as known. */
  size: number
  /** A new file of the same bytes. */
  copyTo?: string
}

export interface StoredFiles {
  /** Results in the order of the files: what is missing or cannot be read is a result. `onBytes` hears how many bytes more were read. */
  read(files: readonly StoredFile[], onBytes: (bytes: number) => void): Promise<Hashed[]>
  close(): Promise<void>
}

export interface Reading {
  api: OperatorApi
  dataDir: string
  place: 'folder' | 'bucket'
  bytesPerSecond?: number | undefined
  signal: AbortSignal
}

export const storageOf = (dataDir: string): string => join(dataDir, 'storage')

/** For a library that has files. Throws NOT_FOUND where the folder is not there, or holds none: its disk may not be mounted. */
export function openStoredFiles(reading: Reading): StoredFiles {
  if (reading.place === 'bucket') return new BucketFiles(reading)
  const folder = storageOf(reading.dataDir)
  if (existsSync(folder) && readdirSync(folder).some((name) => /^[0-9]/.test(name)))
    return new FolderFiles(folder, reading.bytesPerSecond)
  throw nothingThere(folder)
}

export const nothingThere = (folder: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `No file of the library is in ${folder}. Its disk may not be mounted, or --data names another folder.`,
    {
      reason: 'no_storage',
    },
  )

class FolderFiles implements StoredFiles {
  readonly #folder: string
  readonly #threads: HashThreads

  constructor(folder: string, bytesPerSecond: number | undefined) {
    this.#folder = folder
    this.#threads = new HashThreads({ bytesPerSecond })
  }

  read(files: readonly StoredFile[], onBytes: (bytes: number) => void): Promise<Hashed[]> {
    return this.#threads.run(
      files.map((file) => ({ ...file, path: join(this.#folder, file.key) })),
      onBytes,
    )
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}

const requestsAtOnce = 8
/** Addresses are good for a quarter of an hour. */
const signedAtOnce = 64
const attempts = 4
const firstPauseMs = 500

/** Through addresses that the server gives, which has the credentials. */
class BucketFiles implements StoredFiles {
  readonly #reading: Reading
  readonly #pace: Pace | undefined
  readonly #limit = pLimit(requestsAtOnce)

  constructor(reading: Reading) {
    this.#reading = reading
    if (reading.bytesPerSecond !== undefined) this.#pace = new Pace(reading.bytesPerSecond)
  }

  async read(files: readonly StoredFile[], onBytes: (bytes: number) => void): Promise<Hashed[]> {
    const results: Hashed[] = []
    for (let at = 0; at < files.length; at += signedAtOnce) {
      const some = files.slice(at, at + signedAtOnce)
      const urls = await this.#addresses(some)
      results.push(...(await this.#limit.map(some, (file, index) => this.#fetch(file, { url: urls[index] ?? '', onBytes }))))
    }
    return results
  }

  async #addresses(files: readonly StoredFile[]): Promise<string[]> {
    return (await this.#reading.api.file.addresses({ keys: files.map(({ key }) => key) })).urls
  }

  async close(): Promise<void> {}

  async #fetch(file: StoredFile, from: { url: string; onBytes: (bytes: number) => void }): Promise<Hashed> {
    for (let attempt = 1; ; attempt++) {
      try {
        // The turn of a file may come when its first address has run out.
        const [url = from.url] = attempt === 1 ? [] : await this.#addresses([file])
        return await this.#fetchOnce(file, { ...from, url })
      } catch (error) {
        this.#reading.signal.throwIfAborted()
        if (file.copyTo !== undefined) await rm(file.copyTo, { force: true })
        const { code, syscall } = error as NodeJS.ErrnoException
        if (syscall === 'write' || syscall === 'open') return { failed: code ?? String(error), at: 'write' }
        if (attempt === attempts) throw storeFails(file.key, error)
      }
      await sleep(firstPauseMs * 2 ** (attempt - 1), undefined, { signal: this.#reading.signal })
    }
  }

  async #fetchOnce({ copyTo }: StoredFile, { url, onBytes }: { url: string; onBytes: (bytes: number) => void }): Promise<Hashed> {
    const answer = await fetch(url, { signal: this.#reading.signal })
    if (answer.status === 404) {
      await answer.body?.cancel()
      return { failed: 'ENOENT', at: 'read' }
    }
    if (!answer.ok || !answer.body) throw new Error(`it answers ${answer.status}`)
    const hash = createHash('sha256')
    let size = 0
    const counted = async function* (this: BucketFiles, chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
        onBytes(chunk.length)
        const waitMs = this.#pace?.after(chunk.length) ?? 0
        if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.#reading.signal })
        yield chunk
      }
    }.bind(this)
    const bytes = answer.body as unknown as AsyncIterable<Uint8Array>
    if (copyTo === undefined) for await (const _ of counted(bytes));
    else await pipeline(bytes, counted, createWriteStream(copyTo, { flags: 'wx', mode: 0o600 }))
    return { sha256: hash.digest('hex'), size }
  }
}

const storeFails = (key: string, error: unknown): ApiError =>
  new ApiError(
    'UNAVAILABLE',
    `The object storage does not give ${key}: ${error instanceof Error ? error.message : error}. Try again when it works.`,
    { reason: 'storage_away' },
  )

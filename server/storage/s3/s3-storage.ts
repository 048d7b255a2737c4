/** A bucket of an S3 store as the place where bytes lie. What comes through this server is checked on its own disk first. */
import { createWriteStream, rmSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Dispatcher } from 'undici'
import { ApiError } from '../../../contract/errors.ts'
import { explainDisk } from '../../disk/failure.ts'
import { requireRoom } from '../../disk/reserve.ts'
import { contentDisposition } from '../download-headers.ts'
import { IncomingFile, type IncomingFolder, releaseChunk } from '../incoming-file.ts'
import type { Note } from '../note.ts'
import type {
  Beginning,
  DownloadAs,
  Expected,
  Lent,
  Received,
  Storage,
  StoredFile,
  UploadFile,
  UploadTarget,
} from '../storage.ts'
import type { Bucket, LocalFile } from './bucket.ts'
import { BucketNote } from './bucket-note.ts'
import { explainStore, isBeyondEnd, isMissing, isThere } from './failure.ts'
import { type Pieces, putInParts, usualPieces } from './multipart.ts'
import type { Abilities } from './probe.ts'

/** Files asked about at once. */
const looking = pLimit(24)
/** Addresses signed without letting other requests in between: some ten milliseconds. */
const signedAtOnce = 32
/** So many keys of one folder are listed, a thousand to a page, instead of asked about one by one. */
const worthListing = 16

interface StorageParts {
  bucket: Bucket
  abilities: Abilities
  /** On this machine's disk: what is on its way. */
  incoming: IncomingFolder
  incomingDir: string
  pieces?: Pieces
  /** An address of this server, which counts bytes as they come and stops at `maxBytes`. */
  ownTarget?: ((file: UploadFile, expiresAt: Date) => UploadTarget) | undefined
}

export class S3Storage implements Storage {
  readonly directUploads: Storage['directUploads']
  readonly #bucket: Bucket
  readonly #parts: StorageParts
  readonly #pieces: Pieces

  constructor(parts: StorageParts) {
    const { bucket, abilities, pieces = usualPieces } = parts
    this.#bucket = bucket
    this.#parts = parts
    this.#pieces = pieces
    this.directUploads = abilities.verifies && abilities.keepsFirst ? 'unseen' : 'none'
  }

  /** A short text beside the files. */
  note(key: string): Note {
    return new BucketNote(this.#bucket, { key, newPath: () => this.#parts.incoming.newPath() })
  }

  async receive(key: string, bytes: Readable, expected: Expected): Promise<Received> {
    const { incoming, incomingDir } = this.#parts
    const kept = expected.replaces ? undefined : await this.#bucket.sizeOf(key)
    if (kept !== undefined) return { size: kept, created: false }
    const file = new IncomingFile(incoming.newPath(), expected, bytes instanceof IncomingMessage ? releaseChunk : () => {})
    try {
      requireRoom(incomingDir)
      await file.take(bytes)
      const { path, size, sha256 } = file.close()
      return { size, created: await this.#put(key, { path, size, sha256 }, expected.replaces) }
    } catch (error) {
      throw explainDisk(explainStore(error, this.#bucket.where), incomingDir)
    } finally {
      file.discard()
    }
  }

  /** False when someone else was faster. */
  async #put(key: string, file: LocalFile, replaces = false): Promise<boolean> {
    if (file.size > this.#pieces.mostBytes) {
      await putInParts(this.#bucket, key, { ...file, partBytes: this.#pieces.partBytes })
      return true
    }
    try {
      await this.#bucket.put(key, file, this.#parts.abilities.keepsFirst && !replaces)
      return true
    } catch (error) {
      if (isThere(error)) return false
      throw error
    }
  }

  async sizes(keys: readonly string[]): Promise<(number | undefined)[]> {
    const folders = Map.groupBy(keys, folderOf)
    const found = new Map<string, number>()
    const asked: string[] = []
    for (const [folder, own] of folders) {
      if (own.length < worthListing || !isListable(folder)) asked.push(...own)
      else for await (const page of this.#bucket.list(folder)) for (const { key, size } of page) found.set(key, size)
    }
    await looking.map(asked, async (key) => {
      const size = await this.#bucket.sizeOf(key)
      if (size !== undefined) found.set(key, size)
    })
    return keys.map((key) => found.get(key))
  }

  /** What a store has acknowledged it keeps. */
  async settle(): Promise<void> {}

  async beginning(key: string, mostBytes: number): Promise<Beginning | undefined> {
    const take = async (answer: Dispatcher.ResponseData) => ({ size: sizeIn(answer), bytes: await bytesIn(answer, mostBytes) })
    try {
      return await this.#bucket.get(key, take, `bytes=0-${mostBytes - 1}`)
    } catch (error) {
      if (isBeyondEnd(error)) return { size: 0, bytes: Buffer.alloc(0) }
      if (isMissing(error)) return undefined
      throw explainStore(error, this.#bucket.where)
    }
  }

  async read(key: string, start: number, end: number): Promise<Buffer> {
    if (end <= start) return Buffer.alloc(0)
    try {
      return await this.#bucket.get(key, (answer) => bytesIn(answer, end - start), `bytes=${start}-${end - 1}`)
    } catch (error) {
      if (isBeyondEnd(error)) return Buffer.alloc(0)
      throw this.#explained(key, error)
    }
  }

  async lend(key: string, mostBytes: number): Promise<Lent | undefined> {
    const { incoming, incomingDir } = this.#parts
    const path = incoming.newPath()
    const release = () => rmSync(path, { force: true })
    try {
      requireRoom(incomingDir)
      const isWhole = await this.#bucket.get(key, ({ body, headers }) =>
        Number(headers['content-length']) > mostBytes
          ? body.dump({ limit: 0 }).then(() => false)
          : pipeline(body, createWriteStream(path, { mode: 0o600 })).then(() => true),
      )
      if (isWhole) return { path, release }
    } catch (error) {
      release()
      if (!isMissing(error)) throw explainDisk(explainStore(error, this.#bucket.where), incomingDir)
    }
    return undefined
  }

  /** Other origins than the library's: pages of it are not at stake, and what is shown is said to be a file all the same. */
  downloadUrl(key: string, { contentType, fileName, expiresAt }: DownloadAs): Promise<string> {
    const query = {
      'response-cache-control': 'private, max-age=31536000, immutable',
      'response-content-type': contentType,
      ...(fileName === undefined ? {} : { 'response-content-disposition': contentDisposition(fileName) }),
    }
    return this.#bucket.presigner.sign({ method: 'GET', key, query, expiresAt }, 'client')
  }

  async uploadTargets(files: readonly UploadFile[], expiresAt: Date): Promise<(UploadTarget | undefined)[]> {
    const targets: (UploadTarget | undefined)[] = []
    for (const file of files) {
      if (targets.length % signedAtOnce === signedAtOnce - 1) await setImmediate()
      targets.push(await this.#target(file, expiresAt))
    }
    return targets
  }

  /**
   * What has to be counted before it is acknowledged, and what no store takes in one piece, comes through this server; so does a file whose
   * size nobody announced. An address of the bucket binds the size: stores take any number of bytes otherwise.
   */
  async #target(file: UploadFile, expiresAt: Date): Promise<UploadTarget | undefined> {
    const { key, sha256, contentType, maxBytes, isLimited, size } = file
    const isWhole = sha256 === undefined || maxBytes <= this.#pieces.mostBytes
    if (this.directUploads === 'none' || isLimited || !isWhole) return undefined
    if (size === undefined && sha256 === undefined) return this.#parts.ownTarget?.(file, expiresAt)
    const headers: Record<string, string> = {
      'content-type': contentType,
      'if-none-match': '*',
      ...(sha256 === undefined ? {} : checksumHeaders(sha256)),
    }
    // Every client sends the length by itself: it is signed, and not listed.
    const signed = size === undefined ? headers : { ...headers, 'content-length': String(size) }
    return { url: await this.#bucket.presigner.sign({ method: 'PUT', key, headers: signed, expiresAt }, 'client'), headers }
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#bucket.remove(keys)
  }

  list(prefix: string): AsyncGenerator<StoredFile[]> {
    return this.#bucket.list(prefix)
  }

  /** Asks for what is not there: the store, the bucket and the key of the server are all needed for that answer. */
  async check(): Promise<void> {
    await this.#bucket.sizeOf('probe/check')
  }

  #explained(key: string, error: unknown): unknown {
    if (isMissing(error)) return new ApiError('NOT_FOUND', `The object storage ${this.#bucket.where} has no ${key}.`)
    return explainStore(error, this.#bucket.where)
  }

  close(): void {
    this.#parts.incoming.close()
    this.#bucket.close()
  }
}

/** Of the whole file: stores answer a range with it, and the file itself where they know no ranges. */
const sizeIn = ({ headers }: Dispatcher.ResponseData): number =>
  Number(/\/(\d+)$/.exec(String(headers['content-range']))?.[1] ?? headers['content-length'])

/** A body that is read to its end leaves its connection to the next question. */
async function bytesIn({ body }: Dispatcher.ResponseData, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = mostBytes
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left))
    left -= chunk.length
    if (left < 0) break
  }
  return Buffer.concat(chunks)
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Folders of media and attachments hold a thousand files; those of blobs as many as the library has. */
const isListable = (folder: string): boolean => !folder.includes('/blobs/')

/** Stores check the one or the other: AWS and Swift both, Ceph the first. */
const checksumHeaders = (sha256: string): Record<string, string> => ({
  'x-amz-content-sha256': sha256,
  'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  'x-amz-sdk-checksum-algorithm': 'SHA256',
})

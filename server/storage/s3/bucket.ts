/** One bucket, as this server asks it: every call has a limit of time, is made again where that helps, and fails in words. */
import { createReadStream, type ReadStream } from 'node:fs'
import {
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Agent, type Dispatcher } from 'undici'
import type { BucketAddress } from '../../bucket-address.ts'
import type { Clock } from '../../clock.ts'
import type { StoredFile } from '../storage.ts'
import { asking, codeIn, explainStore, isMissing, StoreAnswer } from './failure.ts'
import { Presigner } from './presigner.ts'

export interface BucketParts {
  address: BucketAddress
  /** Without one, what the environment of AWS says: variables, files, the role of the machine. */
  key: { id: string; secret: string } | undefined
  clock: Clock
  /** So long the store may say nothing; tests are less patient. */
  silenceMs?: number
  /** Before a call is made again; twice as long before the next. */
  waitMs?: number
}

/** A file on this machine's disk, to be put there. */
export interface LocalFile {
  path: string
  size: number
  /** Lowercase hex. */
  sha256: string
}

interface Asked {
  key: string
  method: 'GET' | 'HEAD'
  range?: string | undefined
}

const connections = 32
/** Of an address that the server makes for itself. */
const addressMs = 60_000
/** The least that a body may move, beside `silenceMs`. */
const bytesPerMs = 50
/** Keys that the protocol takes in one deletion. */
const mostDeleted = 1000
const errorBytes = 16 * 1024

export class Bucket {
  readonly presigner: Presigner
  readonly client: S3Client
  /** As people name it. */
  readonly where: string
  readonly #address: BucketAddress
  readonly #agent: Agent
  readonly #silenceMs: number
  readonly #clock: Clock
  readonly #waitMs: number

  constructor({ address, key, clock, silenceMs = 10_000, waitMs = 300 }: BucketParts) {
    this.#address = address
    this.#silenceMs = silenceMs
    this.#clock = clock
    this.#waitMs = waitMs
    this.where = `${address.bucket} at ${address.endpoint}`
    this.client = new S3Client({
      endpoint: address.endpoint.includes('.amazonaws.com') ? undefined : address.endpoint,
      region: address.region,
      forcePathStyle: address.isPathStyle,
      ...(key ? { credentials: { accessKeyId: key.id, secretAccessKey: key.secret } } : {}),
      // Bodies in pieces with checksums behind them are not taken by every store.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 1,
      // It warns of streams that it cannot send again; `sending` opens them anew.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      requestHandler: {
        connectionTimeout: silenceMs,
        socketTimeout: silenceMs,
        httpAgent: { maxSockets: connections },
        httpsAgent: { maxSockets: connections },
      },
    })
    this.presigner = new Presigner(this.client, address, clock)
    this.#agent = new Agent({
      connections,
      connectTimeout: silenceMs,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    })
  }

  close(): void {
    this.client.destroy()
    void this.#agent.destroy()
  }

  /** Of one attempt with a body of this size. */
  limitFor(sizeBytes: number): AbortSignal {
    return AbortSignal.timeout(this.#silenceMs + Math.ceil(sizeBytes / bytesPerMs))
  }

  nameOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key }
  }

  /** Bytes; undefined where nothing is kept. */
  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const { headers } = await this.#ask({ key, method: 'HEAD' }, async (answer) => {
        await answer.body.dump()
        return answer
      })
      return Number(headers['content-length'])
    } catch (error) {
      if (isMissing(error)) return undefined
      throw explainStore(error, this.where)
    }
  }

  /** The bytes of a key go through `consume`, from the beginning for every attempt. Throws what the store says, unexplained. */
  async get<T>(key: string, consume: (answer: Dispatcher.ResponseData) => Promise<T>, range?: string): Promise<T> {
    return this.#ask({ key, method: 'GET', range }, consume)
  }

  /** Throws what the store says, unexplained. The store compares the bytes with their hash, where it can. */
  async put(key: string, { path, size, sha256 }: LocalFile, isNew: boolean): Promise<void> {
    await this.sending({ path, size }, async (Body) => {
      const input: PutObjectCommandInput = {
        ...this.nameOf(key),
        Body,
        ContentLength: size,
        ContentType: 'application/octet-stream',
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        ...(isNew ? { IfNoneMatch: '*' } : {}),
      }
      const command = new PutObjectCommand(input)
      bindHash(command, sha256)
      await this.client.send(command, { abortSignal: this.limitFor(size) })
    })
  }

  /** Calls `send` with the bytes of a file, opened anew for every attempt. What comes of a stream that nobody reads to its end is of no interest. */
  sending<T>(
    { path, size, start = 0 }: { path: string; size: number; start?: number },
    send: (body: Buffer | ReadStream) => Promise<T>,
  ): Promise<T> {
    return asking(this.#waitMs, async () => {
      if (size === 0) return send(Buffer.alloc(0))
      const body = createReadStream(path, { start, end: start + size - 1 })
      let failure: unknown
      body.on('error', (error) => (failure = error))
      try {
        return await send(body)
      } catch (error) {
        throw failure ?? error
      } finally {
        body.destroy()
      }
    })
  }

  /** Calls again where that helps; each attempt has the time that so many bytes need. */
  async send<T>(call: (abortSignal: AbortSignal) => Promise<T>, sizeBytes = 0): Promise<T> {
    try {
      return await asking(this.#waitMs, () => call(this.limitFor(sizeBytes)))
    } catch (error) {
      throw explainStore(error, this.where)
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += mostDeleted) {
      const Objects = keys.slice(at, at + mostDeleted).map((key) => ({ Key: this.nameOf(key).Key }))
      const command = () => new DeleteObjectsCommand({ Bucket: this.#address.bucket, Delete: { Objects, Quiet: true } })
      const { Errors = [] } = await this.send((abortSignal) => this.client.send(command(), { abortSignal }))
      const [first] = Errors.filter(({ Code }) => Code !== 'NoSuchKey')
      if (first) throw explainStore(new StoreAnswer(403, first.Code ?? ''), this.where)
    }
  }

  /** Every file whose key begins so, in the order of keys, a page at a time. */
  async *list(prefix: string): AsyncGenerator<StoredFile[]> {
    const { bucket, prefix: own } = this.#address
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const page = new ListObjectsV2Command({ Bucket: bucket, Prefix: own + prefix, ContinuationToken: token })
      const found = await this.send((abortSignal) => this.client.send(page, { abortSignal }))
      token = found.NextContinuationToken
      yield (found.Contents ?? []).map(({ Key = '', Size = 0, LastModified = new Date(0) }) => ({
        key: Key.slice(own.length),
        size: Size,
        storedAt: LastModified,
      }))
    }
  }

  /** Addresses of its own are cheaper than the calls of the library: a tenth of the processor's time. */
  #ask<T>({ key, method, range }: Asked, consume: (answer: Dispatcher.ResponseData) => Promise<T>): Promise<T> {
    return asking(this.#waitMs, async () => {
      const url = await this.presigner.sign(
        { method, key, expiresAt: new Date(this.#clock.now().getTime() + addressMs) },
        'server',
      )
      const { origin, pathname, search } = new URL(url)
      const answer = await this.#agent.request({
        origin,
        path: pathname + search,
        method,
        headers: range === undefined ? {} : { range },
      })
      if (answer.statusCode < 300) return consume(answer)
      throw new StoreAnswer(answer.statusCode, codeIn(await beginningOf(answer.body)))
    })
  }
}

async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = ''
  for await (const chunk of body) {
    text += String(chunk)
    if (text.length > errorBytes) break
  }
  return text
}

/** Signs the hash of the body instead of nothing: the store refuses other bytes. */
export function bindHash({ middlewareStack }: PutObjectCommand | UploadPartCommand, sha256: string): void {
  // Both have the same stack, of which the types say what it answers, too.
  const stack = middlewareStack as PutObjectCommand['middlewareStack']
  stack.add(
    (next) => async (args) => {
      const { headers } = (args as { request: { headers: Record<string, string> } }).request
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'bindHash' },
  )
}

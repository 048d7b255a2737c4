/** Takes in a body of JSON as it arrives, in few large blocks, and gives up as soon as it cannot be taken. */
import type { IncomingMessage } from 'node:http'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { Held } from './held-bytes.ts'
import { JsonScan } from './scan.ts'

export interface Received {
  blocks: Buffer<ArrayBuffer>[]
  sizeBytes: number
  /** As `limits.json` counts it. */
  weight: number
}

interface Taking {
  maxBytes: number
  /** Method and path, for messages: `POST /push/commit`. */
  routeName: string
  /** Counts what is taken in. */
  held: Held
  /** Ends it, with its reason. */
  signal: AbortSignal
}

const blockBytes = 64 * 1024

export function receive(request: IncomingMessage, { maxBytes, routeName: route, held, signal }: Taking): Promise<Received> {
  const announced = Number(request.headers['content-length'] ?? 0)
  return new Promise((resolve, reject) => {
    const body = new Blocks()
    const scan = new JsonScan()
    const leave = () => {
      request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
      signal.removeEventListener('abort', onAbort)
    }
    const refuse = (reason: unknown) => {
      leave()
      reject(reason)
    }
    const onData = (chunk: Buffer) => {
      if (body.sizeBytes + chunk.length > maxBytes) return refuse(tooLarge(route, maxBytes))
      held.grow(body.add(chunk, announced))
      scan.add(chunk)
      if (scan.fault) refuse(validationError([{ path: 'body', message: scan.fault }]))
    }
    const onEnd = () => {
      leave()
      resolve({ blocks: body.all(), sizeBytes: body.sizeBytes, weight: scan.weight })
    }
    const onBreak = () => refuse(brokenOff())
    const onAbort = () => refuse(signal.reason)
    if (announced > maxBytes) return reject(tooLarge(route, maxBytes))
    // It may have been lost while someone was asked who sends it.
    if (request.destroyed) return reject(brokenOff())
    signal.addEventListener('abort', onAbort)
    request.on('error', () => {})
    request.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
  })
}

/** Nobody hears it. */
export const brokenOff = (): ApiError => new ApiError('VALIDATION', 'The connection ended before the request was done.')

const tooLarge = (route: string, maximum: number): ApiError =>
  validationError([
    { path: 'body', message: `is larger than ${maximum} bytes, the most that ${route} takes; send less at once`, maximum },
  ])

/** Copies what comes in: a body of many tiny chunks would take hundreds of times its size otherwise. */
class Blocks {
  readonly #full: Buffer<ArrayBuffer>[] = []
  #block: Buffer<ArrayBuffer> = Buffer.alloc(0)
  #filled = 0
  sizeBytes = 0

  /** Gives how many bytes of memory it took anew. `announced`: the length of the whole body, 0 where it was not said. */
  add(chunk: Buffer, announced: number): number {
    let taken = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#filled === this.#block.length) taken += this.#next(announced - this.sizeBytes)
      const copied = chunk.copy(this.#block, this.#filled, at)
      this.#filled += copied
      this.sizeBytes += copied
      at += copied
    }
    return taken
  }

  all(): Buffer<ArrayBuffer>[] {
    return [...this.#full, this.#block.subarray(0, this.#filled)]
  }

  #next(left: number): number {
    if (this.#filled > 0) this.#full.push(this.#block)
    this.#block = Buffer.allocUnsafeSlow(left > 0 ? Math.min(left, blockBytes) : blockBytes)
    this.#filled = 0
    return this.#block.length
  }
}

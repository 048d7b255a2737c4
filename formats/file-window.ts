// A file that is read a window at a time: readers that need more than its beginning move through it in little memory.
import { FormatError } from './format-error.ts'

/** The file behind a beginning that was handed in. Formats stay pure: who has the file does the reading. */
export type WholeFile = {
  sizeBytes: number
  /**
   * Fills `into` with the bytes from `offset` on, fewer only where the file ends, and says how many there were. Without it
   * a reader makes do with the beginning. What it throws passes through every reader as it is.
   */
  readAt?: (into: Uint8Array, offset: number) => number
}

/** Read at once beyond the beginning; also the longest view. */
export const windowBytes = 256 * 1024

/** Views into a file; each is valid until the next one is asked for. Throws FormatError `truncated` past what can be read. */
export class FileWindow {
  readonly sizeBytes: number
  /** How far the file can be read: to its end, or to the end of the beginning. */
  readonly reachBytes: number
  /** What the bytes are, for messages: `FBX file`. */
  readonly what: string
  readonly #head: Buffer
  readonly #readAt: WholeFile['readAt']
  #window = Buffer.alloc(0)
  #start = 0
  #filled = 0

  /** `head` are the first bytes of the file, or all of them. */
  constructor(head: Uint8Array, { sizeBytes, readAt }: WholeFile, what: string) {
    this.#head = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
    this.#readAt = readAt
    this.sizeBytes = sizeBytes
    this.reachBytes = readAt ? sizeBytes : Math.min(sizeBytes, head.length)
    this.what = what
  }

  /** Exactly these bytes, at most `windowBytes`. */
  at(offset: number, length: number): Buffer {
    if (!(offset >= 0 && length >= 0 && length <= windowBytes && offset + length <= this.reachBytes))
      throw this.cutOff(`asks for ${length} bytes at byte ${offset}`)
    if (offset + length <= this.#head.length) return this.#head.subarray(offset, offset + length)
    if (offset < this.#start || offset + length > this.#start + this.#filled) this.#fill(offset)
    if (length > this.#filled) throw this.cutOff(`ends at byte ${offset + this.#filled} while it is read`)
    return this.#window.subarray(offset - this.#start, offset - this.#start + length)
  }

  /** As many bytes from `offset` on as are at hand, at most `windowBytes` and up to `end`; empty there. */
  from(offset: number, end = this.reachBytes): Buffer {
    const limit = Math.min(end, this.reachBytes)
    if (offset >= limit) return Buffer.alloc(0)
    const inHead = this.#head.length - offset
    const inWindow = offset >= this.#start ? this.#start + this.#filled - offset : 0
    const atHand = inHead > 0 ? inHead : inWindow > 0 ? inWindow : windowBytes
    return this.at(offset, Math.min(atHand, windowBytes, limit - offset))
  }

  /** The bytes from `start` to `end`, piece by piece. */
  *pieces(start: number, end: number): Generator<Buffer> {
    if (end > this.reachBytes) throw this.cutOff(`asks for bytes up to ${end}`)
    for (let offset = start; offset < end; ) {
      const piece = this.from(offset, end)
      yield piece
      offset += piece.length
    }
  }

  /** An error that says the file ends too early, or that no more of it is at hand. */
  cutOff(problem: string): FormatError {
    const known = this.reachBytes < this.sizeBytes ? 'known only as far as its first' : 'cut off after'
    return new FormatError('truncated', `The ${this.what} is ${known} ${this.reachBytes} bytes: it ${problem}.`)
  }

  #fill(offset: number): void {
    if (this.#window.length === 0) this.#window = Buffer.allocUnsafeSlow(Math.min(windowBytes, this.sizeBytes))
    this.#start = offset
    this.#filled = 0
    const length = Math.min(this.#window.length, this.reachBytes - offset)
    this.#filled = this.#readAt?.(this.#window.subarray(0, length), offset) ?? 0
  }
}

/**
 * The messages that arrive on stdin, one a line, each of them whole. One that is longer than is taken here is read over and told of; the next
 * one is read as if it had not been there.
 */

/** What of a message is needed to answer it. */
export interface Head {
  id: string | number | undefined
  method: string | undefined
}

const [lineFeed, quote, backslash] = [10, 34, 92]
const opening = new Set([123, 91])
const closing = new Set([125, 93])
/** Of a member that may be the id or the method. */
const longestValue = 1000

export class MessageLines {
  readonly #most: number
  readonly #take: (line: Buffer) => void
  readonly #skip: (head: Head) => void
  #pieces: Buffer[] = []
  #size = 0
  /** Of a message that is too long: it is kept no more, only what names it. */
  #long: HeadScan | undefined

  constructor(most: number, { take, skip }: { take: (line: Buffer) => void; skip: (head: Head) => void }) {
    this.#most = most
    this.#take = take
    this.#skip = skip
  }

  write(chunk: Buffer): void {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, start)
      const stop = end === -1 ? chunk.length : end + 1
      this.#add(chunk.subarray(start, stop))
      if (end !== -1) this.#endLine()
      start = stop
    }
  }

  #add(piece: Buffer): void {
    this.#size += piece.length
    if (!this.#long) this.#pieces.push(piece)
    else this.#long.read(piece)
    if (this.#long || this.#size <= this.#most) return
    this.#long = new HeadScan()
    for (const one of this.#pieces) this.#long.read(one)
    this.#pieces = []
  }

  #endLine(): void {
    const [long, pieces] = [this.#long, this.#pieces]
    this.#long = undefined
    this.#pieces = []
    this.#size = 0
    if (long) this.#skip(long.head)
    else this.#take(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))
  }
}

/** Finds the id and the method of a message, wherever in it they stand, and keeps nothing else. */
class HeadScan {
  readonly head: Head = { id: undefined, method: undefined }
  #depth = 0
  #isText = false
  #isEscaped = false
  /** The member of the message that is being read, as far as it is short. */
  #member = ''

  read(piece: Buffer): void {
    for (const byte of piece) this.#step(byte)
  }

  #step(byte: number): void {
    if (this.#depth === 1 && !this.#isText && (byte === 44 || closing.has(byte))) this.#endMember()
    else if (this.#depth === 1 && this.#member.length < longestValue) this.#member += String.fromCharCode(byte)
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isText = false
    } else if (byte === quote) this.#isText = true
    else if (opening.has(byte)) this.#depth++
    else if (closing.has(byte)) this.#depth--
  }

  #endMember(): void {
    const text = this.#member
    this.#member = ''
    try {
      const { id, method } = JSON.parse(`{${text}}`) as { id?: unknown; method?: unknown }
      if (typeof id === 'string' || typeof id === 'number') this.head.id = id
      if (typeof method === 'string') this.head.method = method
    } catch {
      // A member with a value that holds others: it is neither.
    }
  }
}

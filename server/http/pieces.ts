/** Gives Node's parser what came over a connection a request at a time: of a piece with a thousand requests it would make a thousand objects at once. */
import type { IncomingMessage } from 'node:http'

const endOfHead = Buffer.from('\r\n\r\n')
/** Of a body whose length nobody said. */
const chunkedBytes = 4096

interface Around {
  parse: (piece: Buffer) => void
  /** False while a request waits for its turn. */
  mayGoOn: () => boolean
  /** The request whose head came last. */
  newest: () => IncomingMessage | undefined
}

export class Pieces {
  readonly #around: Around
  #rest: Buffer = Buffer.alloc(0)
  /** Of the body that comes. */
  #bodyLeft = 0

  constructor(around: Around) {
    this.#around = around
  }

  add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    this.goOn()
  }

  goOn(): void {
    while (this.#rest.length > 0 && this.#around.mayGoOn()) {
      const piece = this.#rest.subarray(0, this.#next())
      this.#rest = this.#rest.subarray(piece.length)
      const isBody = this.#bodyLeft > 0
      this.#bodyLeft -= Math.min(this.#bodyLeft, piece.length)
      const before = this.#around.newest()
      this.#around.parse(piece)
      const request = this.#around.newest()
      if (!isBody && request !== before && request?.complete === false)
        this.#bodyLeft = Number(request.headers['content-length'] ?? 0)
    }
  }

  /** Up to the end of a head, or as much of a body as is known. Where the end of a head came in two parts, a little more. */
  #next(): number {
    if (this.#bodyLeft > 0) return Math.min(this.#bodyLeft, this.#rest.length)
    if (this.#around.newest()?.complete === false) return chunkedBytes
    const at = this.#rest.indexOf(endOfHead)
    return at < 0 ? this.#rest.length : at + endOfHead.length
  }
}

// Vorbis: the bits of one packet, the lowest of each byte first. Source: Vorbis I specification, section 2.

export class PacketBits {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#end = bytes.length * 8
  }

  /** More was asked for than there is, which a decoder takes as the packet's end; it got zeros. */
  get isPastEnd(): boolean {
    return this.#at > this.#end
  }

  bit(): number {
    const at = this.#at++
    return ((this.#bytes[at >> 3] ?? 0) >> (at & 7)) & 1
  }

  /** Up to 32 bits as a positive number. */
  unsigned(count: number): number {
    let value = 0
    for (let got = 0; got < count; ) {
      const shift = this.#at & 7
      const taken = Math.min(8 - shift, count - got)
      const part = ((this.#bytes[this.#at >> 3] ?? 0) >> shift) & ((1 << taken) - 1)
      value += part * 2 ** got
      got += taken
      this.#at += taken
    }
    return value
  }
}

/** Bits that a number takes. */
export const bitsOf = (value: number): number => 32 - Math.clz32(value)

// Vorbis: residues, the fine structure of the spectrum, as vectors out of codebooks. Source: Vorbis I specification, section 8.
import type { PacketBits } from './bits.ts'
import { type Codebook, damaged } from './codebook.ts'

const passes = 8

export class Residue {
  readonly #kind: number
  readonly #begin: number
  readonly #end: number
  readonly #partSize: number
  readonly #classBook: Codebook
  /** Of each class, the book of each pass. */
  readonly #books: (Codebook | null)[][]

  constructor(bits: PacketBits, books: readonly Codebook[]) {
    this.#kind = bits.unsigned(16)
    if (this.#kind > 2) throw damaged(`it holds a residue of kind ${this.#kind}`)
    this.#begin = bits.unsigned(24)
    this.#end = bits.unsigned(24)
    this.#partSize = bits.unsigned(24) + 1
    const classes = bits.unsigned(6) + 1
    const bookAt = (index: number): Codebook => {
      const book = books[index]
      if (!book) throw damaged('a residue names a codebook that is not there')
      return book
    }
    this.#classBook = bookAt(bits.unsigned(8))
    const cascades = Array.from({ length: classes }, () => bits.unsigned(3) + (bits.bit() === 1 ? bits.unsigned(5) * 8 : 0))
    this.#books = cascades.map((cascade) =>
      Array.from({ length: passes }, (_, pass) => {
        if ((cascade & (1 << pass)) === 0) return null
        const book = bookAt(bits.unsigned(8))
        if (!book.vectors) throw damaged('a residue uses a codebook without vectors')
        return book
      }),
    )
  }

  /** Adds to the spectra of channels, of which the silent ones are passed over. What is missing at the packet's end stays as it is. */
  read(bits: PacketBits, spectra: readonly Float32Array[], isSilent: readonly boolean[]): void {
    if (isSilent.every(Boolean)) return
    if (this.#kind !== 2) {
      this.#readVectors(
        bits,
        spectra.filter((_, index) => !isSilent[index]),
      )
      return
    }
    const count = spectra.length
    const woven = new Float32Array(count * (spectra[0]?.length ?? 0))
    this.#readVectors(bits, [woven])
    for (const [channel, spectrum] of spectra.entries())
      for (let at = 0; at < spectrum.length; at++) spectrum[at] = woven[at * count + channel] ?? 0
  }

  #readVectors(bits: PacketBits, vectors: readonly Float32Array[]): void {
    const size = vectors[0]?.length ?? 0
    const begin = Math.min(this.#begin, size)
    const parts = Math.floor((Math.min(this.#end, size) - begin) / this.#partSize)
    const together = this.#classBook.dimensions
    const classes = vectors.map(() => new Uint8Array(Math.max(0, parts)))
    for (let pass = 0; pass < passes; pass++) {
      for (let first = 0; first < parts; first += together) {
        if (pass === 0 && !this.#readClasses(bits, classes, first)) return
        const end = Math.min(parts, first + together)
        for (let part = first; part < end; part++) {
          for (const [index, vector] of vectors.entries()) {
            const book = this.#books[classes[index]?.[part] ?? 0]?.[pass]
            if (book && !this.#readPart(bits, { book, vector, offset: begin + part * this.#partSize })) return
          }
        }
      }
    }
  }

  /** Several parts share one entry; false at the packet's end. */
  #readClasses(bits: PacketBits, classes: readonly Uint8Array[], first: number): boolean {
    const count = this.#books.length
    for (const ofChannel of classes) {
      let entry = this.#classBook.next(bits)
      if (entry < 0) return false
      for (let at = this.#classBook.dimensions - 1; at >= 0 && (entry > 0 || at + first < ofChannel.length); at--) {
        if (first + at < ofChannel.length) ofChannel[first + at] = entry % count
        entry = Math.floor(entry / count)
      }
    }
    return true
  }

  /** False at the packet's end. */
  #readPart(bits: PacketBits, { book, vector, offset }: { book: Codebook; vector: Float32Array; offset: number }): boolean {
    const { dimensions } = book
    const vectors = book.vectors as Float32Array
    const steps = Math.floor(this.#partSize / dimensions)
    const [along, apart] = this.#kind === 0 ? [1, steps] : [dimensions, 1]
    for (let step = 0; step < steps; step++) {
      const entry = book.next(bits)
      if (entry < 0) return false
      const from = entry * dimensions
      const to = offset + step * along
      for (let index = 0; index < dimensions; index++) {
        const at = to + index * apart
        vector[at] = (vector[at] ?? 0) + (vectors[from + index] ?? 0)
      }
    }
    return true
  }
}

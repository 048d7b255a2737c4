// What a decoder works in: one stream's bytes with room around them, and the arrays that come out of them.

/** Raw bytes of one stream, at most. */
export const maxStreamBytes = 1 << 18
/** Raw bytes of one chunk, at most. */
export const maxChunkBytes = 1 << 17

/** A range of bytes within a buffer; `to` is the first that does not belong to it. */
export type Span = { from: number; to: number }

/** Reading bits loads 32 at once, up to 4 bytes past either end. */
const marginBytes = 4

/** Made once for all streams of a payload, none of which gives more than `streamBytes`. */
export class DecoderMemory {
  /** Compressed bytes of one stream, between two margins. */
  readonly input: Uint8Array
  readonly inputView: DataView
  /** The arrays of a chunk, one behind the other: literals, commands, packed offsets, packed lengths, and twice a chunk to work in. */
  readonly arrays: Uint8Array
  /** How far back each match with a new offset copies from. */
  readonly offsets: Int32Array
  readonly lengths: Int32Array

  constructor(streamBytes: number) {
    const chunkBytes = Math.min(streamBytes, maxChunkBytes)
    this.input = new Uint8Array(streamBytes + 2 * marginBytes)
    this.inputView = new DataView(this.input.buffer)
    this.arrays = new Uint8Array(5 * chunkBytes)
    this.offsets = new Int32Array(chunkBytes >> 1)
    this.lengths = new Int32Array(chunkBytes)
  }

  /** Takes in the compressed bytes of a stream, of which there are fewer than it gives; returns where they are. */
  load(compressed: Uint8Array): Span {
    this.input.set(compressed, marginBytes)
    return { from: marginBytes, to: marginBytes + compressed.length }
  }
}

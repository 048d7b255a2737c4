// Samples of a sound while it is decoded: they grow with what was really decoded, never with what a header announces, and not without end.
import { FormatError } from '../format-error.ts'
import type { Sound } from './sound.ts'

/** 23 minutes of stereo at 48,000 Hz with 16 bits. */
const maxDecodedBytes = 256 * 1024 * 1024
const firstBytes = 64 * 1024

export type SampleLayout = Pick<Sound, 'sampleRate' | 'channels' | 'bits'>

/** A small file can hold hours of silence, and a sound of more channels than anything plays. */
const maxChannels = 8

export class DecodedSamples {
  readonly #layout: SampleLayout
  readonly #block: number
  #buffer = Buffer.alloc(firstBytes)
  #length = 0

  /** Throws FormatError `unsupported` for more channels than are read. */
  constructor(layout: SampleLayout) {
    if (layout.channels > maxChannels)
      throw new FormatError('unsupported', `The sound has ${layout.channels} channels, and no more than ${maxChannels} are read.`)
    this.#layout = layout
    this.#block = (layout.channels * layout.bits) / 8
  }

  /** Samples per channel so far. */
  get frames(): number {
    return this.#length / this.#block
  }

  /** Room for so many more samples of every channel, to be filled. Throws FormatError `too-large`. */
  room(frames: number): Buffer {
    const end = this.#length + frames * this.#block
    if (end > maxDecodedBytes) throw this.#tooLong()
    if (end > this.#buffer.length) {
      const larger = Buffer.alloc(Math.min(maxDecodedBytes, Math.max(end, this.#buffer.length * 2)))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    const room = this.#buffer.subarray(this.#length, end)
    this.#length = end
    return room
  }

  /** Samples from -1 to 1, of each channel by itself, from `from` on, as 16 bits. */
  addFloats(planes: readonly Float32Array[], from: number, to: number): void {
    const room = this.room(Math.max(0, to - from))
    let at = 0
    for (let index = from; index < to; index++) {
      for (const plane of planes) {
        // What is no number is silence.
        const value = Math.round((plane[index] ?? 0) * 32_768) || 0
        room.writeInt16LE(Math.max(-32_768, Math.min(32_767, value)), at)
        at += 2
      }
    }
  }

  /** What was decoded, without what lies before `first` and behind `frames` samples of each channel. */
  sound(first = 0, frames = this.frames): Sound {
    const end = Math.min(this.#length, Math.max(first, frames) * this.#block)
    return { ...this.#layout, isFloat: false, data: this.#buffer.subarray(Math.min(first * this.#block, end), end) }
  }

  #tooLong(): FormatError {
    const seconds = maxDecodedBytes / this.#block / this.#layout.sampleRate
    const most = seconds < 60 ? `${Math.floor(seconds)} seconds` : `${Math.floor(seconds / 60)} minutes`
    return new FormatError('too-large', `The sound is longer than ${most}, which are all that is decoded at its quality.`)
  }
}

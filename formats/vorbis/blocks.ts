// Vorbis: blocks of sound, each overlapped with the one before. Source: Vorbis I specification, sections 1.3.2 and 4.3.
import { bitsOf, PacketBits } from './bits.ts'
import { damaged } from './codebook.ts'
import type { Identification, Mapping, Mode } from './setup.ts'
import { InverseTransform } from './transform.ts'

export class BlockDecoder {
  readonly #channels: number
  readonly #sizes: [number, number]
  readonly #modes: readonly Mode[]
  readonly #transforms: InverseTransform[]
  /** How a sound rises over an overlap of short or long blocks; it falls the same way. */
  readonly #slopes: Float32Array[]
  /** The second half of the block before, of each channel. */
  #before: Float32Array[] | undefined

  constructor({ channels, blockSizes }: Identification, modes: readonly Mode[]) {
    this.#channels = channels
    this.#sizes = blockSizes
    this.#modes = modes
    this.#transforms = blockSizes.map((size) => new InverseTransform(size))
    this.#slopes = blockSizes.map((size) =>
      Float32Array.from({ length: size / 2 }, (_, at) => Math.sin((Math.PI / 2) * Math.sin(((at + 0.5) / size) * Math.PI) ** 2)),
    )
  }

  /** Samples of each channel that are whole with this packet: none with the first. Throws FormatError. */
  next(packet: Buffer): Float32Array[] {
    const bits = new PacketBits(packet)
    if (packet.length === 0) return []
    if (bits.bit() !== 0) throw damaged('a packet holds no sound')
    const mode = this.#modes[bits.unsigned(bitsOf(this.#modes.length - 1))]
    if (!mode) throw damaged('a packet is of a mode that is not there')
    const isLong = mode.isLong ? 1 : 0
    const [rises, falls] = mode.isLong ? [bits.bit(), bits.bit()] : [0, 0]
    const size = this.#sizes[isLong]
    const spectra = this.#readSpectra(bits, mode.mapping, size / 2)
    const blocks = spectra.map((spectrum) => (this.#transforms[isLong] as InverseTransform).samples(spectrum))
    for (const block of blocks) this.#shape(block, rises, falls)
    const before = this.#before
    this.#before = blocks.map((block) => block.subarray(size / 2))
    return before ? blocks.map((block, channel) => overlapped(before[channel] as Float32Array, block)) : []
  }

  #readSpectra(bits: PacketBits, { couplings, submapOf, submaps }: Mapping, size: number): Float32Array[] {
    const floors = submapOf.map((submap) => submaps[submap]?.floor.read(bits, size) ?? null)
    const isSilent = floors.map((floor) => floor === null)
    for (const { magnitude, angle } of couplings)
      if (!isSilent[magnitude] || !isSilent[angle]) isSilent[magnitude] = isSilent[angle] = false
    const spectra = Array.from({ length: this.#channels }, () => new Float32Array(size))
    for (const [index, { residue }] of submaps.entries()) {
      const isOfSubmap = (_: unknown, channel: number) => submapOf[channel] === index
      residue.read(bits, spectra.filter(isOfSubmap), isSilent.filter(isOfSubmap))
    }
    for (const { magnitude, angle } of couplings.toReversed())
      uncouple(spectra[magnitude] as Float32Array, spectra[angle] as Float32Array)
    for (const [channel, spectrum] of spectra.entries()) {
      const floor = floors[channel]
      if (floor) for (let at = 0; at < size; at++) spectrum[at] = (spectrum[at] ?? 0) * (floor[at] ?? 0)
      else spectrum.fill(0)
    }
    return spectra
  }

  /** Rises and falls as short or as long as the blocks beside it; around a short slope it is silent, and full. */
  #shape(block: Float32Array, rises: number, falls: number): void {
    const quarter = block.length / 4
    const rise = this.#slopes[rises] as Float32Array
    const riseStart = quarter - rise.length / 2
    block.fill(0, 0, riseStart)
    for (let at = 0; at < rise.length; at++) block[riseStart + at] = (block[riseStart + at] ?? 0) * (rise[at] ?? 0)
    const fall = this.#slopes[falls] as Float32Array
    const fallStart = quarter * 3 - fall.length / 2
    for (let at = 0; at < fall.length; at++)
      block[fallStart + at] = (block[fallStart + at] ?? 0) * (fall[fall.length - 1 - at] ?? 0)
    block.fill(0, fallStart + fall.length)
  }
}

/** From the middle of the block before to the middle of this one. */
function overlapped(before: Float32Array, block: Float32Array): Float32Array {
  const out = new Float32Array(before.length / 2 + block.length / 4)
  const shift = block.length / 2 - out.length
  for (let at = 0; at < out.length; at++) {
    const own = at + shift
    out[at] = (before[at] ?? 0) + (own < 0 ? 0 : (block[own] ?? 0))
  }
  return out
}

function uncouple(magnitudes: Float32Array, angles: Float32Array): void {
  for (let at = 0; at < magnitudes.length; at++) {
    const [magnitude, angle] = [magnitudes[at] ?? 0, angles[at] ?? 0]
    const other = magnitude > 0 === angle > 0 ? magnitude - angle : magnitude + angle
    if (angle > 0) angles[at] = other
    else {
      angles[at] = magnitude
      magnitudes[at] = magnitude > 0 ? magnitude + angle : magnitude - angle
    }
  }
}

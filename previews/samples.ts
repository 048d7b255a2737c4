/** Single samples of a sound, whatever they are stored as. */
import { FormatError } from '../formats/format-error.ts'
import type { Sound } from '../formats/source/sound.ts'

/** Frames that are there as a whole: one sample of each channel. Throws FormatError `damaged` for a sound that cannot be. */
export function framesOf({ sampleRate, channels, bits, isFloat, data }: Sound): number {
  const areBits = isFloat ? bits === 32 : [8, 16, 24, 32].includes(bits)
  if (!(channels >= 1 && channels <= 65_535 && sampleRate >= 1 && sampleRate <= 0xffff_ffff) || !areBits) {
    const words = `${channels} channels of ${bits} bits at ${sampleRate} Hz`
    throw new FormatError('damaged', `The sound is damaged: it has ${words}.`)
  }
  return Math.floor(data.length / ((channels * bits) / 8))
}

/** Reads sample `index`, counted over all channels, from -1 to 1; what is no number is 0. */
export function sampleReader({ bits, isFloat, data }: Sound): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  if (isFloat) {
    return (index) => {
      const value = view.getFloat32(index * 4, true)
      return Number.isNaN(value) ? 0 : Math.min(1, Math.max(-1, value))
    }
  }
  if (bits === 8) return (index) => (view.getUint8(index) - 128) / 128
  if (bits === 16) return (index) => view.getInt16(index * 2, true) / 32_768
  if (bits === 24) return (index) => ((view.getInt8(index * 3 + 2) << 16) | view.getUint16(index * 3, true)) / 8_388_608
  return (index) => view.getInt32(index * 4, true) / 2_147_483_648
}

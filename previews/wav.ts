/** A sound as WAV with a header of its own: what else the file was imported with, which may name people, is not in it. */
import { limits } from '../contract/limits.ts'
import type { Sound } from '../formats/source/sound.ts'
import { framesOf, sampleReader } from './samples.ts'

export interface WavOptions {
  maxBytes?: number
  maxChannels?: number
}

export interface Wav {
  wav: Uint8Array
  channels: number
  sampleRate: number
  bits: number
  seconds: number
  /** What was made less than the sound has, in sentences; empty where nothing was. */
  reduced: string[]
}

const headerBytes = 44
/** Speech and effects can still be told apart at half of this. */
const lowestHalvedRate = 16_000

/** Throws FormatError `damaged` for a sound that cannot be, such as one without channels. */
export function soundWav(sound: Sound, options: WavOptions = {}): Wav {
  const { maxBytes = limits.preview.audioBytes, maxChannels = limits.preview.audioChannels } = options
  const frames = framesOf(sound)
  const whole = { ...sound, data: sound.data.subarray(0, (frames * sound.channels * sound.bits) / 8) }
  const mostBytes = maxBytes - headerBytes - 1
  const reduced: string[] = []
  const isWithin = ({ data, channels }: Sound) => data.length <= mostBytes && channels <= maxChannels
  const fitting = isWithin(whole) ? whole : smaller(whole, mostBytes, reduced)
  const { channels, sampleRate, bits, data } = fitting
  const seconds = data.length / ((channels * bits) / 8) / sampleRate
  return { wav: written(fitting), channels, sampleRate, bits, seconds, reduced }
}

/** One channel of at most 16 bits, then half of the rate as often as it may be, then its beginning. */
function smaller(sound: Sound, mostBytes: number, reduced: string[]): Sound {
  const frames = framesOf(sound)
  const bits = sound.bits === 8 ? 8 : 16
  const keepsBits = sound.bits <= 16 || frames * (sound.bits / 8) <= mostBytes
  const bytes = (keepsBits ? sound.bits : bits) / 8
  let step = 1
  while (Math.ceil(frames / step) * bytes > mostBytes && sound.sampleRate / step >= lowestHalvedRate) step *= 2
  const kept = Math.max(0, Math.min(Math.ceil(frames / step), Math.floor(mostBytes / bytes)))
  if (sound.channels > 1) reduced.push(`${sound.channels} channels were mixed into one.`)
  if (!keepsBits) reduced.push(`${sound.bits}-bit samples were made ${bits}-bit.`)
  const sampleRate = Math.max(1, Math.round(sound.sampleRate / step))
  if (step > 1) reduced.push(`The sample rate was reduced from ${sound.sampleRate} to ${sampleRate} Hz.`)
  const [before, after] = [frames / sound.sampleRate, kept / sampleRate].map((seconds) => seconds.toFixed(1))
  if (kept < Math.ceil(frames / step) && before !== after) reduced.push(`Of ${before} seconds the first ${after} were kept.`)
  const isFloat = sound.isFloat && keepsBits
  const mono = { sampleRate, channels: 1, bits: bytes * 8, isFloat, data: new Uint8Array(kept * bytes) }
  mix(sound, mono, step)
  return mono
}

/** Every sample the mean of all channels over `step` frames. */
function mix(sound: Sound, mono: Sound, step: number): void {
  const read = sampleReader(sound)
  const write = sampleWriter(mono)
  const samples = framesOf(sound) * sound.channels
  const each = step * sound.channels
  const count = framesOf(mono)
  for (let frame = 0; frame < count; frame++) {
    const end = Math.min(samples, (frame + 1) * each)
    let sum = 0
    for (let sample = frame * each; sample < end; sample++) sum += read(sample)
    write(frame, sum / (end - frame * each))
  }
}

function sampleWriter({ bits, isFloat, data }: Sound): (index: number, value: number) => void {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  if (isFloat) return (index, value) => view.setFloat32(index * 4, value, true)
  if (bits === 8) return (index, value) => view.setUint8(index, Math.min(255, Math.round(value * 128) + 128))
  if (bits === 16) return (index, value) => view.setInt16(index * 2, Math.min(32_767, Math.round(value * 32_768)), true)
  if (bits === 32) return (index, value) => view.setInt32(index * 4, Math.min(2 ** 31 - 1, Math.round(value * 2 ** 31)), true)
  return (index, value) => {
    const stored = Math.min(0x7f_ffff, Math.round(value * 0x80_0000))
    view.setUint16(index * 3, stored & 0xffff, true)
    view.setInt8(index * 3 + 2, stored >> 16)
  }
}

/** RIFF with a format chunk of 16 bytes and the samples; chunks begin at even places. */
function written({ sampleRate, channels, bits, isFloat, data }: Sound): Uint8Array {
  const padding = data.length % 2
  const wav = Buffer.alloc(headerBytes + data.length + padding)
  const block = (channels * bits) / 8
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(isFloat ? 3 : 1, 20)
  wav.writeUInt16LE(channels, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(Math.min(0xffff_ffff, sampleRate * block), 28)
  wav.writeUInt16LE(block & 0xffff, 32)
  wav.writeUInt16LE(bits, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(data.length, 40)
  wav.set(data, headerBytes)
  return wav
}

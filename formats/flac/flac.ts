// FLAC: the facts of its header. Source: RFC 9639.
import { ByteReader } from '../byte-reader.ts'
import { FileWindow, type WholeFile } from '../file-window.ts'
import { FormatError } from '../format-error.ts'

export type FlacFacts = {
  format: 'flac'
  channels: number
  /** Hertz. */
  sampleRate: number
  bitsPerSample: number
  /** Samples per channel; null where the encoder did not know. */
  frames: number | null
  durationSeconds: number | null
}

export interface FlacHeader extends FlacFacts {
  /** Samples per channel of one frame, at most. */
  largestBlock: number
  /** MD5 of all samples; null where it was left out. */
  md5: string | null
  /** Of the first frame. */
  soundOffset: number
}

const maxBlocks = 1000
const streamInfoBytes = 34

/**
 * What a FLAC file says of its sound. `bytes` may be the file's beginning: the header comes first.
 * Throws FormatError `not-this-format`, `truncated` or `damaged`.
 */
export function readFlac(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): FlacFacts {
  const file = new FileWindow(bytes, whole, 'FLAC file')
  const { format, channels, sampleRate, bitsPerSample, frames, durationSeconds } = readStreamInfo(file, startOf(file))
  return { format, channels, sampleRate, bitsPerSample, frames, durationSeconds }
}

/** Also where the sound begins, behind pictures and texts. */
export function readFlacHeader(bytes: Uint8Array): FlacHeader {
  const file = new FileWindow(bytes, { sizeBytes: bytes.length }, 'FLAC file')
  const start = startOf(file)
  const info = readStreamInfo(file, start)
  let offset = start + 4
  for (let count = 0; count < maxBlocks; count++) {
    const head = file.at(offset, 4)
    offset += 4 + head.readUIntBE(1, 3)
    if (head.readInt8(0) < 0) return { ...info, soundOffset: offset }
  }
  throw damaged('it has too many blocks before its sound')
}

/** Some programs put an ID3 tag before it. */
function startOf(file: FileWindow): number {
  const head = file.at(0, Math.min(10, file.reachBytes))
  const start = head.length === 10 && head.toString('latin1', 0, 3) === 'ID3' ? id3Bytes(head) : 0
  const isFlac = file.reachBytes >= start + 4 && file.at(start, 4).toString('latin1') === 'fLaC'
  if (!isFlac) throw new FormatError('not-this-format', 'This is not a FLAC file.')
  return start
}

/** Of an ID3v2 tag, whose first ten bytes these are: seven bits in each byte of its size. */
export function id3Bytes(head: Buffer): number {
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0
  return head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0) + (hasFooter ? 20 : 10)
}

function readStreamInfo(file: FileWindow, start: number): Omit<FlacHeader, 'soundOffset'> {
  const reader = new ByteReader(file.at(start + 4, 4 + streamInfoBytes), { what: 'FLAC file', littleEndian: false })
  if ((reader.u8() & 127) !== 0 || reader.u8() !== 0 || reader.u16() !== streamInfoBytes)
    throw damaged('it does not begin with what it holds')
  reader.skip(2)
  const largestBlock = reader.u16()
  reader.skip(6)
  const packed = reader.take(8).readBigUInt64BE()
  const md5 = reader.take(16).toString('hex')
  const sampleRate = Number(packed >> 44n)
  const channels = Number((packed >> 41n) & 7n) + 1
  const bitsPerSample = Number((packed >> 36n) & 31n) + 1
  const frames = Number(packed & 0xf_ffff_ffffn) || null
  if (sampleRate === 0 || bitsPerSample < 4 || largestBlock < 16)
    throw damaged(`it announces ${bitsPerSample} bits at ${sampleRate} Hz in blocks of ${largestBlock}`)
  const durationSeconds = frames === null ? null : frames / sampleRate
  return {
    format: 'flac',
    channels,
    sampleRate,
    bitsPerSample,
    frames,
    durationSeconds,
    largestBlock,
    md5: /^0+$/.test(md5) ? null : md5,
  }
}

export function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The FLAC file is damaged: ${problem}.`)
}

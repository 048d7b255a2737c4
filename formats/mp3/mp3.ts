// MP3: the facts of its first frame, and of the note that encoders leave there about its length.
// Sources: ISO/IEC 11172-3 and 13818-3, 2.4.2; the Xing, LAME and VBRI headers as their encoders document them.
import { FileWindow, type WholeFile } from '../file-window.ts'
import { id3Bytes } from '../flac/flac.ts'
import { FormatError } from '../format-error.ts'

export type Mp3Facts = {
  format: 'mp3'
  /** MPEG 1, 2 or 2.5. */
  version: 1 | 2 | 2.5
  channels: number
  /** Hertz. */
  sampleRate: number
  /** Of the first frame, in kbit/s. */
  bitrate: number
  /** As its encoder counted it; of one without such a count, as the bitrate of its first frame makes it; null without the whole file. */
  durationSeconds: number | null
  variable: boolean
}

interface Frame extends Pick<Mp3Facts, 'version' | 'channels' | 'sampleRate' | 'bitrate'> {
  samples: number
  bytes: number
}

const bitrates = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const rates = [44_100, 48_000, 32_000]
/** Some programs leave padding between a tag and the sound. */
const searchedBytes = 64 * 1024
const id3v1Bytes = 128

/**
 * What an MP3 says of itself. `bytes` may be the file's beginning; a picture in its tag is passed over by `whole.readAt`.
 * Throws FormatError `not-this-format` or `truncated`.
 */
export function readMp3(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): Mp3Facts {
  const file = new FileWindow(bytes, whole, 'MP3 file')
  const { frame, offset } = firstFrame(file, tagBytes(file))
  const { version, channels, sampleRate, bitrate, samples } = frame
  const counted = countedFrames(Buffer.from(file.at(offset, Math.min(frame.bytes, file.reachBytes - offset))))
  const constantSeconds = (Math.max(0, file.sizeBytes - offset - endTagBytes(file)) * 8) / (bitrate * 1000)
  const durationSeconds = counted === null ? constantSeconds : (counted.frames * samples - counted.padding) / sampleRate
  return {
    format: 'mp3',
    version,
    channels,
    sampleRate,
    bitrate,
    durationSeconds: Math.max(0, durationSeconds),
    variable: counted?.variable ?? false,
  }
}

function tagBytes(file: FileWindow): number {
  if (file.reachBytes < 10) return 0
  const head = file.at(0, 10)
  return head.toString('latin1', 0, 3) === 'ID3' ? id3Bytes(head) : 0
}

function endTagBytes(file: FileWindow): number {
  if (file.reachBytes < file.sizeBytes || file.sizeBytes < id3v1Bytes) return 0
  return file.at(file.sizeBytes - id3v1Bytes, 3).toString('latin1') === 'TAG' ? id3v1Bytes : 0
}

/** One that another of the same kind follows, or the file's end: four bytes alone are found in any file. */
function firstFrame(file: FileWindow, start: number): { frame: Frame; offset: number } {
  if (start > file.reachBytes) throw file.cutOff(`announces a tag of ${start} bytes`)
  const searched = Buffer.from(file.at(start, Math.min(searchedBytes, file.reachBytes - start)))
  for (let at = searched.indexOf(0xff); at >= 0; at = searched.indexOf(0xff, at + 1)) {
    const frame = readFrame(searched, at)
    if (!frame) continue
    const next = start + at + frame.bytes
    if (next === file.sizeBytes || (next + 4 > file.reachBytes && start > 0)) return { frame, offset: start + at }
    if (next + 4 > file.reachBytes) continue
    const following = readFrame(Buffer.from(file.at(next, 4)), 0)
    if (following?.version === frame.version && following.sampleRate === frame.sampleRate) return { frame, offset: start + at }
  }
  throw new FormatError('not-this-format', 'This is not an MP3 file.')
}

/** A frame of layer III whose header begins there. */
function readFrame(bytes: Buffer, at: number): Frame | null {
  if (at + 4 > bytes.length) return null
  const word = bytes.readUInt32BE(at)
  const version = ([2.5, null, 2, 1] as const)[(word >>> 19) & 3]
  const rate = rates[(word >>> 10) & 3]
  const isLayer3 = word >>> 21 === 0x7ff && ((word >>> 17) & 3) === 1
  if (!isLayer3 || !version || !rate) return null
  const bitrate = bitrates[version === 1 ? 1 : 2][(word >>> 12) & 15]
  if (!bitrate) return null
  const sampleRate = version === 1 ? rate : rate / (version === 2 ? 2 : 4)
  const samples = version === 1 ? 1152 : 576
  const bytesLong = Math.floor((samples / 8) * ((bitrate * 1000) / sampleRate)) + ((word >>> 9) & 1)
  return { version, channels: ((word >>> 6) & 3) === 3 ? 1 : 2, sampleRate, bitrate, samples, bytes: bytesLong }
}

/** The frames behind the first, which holds no sound then, and the samples that the encoder added at both ends. */
function countedFrames(frame: Buffer): { frames: number; padding: number; variable: boolean } | null {
  const vbri = frame.indexOf('VBRI')
  if (vbri >= 0 && vbri + 18 <= frame.length) return { frames: frame.readUInt32BE(vbri + 14), padding: 0, variable: true }
  const xing = frame.indexOf('Xing')
  const at = xing >= 0 ? xing : frame.indexOf('Info')
  if (at < 0 || at + 12 > frame.length || (frame.readUInt32BE(at + 4) & 1) === 0) return null
  const flags = frame.readUInt32BE(at + 4)
  const lame = at + 8 + 4 + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  const isLame = lame + 24 <= frame.length && /^(LAME|Lav[cf])/.test(frame.toString('latin1', lame, lame + 4))
  const delays = isLame ? frame.readUIntBE(lame + 21, 3) : 0
  return { frames: frame.readUInt32BE(at + 8), padding: (delays >> 12) + (delays & 0xfff), variable: xing >= 0 }
}

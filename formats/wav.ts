// WAV: the facts of RIFF, RIFX and RF64 files. A chunk walk of our own, because the kept readers do not know RF64 and do not
// say what an extensible format holds or how much of the sound is really there.
// Sources: Multimedia Programming Interface and Data Specifications 1.0; EBU Tech 3306 (RF64).
import { ByteReader } from './byte-reader.ts'
import { expanded } from './companding.ts'
import { FormatError } from './format-error.ts'
import type { Sound } from './source/sound.ts'

export type WavFacts = {
  format: 'wav'
  container: 'RIFF' | 'RIFX' | 'RF64'
  /** As stored; 65534 is "extensible", whose true format is `subFormat`. */
  formatTag: number
  subFormat: number
  encoding: string
  channels: number
  sampleRate: number
  bitsPerSample: number
  validBits: number
  blockAlign: number
  dataBytesDeclared: number
  dataBytesPresent: number
  /** Samples per channel that are present; null for a compressed sound that does not say. */
  frames: number | null
  durationSeconds: number | null
  truncated: boolean
}

type FormatChunk = Pick<
  WavFacts,
  'formatTag' | 'subFormat' | 'channels' | 'sampleRate' | 'bitsPerSample' | 'validBits' | 'blockAlign'
> & { bytesPerSecond: number }
type DataChunk = { start: number; declared: number; present: number }

const extensible = 0xfffe
const unknownSize = 0xffff_ffff
const encodings: Record<number, string> = {
  1: 'pcm',
  2: 'adpcm',
  3: 'float',
  6: 'alaw',
  7: 'ulaw',
  17: 'ima-adpcm',
  49: 'gsm',
  80: 'mpeg',
  85: 'mp3',
}
/** Encodings whose every frame takes `blockAlign` bytes. */
const constantRate = new Set(['pcm', 'float', 'alaw', 'ulaw'])

/**
 * What a WAV says of itself. `bytes` may be the file's beginning, as far as the sound's own chunk; `sizeBytes` is the whole
 * file's size, from which the part of the sound that is there is computed: a file that ends early gives the shorter duration.
 * Throws FormatError `not-this-format`, `truncated` or `damaged`.
 */
export function readWav(bytes: Uint8Array, sizeBytes = bytes.length): WavFacts {
  return readFile(bytes, sizeBytes).facts
}

/** What a whole WAV file says of itself, and a view of its data chunk, as far as that is there. Throws as `readWav` does. */
export function readWavData(bytes: Uint8Array): { facts: WavFacts; data: Uint8Array } {
  const { facts, data } = readFile(bytes, bytes.length)
  return { facts, data: bytes.subarray(data.start, data.start + data.present) }
}

/**
 * The samples of a data chunk, whole frames only; A-law and mu-law as 16 bits. Throws FormatError `unsupported` for other encodings,
 * `damaged` for what cannot be.
 */
export function wavSound(facts: WavFacts, data: Uint8Array): Sound {
  const { encoding, channels, sampleRate, bitsPerSample: bits, blockAlign, container } = facts
  const isFloat = encoding === 'float'
  const law = (encoding === 'alaw' || encoding === 'ulaw') && bits === 8 ? encoding : null
  const known = law !== null || (isFloat ? bits === 32 : encoding === 'pcm' && [8, 16, 24, 32].includes(bits))
  if (!known || container === 'RIFX')
    throw new FormatError('unsupported', `The sound is encoded as ${container} ${encoding} of ${bits} bits, which is not read.`)
  if (blockAlign !== (channels * bits) / 8)
    throw new FormatError(
      'damaged',
      `The WAV file is damaged: ${channels} samples of ${bits} bits should take ${blockAlign} bytes.`,
    )
  const whole = data.subarray(0, data.length - (data.length % blockAlign))
  if (law !== null) return { sampleRate, channels, bits: 16, isFloat, data: expanded(whole, law) }
  return { sampleRate, channels, bits, isFloat, data: whole }
}

function readFile(bytes: Uint8Array, sizeBytes: number): { facts: WavFacts; data: DataChunk } {
  const reader = new ByteReader(bytes, { what: 'WAV file' })
  const container = readContainer(reader)
  const { format, data, factFrames } = readChunks(reader, container, sizeBytes)
  if (format === undefined) throw missing('format', bytes, sizeBytes)
  if (data === undefined) throw missing('sound', bytes, sizeBytes)
  const { bytesPerSecond, ...layout } = format
  const encoding = encodings[format.subFormat] ?? `format ${format.subFormat}`
  const exact = constantRate.has(encoding)
  const frames = exact ? Math.floor(data.present / format.blockAlign) : factFrames
  const facts: WavFacts = {
    format: 'wav',
    container,
    ...layout,
    encoding,
    dataBytesDeclared: data.declared,
    dataBytesPresent: data.present,
    frames,
    durationSeconds: frames !== null ? frames / format.sampleRate : bytesPerSecond > 0 ? data.present / bytesPerSecond : null,
    truncated: data.present < data.declared,
  }
  return { facts, data }
}

function readContainer(reader: ByteReader): WavFacts['container'] {
  const container = reader.latin1(4)
  if (container !== 'RIFF' && container !== 'RIFX' && container !== 'RF64') throw notWav()
  reader.littleEndian = container !== 'RIFX'
  reader.skip(4)
  if (reader.latin1(4) !== 'WAVE') throw notWav()
  return container
}

/** Every step moves at least 8 bytes on, so the walk ends; it ends early once format and sound are known. */
function readChunks(reader: ByteReader, container: string, sizeBytes: number) {
  let format: FormatChunk | undefined
  let data: DataChunk | undefined
  let factFrames: number | null = null
  let longDataBytes: number | undefined
  while (reader.left >= 8 && !(format && data)) {
    const name = reader.latin1(4)
    const size = reader.u32()
    const start = reader.offset
    if (name === 'fmt ') format = readFormat(reader, size)
    if (name === 'fact' && size >= 4) factFrames = reader.u32()
    if (name === 'ds64' && size >= 24 && container === 'RF64') longDataBytes = readLongDataBytes(reader)
    if (name === 'data') {
      const declared = size === unknownSize ? (longDataBytes ?? size) : size
      data = { start, declared, present: Math.max(0, Math.min(declared, sizeBytes - start)) }
    }
    const end = start + size + (size % 2)
    if (end > reader.bytes.length) break
    reader.seek(end)
  }
  return { format, data, factFrames }
}

function readFormat(reader: ByteReader, size: number): FormatChunk {
  if (size < 16) throw reader.damaged(`has a format chunk of ${size} bytes`)
  const formatTag = reader.u16()
  const channels = reader.u16()
  const sampleRate = reader.u32()
  const bytesPerSecond = reader.u32()
  const blockAlign = reader.u16()
  const bitsPerSample = reader.u16()
  let subFormat = formatTag
  let validBits = bitsPerSample
  if (formatTag === extensible && size >= 40) {
    reader.skip(2)
    validBits = reader.u16()
    reader.skip(4)
    subFormat = reader.u16()
  }
  if (channels === 0 || sampleRate === 0 || blockAlign === 0) {
    throw reader.damaged(`announces ${channels} channels at ${sampleRate} Hz in blocks of ${blockAlign} bytes`)
  }
  return { formatTag, subFormat, channels, sampleRate, bitsPerSample, validBits, blockAlign, bytesPerSecond }
}

/** RF64 keeps sizes beyond 32 bits here: of the file, then of the sound. */
function readLongDataBytes(reader: ByteReader): number {
  reader.skip(8)
  const size = reader.i64()
  if (size < 0) throw reader.damaged('gives its sound a negative size')
  return size
}

function notWav(): FormatError {
  return new FormatError('not-this-format', 'This is not a WAV file.')
}

function missing(what: string, bytes: Uint8Array, sizeBytes: number): FormatError {
  const searched = bytes.length < sizeBytes ? `its first ${bytes.length} bytes` : `its ${sizeBytes} bytes`
  return new FormatError('truncated', `The WAV file holds no ${what} chunk in ${searched}.`)
}

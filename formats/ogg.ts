// OGG: the facts of Vorbis and Opus sounds, from the first page of the sound and from its last. A page walk of our own: the
// kept readers go through every page of the file to find the last one.
// Sources: RFC 3533 (Ogg), Vorbis I specification 4.2.2, RFC 7845 (Opus in Ogg).
import { ByteReader } from './byte-reader.ts'
import { FileWindow, type WholeFile, windowBytes } from './file-window.ts'
import { FormatError } from './format-error.ts'

export type OggFacts = {
  format: 'ogg'
  codec: 'vorbis' | 'opus'
  channels: number
  /** Hertz. What Opus decodes to, whatever was recorded: 48,000. */
  sampleRate: number
  /** Samples per channel up to the end, as the last page of the sound counts them; null when no last page was found. */
  lastGranule: number | null
  durationSeconds: number | null
}

type Sound = Pick<OggFacts, 'codec' | 'channels' | 'sampleRate'> & {
  /** Samples at the beginning that are not played. */
  skippedSamples: number
}
type Page = { serial: number; isFirst: boolean; granule: bigint; bodyStart: number; end: number }

const headerBytes = 27
/** Of header, segment table and 255 full segments. */
const maxPageBytes = headerBytes + 255 + 255 * 255
/** Streams that begin side by side in one file: sound, video, subtitles. */
const maxStreams = 32
const firstPageFlag = 2
const opusRate = 48_000
/** Some thirty years: a position beyond is no time. */
const maxSeconds = 1e9

/**
 * What an OGG file says of its first Vorbis or Opus sound. `bytes` may be the file's beginning as far as its first pages;
 * the length then needs `whole.readAt`, which is asked for the end of the file only.
 * Throws FormatError `not-this-format`, `unsupported` (another codec), `truncated` or `damaged`.
 */
export function readOgg(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): OggFacts {
  const file = new FileWindow(bytes, whole, 'OGG file')
  const { sound, serial, others } = findSound(file)
  const { skippedSamples, ...facts } = sound
  const lastGranule = findLastGranule(file, serial, others)
  const durationSeconds = lastGranule === null ? null : Math.max(0, lastGranule - skippedSamples) / sound.sampleRate
  if (durationSeconds !== null && durationSeconds > maxSeconds) throw damaged(`it ends after ${durationSeconds} seconds`)
  return { format: 'ogg', ...facts, lastGranule, durationSeconds }
}

/** All streams begin before any goes on (RFC 3533, section 4): the first pages say what there is. */
function findSound(file: FileWindow) {
  let found: { sound: Sound; serial: number } | undefined
  const others = new Set<number>()
  let page = pageAt(file, 0)
  if (page === null) throw new FormatError('not-this-format', 'This is not an OGG file.')
  while (page?.isFirst && others.size < maxStreams) {
    const sound = found ? null : readSound(file.at(page.bodyStart, page.end - page.bodyStart))
    if (sound) found = { sound, serial: page.serial }
    else others.add(page.serial)
    page = file.reachBytes - page.end < headerBytes ? null : pageAt(file, page.end)
  }
  if (!found) throw new FormatError('unsupported', 'The OGG file holds no Vorbis or Opus sound.')
  return { ...found, others }
}

/** The page at this offset, its body within the file; null when there is none. */
function pageAt(file: FileWindow, offset: number): Page | null {
  const length = Math.min(headerBytes + 255, file.reachBytes - offset)
  const page = readPage(file.at(offset, length), offset)
  if (page && page.end > file.reachBytes) throw file.cutOff(`announces a page up to byte ${page.end}`)
  return page
}

/** `bytes` begin where the page should, and hold its header. */
function readPage(bytes: Buffer, offset: number): Page | null {
  const reader = new ByteReader(bytes, { what: 'OGG file' })
  if (bytes.length < 4 || reader.latin1(4) !== 'OggS') return null
  if (reader.u8() !== 0) return null
  const isFirst = (reader.u8() & firstPageFlag) !== 0
  const granule = reader.take(8).readBigInt64LE()
  const serial = reader.u32()
  reader.skip(8)
  const segments = reader.take(reader.u8())
  const bodyStart = offset + reader.offset
  return { serial, isFirst, granule, bodyStart, end: bodyStart + segments.reduce((sum, size) => sum + size, 0) }
}

/** The identification header, which is all that a sound's first page holds; null for anything but Vorbis and Opus. */
function readSound(body: Buffer): Sound | null {
  const reader = new ByteReader(body, { what: 'OGG file', pastEnd: 'damaged' })
  const isVorbis = body.subarray(0, 7).equals(Buffer.from('\x01vorbis', 'latin1'))
  const isOpus = body.subarray(0, 8).equals(Buffer.from('OpusHead', 'latin1'))
  if (!isVorbis && !isOpus) return null
  reader.skip(isVorbis ? 7 : 8)
  return known(isVorbis ? readVorbis(reader) : readOpus(reader))
}

function readVorbis(reader: ByteReader): Sound {
  const version = reader.u32()
  if (version !== 0) throw new FormatError('unsupported', `The OGG file holds Vorbis of version ${version}, which is not known.`)
  return { codec: 'vorbis', channels: reader.u8(), sampleRate: reader.u32(), skippedSamples: 0 }
}

/** Versions below 16 can be read alike (RFC 7845, section 5.1). */
function readOpus(reader: ByteReader): Sound {
  const version = reader.u8()
  if (version >= 16) throw new FormatError('unsupported', `The OGG file holds Opus of version ${version}, which is not known.`)
  return { codec: 'opus', channels: reader.u8(), skippedSamples: reader.u16(), sampleRate: opusRate }
}

function known(sound: Sound): Sound {
  if (sound.channels > 0 && sound.sampleRate > 0) return sound
  throw damaged(`it announces ${sound.channels} channels at ${sound.sampleRate} Hz`)
}

/**
 * Where the sound's last page says it ends: the position of the last whole page that ends a packet. Null when other sounds
 * follow this one in the file, or none of its pages is near the end.
 */
function findLastGranule(file: FileWindow, serial: number, others: Set<number>): number | null {
  if (file.reachBytes < file.sizeBytes) return null
  const start = Math.max(0, file.sizeBytes - windowBytes)
  const tail = file.at(start, file.sizeBytes - start)
  for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf('OggS', at - 1)) {
    if (tail.length - at < headerBytes + (tail[at + headerBytes - 1] ?? 255)) continue
    const page = readPage(tail.subarray(at, at + maxPageBytes), start + at)
    if (page === null || page.end > file.sizeBytes || page.granule < 0n) continue
    if (page.serial === serial) return Number(page.granule)
    if (!others.has(page.serial)) return null
  }
  return null
}

function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The OGG file is damaged: ${problem}.`)
}

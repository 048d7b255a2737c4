// What the header of a PNG, JPEG, WebP or GIF says, without a decoder: kind and size, from the first bytes, in steps that each go forward.
// Sources: PNG (ISO 15948) 11.2.2; JPEG (T.81) B.1.1 and B.2.2; WebP container specification and RFC 6386 9.1; GIF89a 18.
import { FormatError } from '../format-error.ts'

export type PictureKind = 'PNG' | 'JPEG' | 'WebP' | 'GIF'

export interface PictureHeader {
  kind: PictureKind
  /** Pixels as stored, before any EXIF turn; of an animation those of its canvas. */
  width: number
  height: number
  /** Decoders hold the whole picture: interlaced, progressive, and everything that is no PNG or JPEG. Others go line by line. */
  isWhole: boolean
}

/** JPEG files have some dozens before their pixels. */
const maxJpegSegments = 10_000

/**
 * `bytes` may be the picture's beginning: a PNG tells its size in 33 bytes, WebP in 30, GIF in 10, and a JPEG behind its other segments.
 * Throws FormatError `not-this-format`, `truncated` (the beginning is too short) or `damaged`.
 */
export function pictureHeader(bytes: Uint8Array): PictureHeader {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kind = pictureKind(bytes)
  const header = { PNG: pngHeader, JPEG: jpegHeader, WebP: webpHeader, GIF: gifHeader }[kind](view)
  if (header.width < 1 || header.height < 1) throw damaged(kind, `says that it has ${header.width} x ${header.height} pixels`)
  return { kind, ...header }
}

/** By the first bytes, whatever a name says. Throws FormatError `not-this-format`. */
export function pictureKind(bytes: Uint8Array): PictureKind {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'PNG'
  if (head.startsWith('\xff\xd8\xff')) return 'JPEG'
  if (head.startsWith('RIFF') && head.endsWith('WEBP') && head.length === 12) return 'WebP'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'GIF'
  throw new FormatError('not-this-format', 'This is neither a PNG nor a JPEG file, nor a WebP or GIF.')
}

type Size = Omit<PictureHeader, 'kind'>

function pngHeader(bytes: Buffer): Size {
  if (bytes.length < 33) throw cutOff('PNG', bytes)
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    throw damaged('PNG', 'does not begin with its header')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isWhole: bytes[28] !== 0 }
}

/** Frames begin with C0 to CF, but for tables (C4), reserved (C8) and arithmetic conditions (CC). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** Markers that stand alone: TEM, and restarts. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
const progressiveFrames = [0xc2, 0xc6, 0xca, 0xce]
const [startOfScan, endOfImage] = [0xda, 0xd9]

function jpegHeader(bytes: Buffer): Size {
  let at = 2
  for (let segments = 0; segments < maxJpegSegments; segments++) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++
    if (at + 4 > bytes.length) throw cutOff('JPEG', bytes)
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker === startOfScan || marker === endOfImage) break
    if (isBare(marker)) {
      at += 2
      continue
    }
    if (isFrame(marker)) return jpegFrame(bytes, at, marker)
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  throw damaged('JPEG', 'has pixels before it says how many')
}

function jpegFrame(bytes: Buffer, at: number, marker: number): Size {
  if (at + 9 > bytes.length) throw cutOff('JPEG', bytes)
  return {
    width: bytes.readUInt16BE(at + 7),
    height: bytes.readUInt16BE(at + 5),
    isWhole: progressiveFrames.includes(marker),
  }
}

/** Lossy, lossless, or a canvas with more chunks behind it. */
function webpHeader(bytes: Buffer): Size {
  if (bytes.length < 30) throw cutOff('WebP', bytes)
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1, isWhole: true }
  if (chunk === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, isWhole: true }
  }
  if (chunk === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, isWhole: true }
  throw damaged('WebP', 'does not begin with a picture')
}

function gifHeader(bytes: Buffer): Size {
  if (bytes.length < 10) throw cutOff('GIF', bytes)
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), isWhole: true }
}

const cutOff = (kind: PictureKind, { length }: Buffer): FormatError =>
  new FormatError('truncated', `The first ${length} bytes of the ${kind} file do not hold its header.`)

const damaged = (kind: PictureKind, problem: string): FormatError =>
  new FormatError('damaged', `The ${kind} file is damaged: it ${problem}.`)

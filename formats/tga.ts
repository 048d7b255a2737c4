// TGA: header and pixels, read here because no kept library gives both (image-size knows width and height only).
// Layout: Truevision TGA File Format Specification 2.0. Always little-endian; there is no magic number.
import { ByteReader } from './byte-reader.ts'
import { FormatError } from './format-error.ts'

export type TgaFacts = {
  format: 'tga'
  width: number
  height: number
  bitsPerPixel: number
  /** 1 palette, 2 true colour, 3 gray; 8 more when run-length encoded. */
  imageType: number
  rle: boolean
  originTop: boolean
  /** The version 2 footer; null when only the beginning of the file was at hand. */
  footer: boolean | null
}

type Header = TgaFacts & {
  originRight: boolean
  alphaBits: number
  palette: { first: number; length: number; bitsPerEntry: number }
  paletteOffset: number
  pixelsOffset: number
}

export type Pixels = { rgba: Uint8Array; width: number; height: number }

const headerBytes = 18
const footerText = 'TRUEVISION-XFILE.\0'
const depths: Record<number, number[]> = { 1: [8, 16], 2: [15, 16, 24, 32], 3: [8, 16] }
/** 8192 x 8192: as run-length packets of one pixel, about half a second of walking. */
const maxPixels = 8192 * 8192

/**
 * What a TGA says of itself. `bytes` may be the beginning of the file (18 bytes suffice), `sizeBytes` is its whole size.
 * Throws FormatError `not-this-format`, `truncated` or `damaged`.
 */
export function readTga(bytes: Uint8Array, sizeBytes = bytes.length): TgaFacts {
  const { format, width, height, bitsPerPixel, imageType, rle, originTop, footer } = readHeader(bytes, sizeBytes)
  return { format, width, height, bitsPerPixel, imageType, rle, originTop, footer }
}

/**
 * The picture as 8-bit RGBA, top row first, thinned out to at most `maxEdgePx` a side; `bytes` is the whole file.
 * Memory is bounded by `maxEdgePx`, time by 67 million pixels.
 * Throws FormatError `not-this-format`, `truncated`, `damaged` or `too-large`.
 */
export function decodeTga(bytes: Uint8Array, maxEdgePx: number): Pixels {
  const header = readHeader(bytes, bytes.length)
  if (header.width * header.height > maxPixels) {
    throw new FormatError('too-large', `The TGA has ${header.width} x ${header.height} pixels, too many to make a thumbnail of.`)
  }
  const step = Math.ceil(Math.max(header.width, header.height) / maxEdgePx)
  const width = Math.ceil(header.width / step)
  const height = Math.ceil(header.height / step)
  const rgba = new Uint8Array(width * height * 4)
  const pixels = new StoredPixels(bytes, header)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = header.originRight ? width - 1 - column : column
      const y = header.originTop ? row : height - 1 - row
      pixels.write(row * step * header.width + column * step, rgba, (y * width + x) * 4)
    }
  }
  if (header.alphaBits === 0 || !hasAlpha(rgba)) for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255
  return { rgba, width, height }
}

/** False for the many files that announce an alpha channel and leave it all zero. */
function hasAlpha(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) return true
  return false
}

function readHeader(bytes: Uint8Array, sizeBytes: number): Header {
  const reader = new ByteReader(bytes, { what: 'TGA file' })
  const idBytes = reader.u8()
  const paletteType = reader.u8()
  const imageType = reader.u8()
  const palette = { first: reader.u16(), length: reader.u16(), bitsPerEntry: reader.u8() }
  reader.skip(4)
  const size = { width: reader.u16(), height: reader.u16() }
  const bitsPerPixel = reader.u8()
  const descriptor = reader.u8()
  const known = depths[imageType & 7]?.includes(bitsPerPixel) && (imageType & ~11) === 0 && paletteType <= 1
  const paletteFits = (imageType & 7) !== 1 || (paletteType === 1 && depths[2]?.includes(palette.bitsPerEntry))
  if (!known || !paletteFits || descriptor >= 64) throw new FormatError('not-this-format', 'This is not a TGA file.')
  if (size.width === 0 || size.height === 0) throw new FormatError('damaged', 'The TGA file is damaged: it has no pixels.')
  const paletteOffset = headerBytes + idBytes
  const pixelsOffset = paletteOffset + (paletteType === 1 ? palette.length * bytesOf(palette.bitsPerEntry) : 0)
  const rle = (imageType & 8) !== 0
  const leastBytes = rle ? 1 : size.width * size.height * bytesOf(bitsPerPixel)
  if (pixelsOffset + leastBytes > sizeBytes)
    throw new FormatError('truncated', `The TGA file is cut off after ${sizeBytes} bytes.`)
  return {
    format: 'tga',
    ...size,
    bitsPerPixel,
    imageType,
    rle,
    originTop: (descriptor & 32) !== 0,
    originRight: (descriptor & 16) !== 0,
    alphaBits: descriptor & 15,
    footer: bytes.length < sizeBytes ? null : Buffer.from(bytes.subarray(-footerText.length)).toString('latin1') === footerText,
    palette,
    paletteOffset,
    pixelsOffset,
  }
}

/** Finds pixels by their number in file order. Numbers must only grow, so that run-length packets are walked once. */
class StoredPixels {
  readonly #reader: ByteReader
  readonly #header: Header
  readonly #bytesPerPixel: number
  #packet = { first: 0, end: 0, offset: 0, repeats: false }

  constructor(bytes: Uint8Array, header: Header) {
    this.#reader = new ByteReader(bytes, { what: 'TGA file' })
    this.#header = header
    this.#bytesPerPixel = bytesOf(header.bitsPerPixel)
    this.#reader.seek(header.pixelsOffset)
    if (!header.rle) this.#packet = { first: 0, end: Number.POSITIVE_INFINITY, offset: header.pixelsOffset, repeats: false }
  }

  /** Writes pixel `number` as RGBA at `at`. */
  write(number: number, rgba: Uint8Array, at: number): void {
    const { imageType, bitsPerPixel: bits, palette, paletteOffset } = this.#header
    const { bytes } = this.#reader
    const offset = this.#offsetOf(number)
    if ((imageType & 7) !== 1) {
      writeColor(rgba, at, { bytes, offset, bits, gray: (imageType & 7) === 3 })
      return
    }
    const index = (bits === 8 ? bytes.readUInt8(offset) : bytes.readUInt16LE(offset)) - palette.first
    if (index < 0 || index >= palette.length) throw this.#reader.damaged(`names colour ${index} of ${palette.length}`)
    const entry = paletteOffset + index * bytesOf(palette.bitsPerEntry)
    writeColor(rgba, at, { bytes, offset: entry, bits: palette.bitsPerEntry, gray: false })
  }

  #offsetOf(number: number): number {
    while (number >= this.#packet.end) this.#nextPacket()
    const { first, offset, repeats } = this.#packet
    return repeats ? offset : offset + (number - first) * this.#bytesPerPixel
  }

  #nextPacket(): void {
    const head = this.#reader.u8()
    const length = (head & 127) + 1
    const repeats = head >= 128
    const first = this.#packet.end
    this.#packet = { first, end: first + length, offset: this.#reader.offset, repeats }
    this.#reader.skip((repeats ? 1 : length) * this.#bytesPerPixel)
  }
}

type Stored = { bytes: Buffer; offset: number; bits: number; gray: boolean }

/** Stored order is blue, green, red, alpha; 15 and 16 bits are five a colour. */
function writeColor(rgba: Uint8Array, at: number, { bytes, offset, bits, gray }: Stored): void {
  const byte = (index: number) => bytes[offset + index] ?? 0
  if (gray) {
    rgba.fill(byte(0), at, at + 3)
    rgba[at + 3] = bits === 16 ? byte(1) : 255
  } else if (bits <= 16) {
    const packed = byte(0) | (byte(1) << 8)
    for (let channel = 0; channel < 3; channel++)
      rgba[at + channel] = Math.round((((packed >> (10 - 5 * channel)) & 31) * 255) / 31)
    rgba[at + 3] = packed >> 15 ? 255 : 0
  } else {
    for (let channel = 0; channel < 3; channel++) rgba[at + channel] = byte(2 - channel)
    rgba[at + 3] = bits === 32 ? byte(3) : 255
  }
}

function bytesOf(bits: number): number {
  return Math.ceil(bits / 8)
}

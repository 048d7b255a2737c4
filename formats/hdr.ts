// Radiance pictures (.hdr): light as three mantissas with one exponent. Read here because the kept readers decode whole files without a
// bound, and none gives the facts of a header.
// Source: Radiance file formats (Ward, "Real Pixels", Graphics Gems II; RADIANCE 5.4 file format notes).
import { ByteReader } from './byte-reader.ts'
import { FormatError } from './format-error.ts'
import { halfOne, toHalf } from './source/half.ts'
import { type Picture, refuseHugePicture } from './source/picture.ts'

export type HdrFacts = { format: 'hdr'; width: number; height: number }

type Header = HdrFacts & { bottomFirst: boolean; rightFirst: boolean; pixelsOffset: number }

const maxHeaderBytes = 64 * 1024
/** Of lines that may be run-length encoded channel by channel. */
const encodedWidths = { least: 8, most: 32_767 }

/** Width and height. `bytes` may be the file's beginning. Throws FormatError `not-this-format`, `unsupported`, `truncated`, `damaged`. */
export function readHdr(bytes: Uint8Array): HdrFacts {
  const { format, width, height } = readHeader(bytes)
  return { format, width, height }
}

/** The picture of a whole file, as linear light. Throws as `readHdr`, and `too-large`. */
export function readHdrPicture(bytes: Uint8Array): Picture {
  const { width, height, bottomFirst, rightFirst, pixelsOffset } = readHeader(bytes)
  refuseHugePicture('HDR file', { width, height }, 2)
  const reader = new ByteReader(bytes, { what: 'HDR file' })
  reader.seek(pixelsOffset)
  // No line takes less than one run of four bytes: a few bytes do not ask for a large picture.
  if (reader.left < height * 4) throw new FormatError('truncated', `The HDR file is cut off after ${bytes.length} bytes.`)
  const values = new Uint16Array(width * height * 4)
  const line = new Uint8Array(width * 4)
  for (let row = 0; row < height; row++) {
    readLine(reader, line, width)
    const y = bottomFirst ? height - 1 - row : row
    for (let column = 0; column < width; column++) {
      const x = rightFirst ? width - 1 - column : column
      writeLight(line.subarray(column * 4, column * 4 + 4), values, (y * width + x) * 4)
    }
  }
  return { width, height, channels: 4, samples: { kind: 'half', values } }
}

function readHeader(bytes: Uint8Array): Header {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, maxHeaderBytes)).toString('latin1')
  if (!/^#\?(RADIANCE|RGBE)\s/.test(text)) throw new FormatError('not-this-format', 'This is not a Radiance HDR file.')
  const end = text.indexOf('\n\n')
  const resolution = /^([+-][XY]) +(\d{1,6}) +([+-][XY]) +(\d{1,6})\n/.exec(end < 0 ? '' : text.slice(end + 2, end + 200))
  if (!resolution) {
    if (bytes.length < maxHeaderBytes) throw new FormatError('truncated', 'The HDR file is cut off in its header.')
    throw new FormatError('damaged', 'The HDR file is damaged: its header gives no size.')
  }
  const [whole, first = '', rows, second = '', columns] = resolution
  const encoding = /\nFORMAT=(.*)/.exec(text.slice(0, end))?.[1]?.trim()
  if (encoding !== undefined && encoding !== '32-bit_rle_rgbe')
    throw new FormatError('unsupported', `The HDR file holds colours as ${encoding.slice(0, 40)}, which is not read.`)
  if (first[1] !== 'Y' || second[1] !== 'X')
    throw new FormatError('unsupported', 'The HDR file is stored by columns, which is not read.')
  const [height, width] = [Number(rows), Number(columns)]
  if (width < 1 || height < 1) throw new FormatError('damaged', `The HDR file is damaged: it has ${width} x ${height} pixels.`)
  const pixelsOffset = end + 2 + whole.length
  return { format: 'hdr', width, height, bottomFirst: first[0] === '+', rightFirst: second[0] === '-', pixelsOffset }
}

/** Four bytes a pixel: mantissas of red, green, blue, and their exponent. */
function readLine(reader: ByteReader, line: Uint8Array, width: number): void {
  if (width >= encodedWidths.least && width <= encodedWidths.most && reader.left >= 4) {
    const [one, two, high = 0, low = 0] = reader.bytes.subarray(reader.offset, reader.offset + 4)
    if (one === 2 && two === 2 && high < 128) {
      reader.skip(4)
      if (high * 256 + low !== width) throw reader.damaged(`begins a line of ${high * 256 + low} pixels instead of ${width}`)
      for (let channel = 0; channel < 4; channel++) readChannel(reader, line, channel)
      return
    }
  }
  readPixels(reader, line)
}

/** Runs of one channel: above 128 a byte that repeats, else so many bytes as they are. */
function readChannel(reader: ByteReader, line: Uint8Array, channel: number): void {
  for (let at = channel; at < line.length; ) {
    const code = reader.u8()
    const count = code > 128 ? code - 128 : code
    if (count === 0 || at + (count - 1) * 4 >= line.length) throw reader.damaged(`has a run of ${count} that leaves its line`)
    const bytes = reader.take(code > 128 ? 1 : count)
    for (let index = 0; index < count; index++, at += 4) line[at] = bytes[code > 128 ? 0 : index] ?? 0
  }
}

/** Pixel by pixel; in old files 1, 1, 1, n repeats the one before n times, and further such ones 256 n times and so on. */
function readPixels(reader: ByteReader, line: Uint8Array): void {
  for (let at = 0, shift = 0; at < line.length; ) {
    const pixel = reader.take(4)
    const repeats = pixel[0] === 1 && pixel[1] === 1 && pixel[2] === 1
    if (!repeats) {
      line.set(pixel, at)
      at += 4
      shift = 0
      continue
    }
    const end = at + (pixel[3] ?? 0) * 2 ** shift * 4
    if (at === 0 || end > line.length) throw reader.damaged('repeats a pixel beyond its line')
    for (; at < end; at += 4) line.copyWithin(at, at - 4, at)
    shift += 8
  }
}

function writeLight(pixel: Uint8Array, values: Uint16Array, to: number): void {
  const exponent = pixel[3] ?? 0
  const scale = exponent === 0 ? 0 : 2 ** (exponent - 136)
  for (let channel = 0; channel < 3; channel++) values[to + channel] = toHalf((pixel[channel] ?? 0) * scale)
  values[to + 3] = halfOne
}

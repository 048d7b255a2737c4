// Photoshop documents (.psd, .psb): their facts, and the merged picture that they keep beside the layers. Read here because the kept readers
// build every layer of the document first, without a bound, and do not know the merged picture of 16 or 32 bits.
// Source: Adobe Photoshop File Formats Specification (2019). Always big-endian.
import { ByteReader } from './byte-reader.ts'
import { FormatError } from './format-error.ts'
import { halfOne, toHalf } from './source/half.ts'
import { type Picture, refuseHugePicture } from './source/picture.ts'

export type PsdFacts = {
  format: 'psd' | 'psb'
  width: number
  height: number
  bitDepth: 1 | 8 | 16 | 32
  color: 'bitmap' | 'gray' | 'palette' | 'rgb' | 'cmyk' | 'multichannel' | 'duotone' | 'lab'
  /** With those for transparency and kept selections. */
  channels: number
}

const colors: Record<number, PsdFacts['color']> = {
  0: 'bitmap',
  1: 'gray',
  2: 'palette',
  3: 'rgb',
  4: 'cmyk',
  7: 'multichannel',
  8: 'duotone',
  9: 'lab',
}
/** Of the picture itself, transparency not counted. */
const colorChannels: Partial<Record<PsdFacts['color'], number>> = { gray: 1, duotone: 1, palette: 1, rgb: 3, cmyk: 4 }
const depths = new Set([1, 8, 16, 32])
const versionResource = 1057

/** What the header says; 26 bytes suffice. Throws FormatError `not-this-format`, `truncated` or `damaged`. */
export function readPsd(bytes: Uint8Array): PsdFacts {
  return readHeader(new ByteReader(bytes, { what: 'PSD file', littleEndian: false }))
}

/**
 * The merged picture of a whole file, colours as stored, whatever its profile says. Throws as `readPsd`; `unsupported` for a document
 * without one, or with colours that are not read; `too-large`.
 */
export function readPsdPicture(bytes: Uint8Array): Picture {
  const reader = new ByteReader(bytes, { what: 'PSD file', littleEndian: false })
  const facts = readHeader(reader)
  const used = colorChannels[facts.color]
  if (used === undefined || facts.bitDepth === 1)
    throw new FormatError('unsupported', `The picture has ${facts.color} colours, which are not read. Save it as RGB.`)
  if (facts.channels < used) throw reader.damaged(`has ${facts.channels} channels for ${facts.color} colours`)
  refuseHugePicture('PSD file', facts, facts.bitDepth === 8 ? 1 : 2)
  const palette = section(reader, false)
  if (!hasMergedPicture(section(reader, false)))
    throw new FormatError(
      'unsupported',
      'The document keeps no merged picture, only layers. Save it from Photoshop with "Maximize Compatibility".',
    )
  const isTransparent = firstIsTransparency(section(reader, facts.format === 'psb'), facts.format === 'psb')
  const planes = readPlanes(reader, facts, used + (isTransparent && facts.channels > used ? 1 : 0))
  return { width: facts.width, height: facts.height, channels: 4, samples: toRgba(planes, facts, palette) }
}

function readHeader(reader: ByteReader): PsdFacts {
  if (reader.left < 4 || reader.latin1(4) !== '8BPS') throw new FormatError('not-this-format', 'This is not a PSD file.')
  const version = reader.u16()
  if (version !== 1 && version !== 2)
    throw new FormatError('unsupported', `The PSD file is of version ${version}, which is not known.`)
  reader.skip(6)
  const channels = reader.u16()
  const size = { height: reader.u32(), width: reader.u32() }
  const bitDepth = reader.u16()
  const color = colors[reader.u16()]
  const isKnown = color !== undefined && depths.has(bitDepth) && channels >= 1 && channels <= 56
  if (!isKnown || size.width < 1 || size.height < 1 || Math.max(size.width, size.height) > 300_000)
    throw reader.damaged(`announces ${size.width} x ${size.height} pixels of ${channels} channels with ${bitDepth} bits`)
  return { format: version === 1 ? 'psd' : 'psb', ...size, bitDepth: bitDepth as PsdFacts['bitDepth'], color, channels }
}

/** Its length, 64 bits long in some places of a PSB, and its bytes. */
function section(reader: ByteReader, isLong: boolean): Buffer {
  return reader.take(isLong ? reader.i64() : reader.u32())
}

/** Documents that do not say are of a time when all had one. */
function hasMergedPicture(resources: Buffer): boolean {
  const reader = new ByteReader(resources, { what: 'PSD file', littleEndian: false, pastEnd: 'damaged' })
  while (reader.left >= 12) {
    reader.skip(4)
    const id = reader.u16()
    const nameBytes = reader.u8()
    reader.skip(nameBytes + ((nameBytes + 1) % 2))
    const length = reader.u32()
    if (id === versionResource && length >= 5) return reader.take(5)[4] !== 0
    reader.skip(Math.min(length + (length % 2), reader.left))
  }
  return true
}

/** Whether the channel behind the colours is the picture's transparency, and no kept selection: the count of layers is negative then. */
function firstIsTransparency(layers: Buffer, isLong: boolean): boolean {
  const lengthBytes = isLong ? 8 : 4
  return layers.length >= lengthBytes + 2 && layers.readInt16BE(lengthBytes) < 0
}

/** One after another, each by rows from the top. */
function readPlanes(reader: ByteReader, { width, height, bitDepth, channels, format }: PsdFacts, count: number): Buffer[] {
  const compression = reader.u16()
  const rowBytes = (width * bitDepth) / 8
  if (compression === 0) return Array.from({ length: count }, () => reader.take(rowBytes * height))
  if (compression !== 1)
    throw new FormatError('unsupported', `The merged picture is compressed in way ${compression}, which is not read.`)
  const sizes = new ByteReader(reader.take(channels * height * (format === 'psb' ? 4 : 2)), {
    what: 'PSD file',
    littleEndian: false,
  })
  return Array.from({ length: count }, () => {
    const plane = Buffer.alloc(rowBytes * height)
    for (let row = 0; row < height; row++) {
      const packed = reader.take(format === 'psb' ? sizes.u32() : sizes.u16())
      unpack(packed, plane.subarray(row * rowBytes, (row + 1) * rowBytes))
    }
    return plane
  })
}

/** PackBits; what is missing at the end of a row stays black. */
function unpack(packed: Buffer, row: Buffer): void {
  for (let from = 0, to = 0; from < packed.length && to < row.length; ) {
    const code = packed.readInt8(from++)
    if (code === -128) continue
    const count = code < 0 ? 1 - code : code + 1
    if (code < 0) row.fill(packed[from++] ?? 0, to, Math.min(to + count, row.length))
    else {
      packed.copy(row, to, from, Math.min(from + count, packed.length))
      from += count
    }
    to += count
  }
}

type Samples = Picture['samples']

function toRgba(planes: Buffer[], facts: PsdFacts, palette: Buffer): Samples {
  const count = facts.width * facts.height
  if (facts.bitDepth === 8) {
    const values = new Uint8Array(count * 4)
    fill(values, planes, { facts, palette, full: 255, at: (plane, index) => plane[index] ?? 0 })
    return { kind: 'u8', values }
  }
  const values = new Uint16Array(count * 4)
  if (facts.bitDepth === 16) {
    fill(values, planes, { facts, palette, full: 65_535, at: (plane, index) => plane.readUInt16BE(index * 2) })
    return { kind: 'u16', values }
  }
  if (facts.color === 'cmyk')
    throw new FormatError('unsupported', 'The picture has cmyk colours of 32 bits, which are not read. Save it as RGB.')
  for (let index = 0; index < count; index++) {
    for (let channel = 0; channel < 4; channel++) {
      const plane = planes.length < 3 ? planes[channel < 3 ? 0 : 1] : planes[channel]
      values[index * 4 + channel] = plane ? toHalf(plane.readFloatBE(index * 4)) : halfOne
    }
  }
  return { kind: 'half', values }
}

interface Filling {
  facts: PsdFacts
  palette: Buffer
  /** The largest sample. */
  full: number
  at: (plane: Buffer, index: number) => number
}

/** The merged picture lies on white; where it is transparent, the white is taken out again. */
function fill(values: Uint8Array | Uint16Array, planes: Buffer[], { facts, palette, full, at }: Filling): void {
  const used = colorChannels[facts.color] ?? 0
  const alphaPlane = planes[used]
  const pixels = facts.width * facts.height
  const color = [0, 0, 0]
  for (let index = 0; index < pixels; index++) {
    const first = at(planes[0] as Buffer, index)
    for (let channel = 0; channel < 3; channel++) {
      if (facts.color === 'palette') color[channel] = palette[channel * 256 + first] ?? 0
      else if (used === 1) color[channel] = first
      else color[channel] = at(planes[channel] as Buffer, index)
    }
    // Ink is stored as what it leaves of the light.
    if (used === 4)
      for (let channel = 0; channel < 3; channel++)
        color[channel] = ((color[channel] ?? 0) * at(planes[3] as Buffer, index)) / full
    const alpha = alphaPlane ? at(alphaPlane, index) : full
    for (let channel = 0; channel < 3; channel++) {
      const onWhite = color[channel] ?? 0
      const own = alpha === full || alpha === 0 ? onWhite : ((onWhite - (full - alpha)) * full) / alpha
      values[index * 4 + channel] = Math.round(Math.min(full, Math.max(0, own)))
    }
    values[index * 4 + 3] = alpha
  }
}

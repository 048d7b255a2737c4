// OpenEXR: its header. A walk of our own, for facts out of a beginning and for bounds before anything is decoded.
// Source: "OpenEXR File Layout", openexr.com.
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'

export type ExrFacts = {
  format: 'exr'
  width: number
  height: number
  compression: Compression
  channels: string[]
  tiled: boolean
}

export const compressions = ['none', 'rle', 'zips', 'zip', 'piz', 'pxr24', 'b44', 'b44a', 'dwaa', 'dwab'] as const
export type Compression = (typeof compressions)[number]

export interface Channel {
  name: string
  type: 'uint' | 'half' | 'float'
  /** Every how many columns and rows there is a sample. */
  sampling: [number, number]
}

export interface ExrHeader {
  width: number
  height: number
  /** Of the first row and column, as files number them. */
  yMin: number
  compression: Compression
  /** In the order of the file. */
  channels: Channel[]
  tile: { width: number; height: number } | null
  /** Where the table of chunks begins. */
  tableOffset: number
}

const magic = 20_000_630
const flags = { tiled: 0x200, deep: 0x800, multipart: 0x1000 }
const types = ['uint', 'half', 'float'] as const
const maxNameBytes = 255
const maxAttributes = 1000
const maxChannels = 1024

/** `bytes` may be the file's beginning. Throws FormatError `not-this-format`, `unsupported`, `truncated` or `damaged`. */
export function readExr(bytes: Uint8Array): ExrFacts {
  const { width, height, compression, channels, tile } = readExrHeader(bytes)
  return { format: 'exr', width, height, compression, channels: channels.map(({ name }) => name), tiled: tile !== null }
}

export function readExrHeader(bytes: Uint8Array): ExrHeader {
  const reader = new ByteReader(bytes, { what: 'EXR file' })
  if (reader.left < 8 || reader.u32() !== magic) throw new FormatError('not-this-format', 'This is not an OpenEXR file.')
  const version = reader.u32()
  if ((version & (flags.deep | flags.multipart)) !== 0)
    throw new FormatError('unsupported', 'The EXR file has several parts or deep pixels, which are not read.')
  const attributes = readAttributes(reader)
  const attribute = (name: string): ByteReader => {
    const value = attributes.get(name)
    if (!value) throw reader.damaged(`has no ${name} in its header`)
    return new ByteReader(value, { what: 'EXR file', pastEnd: 'damaged' })
  }
  const compression = compressions[attribute('compression').u8()]
  if (!compression) throw new FormatError('unsupported', 'The EXR file is compressed in a way that is not known.')
  const box = attribute('dataWindow')
  const [xMin, yMin, xMax, yMax] = [box.i32(), box.i32(), box.i32(), box.i32()]
  const size = { width: xMax - xMin + 1, height: yMax - yMin + 1 }
  if (size.width < 1 || size.height < 1) throw reader.damaged(`has ${size.width} x ${size.height} pixels`)
  const tile = (version & flags.tiled) === 0 ? null : readTile(attribute('tiles'))
  return { ...size, yMin, compression, channels: readChannels(attribute('channels')), tile, tableOffset: reader.offset }
}

function readAttributes(reader: ByteReader): Map<string, Buffer> {
  const attributes = new Map<string, Buffer>()
  for (let count = 0; count < maxAttributes; count++) {
    const name = text(reader)
    if (name === '') return attributes
    text(reader)
    attributes.set(name, reader.take(reader.u32()))
  }
  throw reader.damaged('has too many attributes')
}

/** Up to a zero. */
function text(reader: ByteReader): string {
  const end = reader.bytes.subarray(reader.offset, reader.offset + maxNameBytes + 1).indexOf(0)
  if (end < 0 && reader.left > maxNameBytes) throw reader.damaged('has a name without an end')
  const value = reader.latin1(end < 0 ? reader.left + 1 : end)
  reader.skip(1)
  return value
}

function readTile(reader: ByteReader): { width: number; height: number } {
  const tile = { width: reader.u32(), height: reader.u32() }
  if (tile.width < 1 || tile.height < 1) throw reader.damaged('has tiles without pixels')
  return tile
}

function readChannels(reader: ByteReader): Channel[] {
  const channels: Channel[] = []
  for (let name = text(reader); name !== ''; name = text(reader)) {
    const type = types[reader.u32()]
    reader.skip(4)
    const sampling: [number, number] = [reader.u32(), reader.u32()]
    if (!type || sampling.includes(0) || channels.length >= maxChannels) throw reader.damaged(`has an impossible channel ${name}`)
    channels.push({ name, type, sampling })
  }
  return channels
}

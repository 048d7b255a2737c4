// Pictures in formats that no library here writes, made byte by byte: Radiance HDR, Photoshop documents, OpenEXR.
import { deflateSync } from 'node:zlib'

/** Bytes of red, green, blue, exponent for each pixel. Lines of at least eight pixels are run-length encoded where `encoded`. */
export function toHdr(size: { width: number; height: number }, rgbe: Uint8Array, encoded: boolean): Buffer {
  const { width, height } = size
  const header = Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`)
  if (!encoded) return Buffer.concat([header, rgbe])
  const lines = Array.from({ length: height }, (_, y) => {
    const channels = Array.from({ length: 4 }, (_, channel) => {
      const bytes = Array.from({ length: width }, (_, x) => rgbe[(y * width + x) * 4 + channel] ?? 0)
      // The first half as it is, then the last byte repeated.
      const half = width >> 1
      const isFlat = bytes.slice(half).every((byte) => byte === bytes[half])
      return isFlat ? [half, ...bytes.slice(0, half), 128 + width - half, bytes[half] ?? 0] : [width, ...bytes]
    })
    return Buffer.from([2, 2, width >> 8, width & 255, ...channels.flat()])
  })
  return Buffer.concat([header, ...lines])
}

export interface Document {
  width: number
  height: number
  bitDepth: number
  /** 1 gray, 2 palette, 3 RGB, 4 CMYK. */
  mode: number
  /** Each with its rows from the top. */
  planes: Buffer[]
  palette?: Buffer
  hasMerged?: boolean
  /** The channel behind the colours is transparency. */
  isTransparent?: boolean
  packed?: boolean
}

export function toPsd(document: Document): Buffer {
  const { width, height, bitDepth, mode, planes, palette, hasMerged = true, isTransparent = false, packed = false } = document
  const header = Buffer.alloc(26)
  header.write('8BPS\0\x01', 'latin1')
  header.writeUInt16BE(planes.length, 12)
  header.writeUInt32BE(height, 14)
  header.writeUInt32BE(width, 18)
  header.writeUInt16BE(bitDepth, 22)
  header.writeUInt16BE(mode, 24)
  const version = Buffer.from([...Buffer.from('8BIM'), 0x04, 0x21, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, hasMerged ? 1 : 0, 0])
  const layers = Buffer.from([0, 0, 0, 2, ...(isTransparent ? [0xff, 0xff] : [0, 1])])
  const rowBytes = (width * bitDepth) / 8
  const rows = planes.flatMap((plane) =>
    Array.from({ length: height }, (_, y) => plane.subarray(y * rowBytes, (y + 1) * rowBytes)),
  )
  const runs = rows.map((row) => Buffer.concat([Buffer.of(row.length - 1), row]))
  const sizes = Buffer.concat(runs.map((run) => u16(run.length)))
  const pixels = packed ? [u16(1), sizes, ...runs] : [u16(0), ...rows]
  return Buffer.concat([header, section(palette ?? Buffer.alloc(0)), section(version), section(layers), ...pixels])
}

export interface Light {
  width: number
  height: number
  /** By name, in alphabetical order: numbers of all rows from the top. */
  channels: Record<string, number[]>
  /** 0 none, 2 ZIP of single rows. */
  compression?: number
  dataWindow?: [number, number, number, number]
}

/** An EXR of 32-bit floats. */
export function toExr({ width, height, channels, compression = 0, dataWindow = [0, 0, width - 1, height - 1] }: Light): Buffer {
  const names = Object.keys(channels)
  const list = names.map((name) => Buffer.concat([text(name), words(2, 0, 1, 1)]))
  const header = Buffer.concat([
    words(20_000_630, 2),
    attribute('channels', 'chlist', Buffer.concat([...list, Buffer.alloc(1)])),
    attribute('compression', 'compression', Buffer.of(compression)),
    attribute('dataWindow', 'box2i', words(...dataWindow)),
    attribute('lineOrder', 'lineOrder', Buffer.of(0)),
    Buffer.alloc(1),
  ])
  const chunks = Array.from({ length: height }, (_, y) => {
    const row = names.flatMap((name) => channels[name]?.slice(y * width, (y + 1) * width) ?? [])
    const raw = Buffer.from(Float32Array.from(row).buffer)
    const bytes = compression === 0 ? raw : smaller(raw)
    return Buffer.concat([words((dataWindow[1] ?? 0) + y, bytes.length), bytes])
  })
  let offset = header.length + height * 8
  const table = chunks.map((chunk) => {
    const at = offset
    offset += chunk.length
    return words(at, 0)
  })
  return Buffer.concat([header, ...table, ...chunks])
}

/** Even places before odd ones, then differences, then zlib; as it is where that is not smaller. */
function smaller(raw: Buffer): Buffer {
  const parted = Buffer.concat([raw.filter((_, at) => at % 2 === 0), raw.filter((_, at) => at % 2 === 1)])
  const differences = Buffer.from(parted.map((byte, at) => (at === 0 ? byte : byte - (parted[at - 1] ?? 0) + 128)))
  const zipped = deflateSync(differences)
  return zipped.length < raw.length ? zipped : raw
}

const text = (value: string) => Buffer.from(`${value}\0`, 'latin1')
const words = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer)
const attribute = (name: string, type: string, value: Buffer) =>
  Buffer.concat([text(name), text(type), words(value.length), value])

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function section(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

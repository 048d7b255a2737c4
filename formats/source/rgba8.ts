// Pictures of any kind as people see them on a screen: 8-bit red, green, blue, alpha.
import type { Picture } from './picture.ts'

/**
 * Rows from the top left, four bytes a pixel; a view of the picture's own samples where those are that already.
 * Floats are clamped to 0 to 1 and brought to screen brightness; alpha stays linear, and is full where there is none.
 */
export function rgba8({ channels, samples }: Picture): Uint8Array {
  const bytes = samples.kind === 'u8' ? samples.values : mapped(samples.values, tableOf(samples.kind))
  if (channels === 1) return spread(bytes)
  if (samples.kind === 'half') for (let i = 3; i < bytes.length; i += 4) bytes[i] = byteOf(halfToNumber(samples.values[i] ?? 0))
  return bytes
}

/**
 * The same for some rows at a time, so that it takes little memory beside the picture, whatever that has a pixel. Each is valid until the
 * next.
 */
export function* rgba8Rows({ width, height, channels, samples }: Picture): Generator<Uint8Array> {
  const rows = Math.max(1, Math.floor(bandPixels / width))
  for (let from = 0; from < height; from += rows) {
    const [start, end] = [from * width * channels, Math.min(height, from + rows) * width * channels]
    const band =
      samples.kind === 'u8'
        ? { kind: samples.kind, values: samples.values.subarray(start, end) }
        : { kind: samples.kind, values: samples.values.subarray(start, end) }
    yield rgba8({ width, height: Math.min(height, from + rows) - from, channels, samples: band })
  }
}

const bandPixels = 256 * 1024
const screenGamma = 1 / 2.2

/** Gray to red, green, blue, opaque. */
function spread(gray: Uint8Array): Uint8Array {
  const rgba = new Uint8Array(gray.length * 4).fill(255)
  for (let i = 0; i < gray.length; i++) {
    const value = gray[i] ?? 0
    rgba[i * 4] = value
    rgba[i * 4 + 1] = value
    rgba[i * 4 + 2] = value
  }
  return rgba
}

function mapped(values: Uint16Array, table: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(values.length)
  for (let i = 0; i < values.length; i++) bytes[i] = table[values[i] ?? 0] ?? 0
  return bytes
}

const tables = new Map<'half' | 'u16', Uint8Array>()

/** For each of the 65,536 values its byte on a screen; made when it is first needed. */
function tableOf(kind: 'half' | 'u16'): Uint8Array {
  const known = tables.get(kind)
  if (known !== undefined) return known
  const byte = (value: number) =>
    kind === 'u16' ? Math.round(value / 257) : byteOf(Math.max(0, halfToNumber(value)) ** screenGamma)
  const table = Uint8Array.from({ length: 65_536 }, (_, value) => byte(value))
  tables.set(kind, table)
  return table
}

/** What is no number is black. */
function byteOf(value: number): number {
  return value > 0 ? Math.round(Math.min(value, 1) * 255) : 0
}

function halfToNumber(half: number): number {
  const sign = half >= 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

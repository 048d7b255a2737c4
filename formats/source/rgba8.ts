// Pictures of any kind as people see them on a screen: 8-bit red, green, blue, alpha.
import type { Picture } from './picture.ts'

/**
 * Rows from the top left, four bytes a pixel; a view of the picture's own samples where those are that already.
 * Floats are clamped to 0 to 1 and brought to screen brightness; alpha stays linear, and is full where there is none.
 */
export function rgba8({ channels, samples }: Picture): Uint8Array {
  if (samples.kind === 'u8') return channels === 4 ? samples.values : spread(samples.values)
  if (samples.kind === 'half') return channels === 4 ? halfPixels(samples.values) : spread(mapped(samples.values, brightOfHalf()))
  const eighth = Uint8Array.from(samples.values, (value) => Math.round(value / 257))
  return channels === 4 ? eighth : spread(eighth)
}

const screenGamma = 1 / 2.2

/** Gray to red, green, blue, opaque. */
function spread(gray: Uint8Array): Uint8Array {
  const rgba = new Uint8Array(gray.length * 4)
  for (let i = 0; i < gray.length; i++) rgba.fill(gray[i] ?? 0, i * 4, i * 4 + 3)
  for (let i = 3; i < rgba.length; i += 4) rgba[i] = 255
  return rgba
}

function mapped(values: Uint16Array, table: Uint8Array): Uint8Array {
  return Uint8Array.from(values, (value) => table[value] ?? 0)
}

function halfPixels(values: Uint16Array): Uint8Array {
  const rgba = mapped(values, brightOfHalf())
  for (let i = 3; i < rgba.length; i += 4) rgba[i] = byteOf(halfToNumber(values[i] ?? 0))
  return rgba
}

let brightTable: Uint8Array | undefined

/** For each of the 65,536 half floats its byte on a screen. */
function brightOfHalf(): Uint8Array {
  brightTable ??= Uint8Array.from({ length: 65_536 }, (_, half) => byteOf(Math.max(0, halfToNumber(half)) ** screenGamma))
  return brightTable
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

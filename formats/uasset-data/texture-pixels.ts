// Pixels of a texture's source, as engines lay them out.
import type { Picture } from '../source/picture.ts'

export type PixelFormat = {
  channels: 1 | 4
  kind: Picture['samples']['kind']
  pixelBytes: number
  /** Blue, green, red, alpha in memory; else red comes first. */
  blueFirst: boolean
}

/** By the engine's name. */
export const pixelFormats: ReadonlyMap<string, PixelFormat> = new Map<string, PixelFormat>([
  ['TSF_BGRA8', { channels: 4, kind: 'u8', pixelBytes: 4, blueFirst: true }],
  ['TSF_G8', { channels: 1, kind: 'u8', pixelBytes: 1, blueFirst: false }],
  ['TSF_G16', { channels: 1, kind: 'u16', pixelBytes: 2, blueFirst: false }],
  ['TSF_RGBA16', { channels: 4, kind: 'u16', pixelBytes: 8, blueFirst: false }],
  ['TSF_RGBA16F', { channels: 4, kind: 'half', pixelBytes: 8, blueFirst: false }],
])

/** A picture of the pixels of a format, red first; it keeps a view of the bytes where their alignment allows it. */
export function picturePixels(bytes: Uint8Array, size: { width: number; height: number }, format: PixelFormat): Picture {
  const { width, height } = size
  const { channels, kind } = format
  return { width, height, channels, samples: kind === 'u8' ? { kind, values: bytes } : { kind, values: words(bytes) } }
}

/** Exchanges the first and third byte of each four, in place. */
export function exchangeRedAndBlue(pixels: Uint8Array): Uint8Array {
  for (let i = 0; i + 3 < pixels.length; i += 4) {
    const first = pixels[i] ?? 0
    pixels[i] = pixels[i + 2] ?? 0
    pixels[i + 2] = first
  }
  return pixels
}

/** Files and all machines that run this are little-endian; only the alignment may not fit, then the bytes are copied. */
function words(bytes: Uint8Array): Uint16Array {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes)
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1)
}

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

/** A picture of exactly `width * height` pixels; of red and blue in order it keeps a view of the bytes where that is possible. */
export function picturePixels(bytes: Uint8Array, size: { width: number; height: number }, format: PixelFormat): Picture {
  const { channels, kind, blueFirst } = format
  if (kind === 'u8') return { ...size, channels, samples: { kind, values: blueFirst ? toRedFirst(bytes) : bytes } }
  return { ...size, channels, samples: { kind, values: words(bytes) } }
}

/** A copy with the first and third byte of each four exchanged. */
export function toRedFirst(bgra: Uint8Array): Uint8Array {
  const rgba = Uint8Array.from(bgra)
  for (let i = 0; i + 3 < rgba.length; i += 4) {
    rgba[i] = bgra[i + 2] ?? 0
    rgba[i + 2] = bgra[i] ?? 0
  }
  return rgba
}

/** Files and all machines that run this are little-endian; only the alignment may not fit, then the bytes are copied. */
function words(bytes: Uint8Array): Uint16Array {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1)
}

/** Pixels of a texture's source: what it was imported as, before the engine compressed it; or of a picture in a file of its own. */
import { FormatError } from '../format-error.ts'

/** Rows from the top left, each `width * channels` samples; red first. */
export interface Picture {
  width: number
  height: number
  channels: 1 | 4
  /** 16-bit samples are unsigned; `half` are 16-bit floats, linear light, which may exceed 1. */
  samples: { kind: 'u8'; values: Uint8Array } | { kind: 'u16'; values: Uint16Array } | { kind: 'half'; values: Uint16Array }
}

/** Of four samples a pixel: 8192 x 8192 of 8 bits, 8192 x 4096 of 16. */
const maxSampleBytes = 256 * 1024 * 1024
/** Lines that are longer make every buffer for a few of them as large as a picture. */
const maxEdgePx = 32_768

/** Throws FormatError `damaged` for a size without pixels, `too-large` for one whose samples would take more than 256 MiB. */
export function refuseHugePicture(
  what: string,
  { width, height }: { width: number; height: number },
  bytesPerSample: 1 | 2,
): void {
  if (width < 1 || height < 1) throw new FormatError('damaged', `The ${what} is damaged: it has ${width} x ${height} pixels.`)
  if (Math.max(width, height) <= maxEdgePx && width * height * 4 * bytesPerSample <= maxSampleBytes) return
  throw new FormatError('too-large', `The picture has ${width} x ${height} pixels, too many to decode safely.`)
}

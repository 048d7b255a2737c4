/** What a picture of each purpose may be, in the numbers of section 8: nothing beyond this is taken in, and nothing beyond it is decoded. */
import { limits } from './limits.ts'

const { thumbnail, preview, attachment } = limits

/** Decoded as a whole, as interlaced pictures are, at most so many pixels: 8 bytes each at worst. */
const wholePixels = 4096 * 4096

export const pictureBounds = {
  thumbnail: { kinds: ['PNG'], maxBytes: thumbnail.bytes, maxEdgePx: thumbnail.edgePx, maxPixels: thumbnail.edgePx ** 2 },
  /** A preview of the kind `image`. */
  image: {
    kinds: ['PNG'],
    maxBytes: preview.imageBytes,
    maxEdgePx: preview.imageEdgePx,
    maxPixels: preview.imageEdgePx ** 2,
    maxWholePixels: wholePixels,
  },
  /** Any shape, but for lines that no decoder takes. */
  attachment: {
    kinds: ['PNG'],
    maxBytes: attachment.bytes,
    maxEdgePx: 1_000_000,
    maxPixels: attachment.pixels,
  },
} as const

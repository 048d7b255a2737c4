// The picture inside an Unreal package, as people should see it.
import type { Sharp } from 'sharp'
import { FormatError } from '../format-error.ts'
import { decodePicture, type PictureBounds } from '../pictures/decoding.ts'
import type { PackageFacts } from './facts.ts'
import { maxThumbnailSide } from './thumbnail-table.ts'

/** What a library takes at most (spec 8). */
const largestSide = 512

const bounds: PictureBounds = { kinds: ['PNG', 'JPEG'], maxEdgePx: maxThumbnailSide, maxPixels: maxThumbnailSide ** 2 }

/** Engines keep red and blue exchanged, in PNG and JPEG alike. */
const redBlueExchanged: [[number, number, number], [number, number, number], [number, number, number]] = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
]

/**
 * The package's picture as an opaque PNG of at most 512 x 512, its colours put right; null when it has none.
 * `bytes` is what `facts` were read from. Alpha is dropped, not blended: it holds the material's or texture's own
 * data, and many pictures are wholly transparent. Throws FormatError `truncated` or `damaged`.
 */
export async function embeddedThumbnail(
  bytes: Uint8Array,
  { thumbnail }: Pick<PackageFacts, 'thumbnail'>,
): Promise<Buffer | null> {
  if (thumbnail === null) return null
  const { offset, length, object } = thumbnail
  if (offset + length > bytes.length)
    throw new FormatError('truncated', `The picture of ${object} lies beyond the bytes at hand.`)
  const make = (picture: Sharp) =>
    picture
      .removeAlpha()
      .recomb(redBlueExchanged)
      .resize({ width: largestSide, height: largestSide, fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 3 }) // half the time of level 6 for a twentieth more bytes
      .toBuffer()
  try {
    return await decodePicture(bytes.subarray(offset, offset + length), { bounds, make })
  } catch (cause) {
    throw new FormatError('damaged', `The picture of ${object} is damaged. Save the package again in the editor to renew it.`, {
      cause,
    })
  }
}

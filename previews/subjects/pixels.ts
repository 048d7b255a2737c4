/** Pictures as small as a screen needs them: 8-bit red, green, blue, alpha. */
import type { Sharp } from 'sharp'
import { FormatError } from '../../formats/format-error.ts'
import { sourceBounds } from '../../formats/image.ts'
import { decodePicture, ownPixels, pictureWithin } from '../../formats/pictures/decoding.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { rgba8 } from '../../formats/source/rgba8.ts'
import type { Size } from '../camera.ts'

export interface Pixels extends Size {
  rgba: Uint8Array
}

/** No terminal shows more. */
const screenEdgePx = 2048

/** Of a PNG or JPEG, with the size that it has. Throws FormatError. */
export async function imagePixels(bytes: Uint8Array): Promise<Size & { pixels: Pixels }> {
  const { width, height } = pictureWithin(bytes, sourceBounds)
  return { width, height, pixels: await decodePicture(bytes, { bounds: sourceBounds, make: madeSmall }) }
}

/** Throws FormatError `damaged` for a picture without pixels, or with more or fewer samples than its size says. */
export async function picturePixels(picture: Picture): Promise<Pixels> {
  const { width, height, channels, samples } = picture
  if (Math.min(width, height) < 1 || samples.values.length !== width * height * channels)
    throw new FormatError('damaged', `The picture is damaged: ${width} x ${height} pixels, ${samples.values.length} samples.`)
  return madeSmall(await ownPixels(rgba8(picture), { width, height, channels: 4 }))
}

/** So large that it just fits the box; see-through where it leaves the box empty. Small pictures grow with hard edges, as texels. */
export async function fitPixels({ rgba, ...from }: Pixels, box: Size): Promise<Pixels> {
  const isSmaller = from.width < box.width && from.height < box.height
  const fitted = (await ownPixels(rgba, { ...from, channels: 4 })).resize({
    ...box,
    fit: 'contain',
    background: { r: 0, g: 0, b: 0, alpha: 0 },
    ...(isSmaller && { kernel: 'nearest' }),
  })
  const { data, info } = await fitted.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

async function madeSmall(picture: Sharp): Promise<Pixels> {
  const small = picture.resize({ width: screenEdgePx, height: screenEdgePx, fit: 'inside', withoutEnlargement: true })
  const { data, info } = await small.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

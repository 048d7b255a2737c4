/** Pictures as small as a screen needs them: 8-bit red, green, blue, alpha. */
import { FormatError } from '../../formats/format-error.ts'
import { loadSharp } from '../../formats/image.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { rgba8 } from '../../formats/source/rgba8.ts'
import type { Size } from '../camera.ts'

export interface Pixels extends Size {
  rgba: Uint8Array
}

/** No terminal shows more. */
const screenEdgePx = 2048
const mostPixels = 16_384 * 16_384

/** Of a PNG or JPEG, with the size that it has. Throws FormatError `damaged`. */
export async function imagePixels(bytes: Uint8Array): Promise<Size & { pixels: Pixels }> {
  const sharp = await loadSharp()
  try {
    const picture = sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error', sequentialRead: true })
    const { width, height } = await picture.metadata()
    return { width, height, pixels: await madeSmall(picture.timeout({ seconds: 20 })) }
  } catch (cause) {
    throw new FormatError('damaged', 'The picture is damaged: its pixels cannot be decoded.', { cause })
  }
}

/** Throws FormatError `damaged` for a picture without pixels, or with more or fewer samples than its size says. */
export async function picturePixels(picture: Picture): Promise<Pixels> {
  const { width, height, channels, samples } = picture
  if (Math.min(width, height) < 1 || samples.values.length !== width * height * channels)
    throw new FormatError('damaged', `The picture is damaged: ${width} x ${height} pixels, ${samples.values.length} samples.`)
  const sharp = await loadSharp()
  return madeSmall(sharp(rgba8(picture), { raw: { width, height, channels: 4 }, limitInputPixels: mostPixels }))
}

/** So large that it just fits the box; see-through where it leaves the box empty. Small pictures grow with hard edges, as texels. */
export async function fitPixels({ rgba, ...from }: Pixels, box: Size): Promise<Pixels> {
  const sharp = await loadSharp()
  const isSmaller = from.width < box.width && from.height < box.height
  const fitted = sharp(rgba, { raw: { ...from, channels: 4 } }).resize({
    ...box,
    fit: 'contain',
    background: { r: 0, g: 0, b: 0, alpha: 0 },
    ...(isSmaller && { kernel: 'nearest' }),
  })
  const { data, info } = await fitted.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

type Sharp = ReturnType<Awaited<ReturnType<typeof loadSharp>>>

async function madeSmall(picture: Sharp): Promise<Pixels> {
  const small = picture.resize({ width: screenEdgePx, height: screenEdgePx, fit: 'inside', withoutEnlargement: true })
  const { data, info } = await small.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

/** Pictures as the image model wants them: size, cut and range of numbers, as preprocessor_config.json says. */
import { smallPicture } from '../../../formats/image.ts'
import { ownPixels } from '../../../formats/pictures/decoding.ts'
import { EmbedderError } from '../embedder-error.ts'

export interface Preprocessing {
  width: number
  height: number
  /** What is taken of the picture: a part of its shorter side from the middle, or all of it. */
  take: { middle: number } | 'all'
  /** Of red, green and blue, from 0 to 1. */
  mean: readonly number[]
  deviation: readonly number[]
}

/** What CLIP was trained with, for configurations that leave them out. */
const usual = { edge: 224, mean: [0.48145466, 0.4578275, 0.40821073], deviation: [0.26862954, 0.26130258, 0.27577711] }
const largestEdge = 2048
/** Before the model's own size. */
const decodedPx = 1024

/** Throws EmbedderError that names the file and the field. */
export function preprocessingOf(config: Record<string, unknown>, path: string): Preprocessing {
  const size = sizeIn(config, 'size', path) ?? { width: usual.edge, height: usual.edge }
  const crops = config.do_center_crop !== false && config.crop_size !== undefined
  const crop = crops ? (sizeIn(config, 'crop_size', path) ?? size) : size
  const keepsShape = crops || isShortestEdge(config.size)
  const numbers = (name: string, otherwise: readonly number[]): readonly number[] => {
    const value = config[name] ?? otherwise
    const isSound =
      Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number' && Number.isFinite(one))
    if (!isSound) throw new EmbedderError(`${path} is damaged: ${name} is not three numbers.`)
    return value
  }
  const normalizes = config.do_normalize !== false
  const deviation = normalizes ? numbers('image_std', usual.deviation) : [1, 1, 1]
  if (deviation.includes(0)) throw new EmbedderError(`${path} is damaged: image_std has a zero.`)
  return {
    width: crop.width,
    height: crop.height,
    take: keepsShape ? { middle: Math.min(1, Math.min(crop.width, crop.height) / Math.min(size.width, size.height)) } : 'all',
    mean: normalizes ? numbers('image_mean', usual.mean) : [0, 0, 0],
    deviation,
  }
}

const isShortestEdge = (size: unknown): boolean =>
  typeof size === 'number' || (typeof size === 'object' && size !== null && 'shortest_edge' in size)

function sizeIn(config: Record<string, unknown>, name: string, path: string): { width: number; height: number } | undefined {
  const value = config[name]
  if (value === undefined) return undefined
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { shortest_edge: value }
  const [width, height] = [fields.width ?? fields.shortest_edge, fields.height ?? fields.shortest_edge]
  const isEdge = (edge: unknown): edge is number => Number.isInteger(edge) && Number(edge) >= 1 && Number(edge) <= largestEdge
  if (!isEdge(width) || !isEdge(height))
    throw new EmbedderError(`${path} is damaged: ${name} is no size from 1 to ${largestEdge}.`)
  return { width, height }
}

/** Planes of red, green and blue. On white where the picture is transparent. Throws FormatError. */
export async function pixelValues(bytes: Uint8Array, preprocessing: Preprocessing): Promise<Float32Array> {
  const { width, height, take, mean, deviation } = preprocessing
  const picture = await smallPicture(bytes, decodedPx)
  const own = await ownPixels(picture.rgba, { width: picture.width, height: picture.height, channels: 4 })
  const pixels = await own
    .flatten({ background: '#fff' })
    .extract(
      take === 'all'
        ? { left: 0, top: 0, width: picture.width, height: picture.height }
        : middleOf(picture, { width, height, part: take.middle }),
    )
    .resize({ width, height, fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer()
  const plane = width * height
  const values = new Float32Array(plane * 3)
  for (let pixel = 0; pixel < plane; pixel++)
    for (let channel = 0; channel < 3; channel++)
      values[channel * plane + pixel] =
        ((pixels[pixel * 3 + channel] ?? 0) / 255 - (mean[channel] ?? 0)) / (deviation[channel] ?? 1)
  return values
}

/** The largest cut of the wanted shape, and of that the middle part. */
function middleOf(
  picture: { width: number; height: number },
  { width, height, part }: { width: number; height: number; part: number },
): { left: number; top: number; width: number; height: number } {
  const scale = Math.min(picture.width / width, picture.height / height) * part
  const cut = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  return { ...cut, left: Math.floor((picture.width - cut.width) / 2), top: Math.floor((picture.height - cut.height) / 2) }
}

/** Pictures of this disk that go with what someone says: as PNG, uploaded once for each place that they are attached to. */
import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { decodePicture, type PictureBounds } from '../../formats/pictures/decoding.ts'
import { aboutFile, ClientError } from '../client-error.ts'
import type { Api } from '../http/api.ts'
import { bodyOf } from '../http/body.ts'

export interface Picture {
  path: string
  /** A PNG. */
  bytes: Buffer
}

const { bytes: mostBytes, perPlace, pixels } = limits.attachment
const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`
/** A photograph becomes larger as a PNG, a file that is larger than this never fits. */
const mostSourceBytes = 4 * mostBytes

/** What screenshots and photographs are saved as. The library takes PNG only. */
const others = {
  jpeg: [0xff, 0xd8, 0xff],
  webp: [...Buffer.from('RIFF')],
  gif: [...Buffer.from('GIF8')],
}
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const starts = (bytes: Buffer, signature: readonly number[]): boolean => signature.every((byte, at) => bytes[at] === byte)

/** Each file once, all read before any is sent. Throws ClientError `NOT_A_PICTURE` or `TOO_MANY_PICTURES`, and what the system says. */
export async function readPictures(paths: readonly string[], cwd: string): Promise<Picture[]> {
  const files = [...new Set(paths.map((path) => resolve(cwd, path)))]
  if (files.length > perPlace)
    throw new ClientError('TOO_MANY_PICTURES', `${files.length} pictures were given; at most ${perPlace} are taken.`)
  const pictures: Picture[] = []
  for (const path of files) pictures.push({ path, bytes: await readPicture(path) })
  return pictures
}

async function readPicture(path: string): Promise<Buffer> {
  const name = basename(path)
  const read = async () => {
    const { size } = await stat(path)
    return size > mostSourceBytes ? undefined : await readFile(path)
  }
  const bytes = await read().catch((error: unknown) => {
    throw aboutFile(error, path)
  })
  const png = bytes && (starts(bytes, pngSignature) ? bytes : await converted(name, bytes))
  if (png && png.length <= mostBytes) return png
  const size = png ? `${mebibytes(png.length)} as PNG` : `larger than ${mebibytes(mostSourceBytes)}`
  throw new ClientError('NOT_A_PICTURE', `${name} is ${size}; at most ${mebibytes(mostBytes)} are taken.`, {
    next: 'Make the picture smaller, or cut out what it is about.',
  })
}

const bounds: PictureBounds = { kinds: ['JPEG', 'WebP', 'GIF'], maxEdgePx: 65_535, maxPixels: pixels }

/** Upright, as cameras say how they were held. */
async function converted(name: string, bytes: Buffer): Promise<Buffer> {
  if (!Object.values(others).some((signature) => starts(bytes, signature)))
    throw new ClientError('NOT_A_PICTURE', `${name} is no picture that ph knows.`)
  try {
    return await decodePicture(bytes, { bounds, make: (picture) => picture.autoOrient().png().toBuffer() })
  } catch (cause) {
    throw new ClientError('NOT_A_PICTURE', `${name} cannot be decoded, or has more than ${pixels / 1e6} megapixels.`, { cause })
  }
}

/** Their ids, in this order. */
export async function uploadPictures({ attachments }: Pick<Api, 'attachments'>, pictures: readonly Picture[]): Promise<number[]> {
  const ids: number[] = []
  for (const { bytes } of pictures) ids.push((await attachments.create({ bytes: bodyOf(bytes), contentType: 'image/png' })).id)
  return ids
}

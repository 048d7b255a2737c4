/** The picture of a file, to search a library by: the file itself where it is a PNG or JPEG, else made of what it holds. */
import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Sharp } from 'sharp'
import { limits } from '../../contract/limits.ts'
import { FormatError } from '../../formats/format-error.ts'
import { readImage } from '../../formats/image.ts'
import { decodePicture, type PictureBounds } from '../../formats/pictures/decoding.ts'
import { maxThumbnailSourceBytes } from '../../formats/source-file.ts'
import { aboutFile, ClientError } from '../client-error.ts'
import { FileReader } from '../project/file-reader.ts'
import { packageExtensions, statKey } from '../project/fingerprint.ts'
import { makeThumbnail } from '../project/thumbnail.ts'

export interface SearchPicture {
  bytes: Buffer
  contentType: 'image/png' | 'image/jpeg'
  /** What was sent instead of the file, for people: `the picture inside SM_Barrel.uasset`. Null: the file itself. */
  made: string | null
}

/** Libraries compare far smaller pictures; this is what a large one is scaled to. */
const edgePx = 1024
/** Libraries decode interlaced and progressive pictures up to this edge (formats/image.ts); larger ones are made smaller here. */
const mostEdgePx = 4096
/** Of what is read here, on the machine of who asks. */
const mostPixels = 256_000_000
const ownBounds: PictureBounds = { kinds: ['PNG', 'JPEG', 'WebP', 'GIF'], maxEdgePx: 65_535, maxPixels: mostPixels }

const next = 'Name a picture (PNG, JPEG, WebP, GIF, TGA), a texture or a mesh, or a package with a picture in it.'
const noPicture = (path: string, why: string) => new ClientError('NOT_A_PICTURE', `${basename(path)}: ${why}`, { next })

/** Throws ClientError `NOT_A_PICTURE`, and what the system says. */
export async function searchPicture(path: string): Promise<SearchPicture> {
  try {
    const found = await stat(path)
    // A pipe or a device may never end, and who waits for it cannot be stopped.
    if (!found.isFile() && !found.isDirectory()) throw noPicture(path, 'This is a pipe or a device, and no file.')
    const { size } = found
    if (found.isFile() && size === 0) throw noPicture(path, 'The file is empty.')
    if (packageExtensions.has(extname(path).slice(1).toLowerCase())) return await fromPackage(path)
    if (size > maxThumbnailSourceBytes)
      throw noPicture(path, `The file has ${size} bytes; at most ${maxThumbnailSourceBytes} are read for a picture.`)
    const bytes = await readFile(path)
    const kind = kindOf(bytes)
    if (kind === undefined) return await fromSource(path)
    return (await asItIs(bytes, kind)) ?? (await scaled(path, bytes))
  } catch (error) {
    if (error instanceof FormatError) throw noPicture(path, error.message)
    throw error instanceof ClientError ? error : aboutFile(error, path)
  }
}

type Kind = 'png' | 'jpeg' | 'other'

/** By the first bytes, whatever the name says. */
function kindOf(bytes: Buffer): Kind | undefined {
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text
  if (begins('\u0089PNG\r\n\u001a\n')) return 'png'
  if (begins('\u00ff\u00d8\u00ff')) return 'jpeg'
  return begins('GIF8') || (begins('RIFF') && begins('WEBP', 8)) ? 'other' : undefined
}

/** Undefined for what no library takes, and for what is larger than it needs to be. Throws FormatError where it is damaged. */
async function asItIs(bytes: Buffer, kind: Kind): Promise<SearchPicture | undefined> {
  if (kind === 'other') return undefined
  const { width, height } = await readImage(bytes)
  if (bytes.length > limits.searchImage.bytes || Math.max(width, height) > mostEdgePx) return undefined
  return { bytes, contentType: `image/${kind}`, made: null }
}

/** Upright, as cameras say how they were held. */
async function scaled(path: string, source: Buffer): Promise<SearchPicture> {
  const size = { width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true } as const
  const make = (picture: Sharp) => picture.autoOrient().resize(size).png().toBuffer()
  try {
    const bytes = await decodePicture(source, { bounds: ownBounds, make })
    return { bytes, contentType: 'image/png', made: `${basename(path)}, as PNG` }
  } catch (cause) {
    throw new ClientError(
      'NOT_A_PICTURE',
      `${basename(path)} cannot be decoded, or has more than ${mostPixels / 1e6} megapixels.`,
      { next, cause },
    )
  }
}

/** What the editor drew; a texture without that is its own picture. */
async function fromPackage(path: string): Promise<SearchPicture> {
  const read = await new FileReader().read(path)
  if ('unread' in read) throw Object.assign(new Error(read.code), { code: read.code })
  if (read.facts.kind === 'refused') throw noPicture(path, read.facts.message)
  if (read.facts.kind === 'package' && read.facts.picture !== null) {
    const found = { stat: statKey(await stat(path, { bigint: true })) }
    const made = await makeThumbnail(path, { facts: read.facts, found })
    if ('png' in made) return { bytes: made.png, contentType: 'image/png', made: `the picture inside ${basename(path)}` }
  }
  return fromSource(path)
}

/** A mesh is drawn from where the editor draws it. */
async function fromSource(path: string): Promise<SearchPicture> {
  const { readFileSource, surfacesOf } = await import('../../previews/source-data/file-source.ts')
  const source = await readFileSource(path)
  const content = source?.from === 'package' ? source.source : source?.content
  if (source === undefined || content === undefined || content.kind === 'sound')
    throw noPicture(path, 'There is no picture in it, and none to be made of it.')
  const { picturePng } = await import('../../previews/png.ts')
  const name = basename(path)
  if (content.kind === 'picture') return { ...(await pngOf(content.picture)), made: `the picture of ${name}` }
  const [{ drawMesh }, { packagesBeside }] = await Promise.all([
    import('../../previews/rasteriser.ts'),
    import('../../previews/source-data/project-packages.ts'),
  ])
  const looks = await surfacesOf(source, packagesBeside(path))
  return { ...(await pngOf(drawMesh(content.mesh, { looks }))), made: `the mesh of ${name}, drawn` }

  async function pngOf(picture: Parameters<typeof picturePng>[0]) {
    const { png } = await picturePng(picture, { maxEdgePx: edgePx })
    return { bytes: Buffer.from(png), contentType: 'image/png' as const }
  }
}

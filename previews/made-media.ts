/** What a library keeps of a version beside its bytes: its preview, and a thumbnail where it has none. */
import { createHash } from 'node:crypto'
import { basename, extname } from 'node:path'
import { FormatError } from '../formats/format-error.ts'
import { pixelsThumbnail } from '../formats/image.ts'
import { rgba8 } from '../formats/source/rgba8.ts'
import { embeddedThumbnail } from '../formats/uasset/thumbnail.ts'
import { isPackage, readPackage } from '../formats/uasset/uasset.ts'
import { convert } from './convert.ts'
import { picturePng } from './png.ts'
import { drawMesh } from './rasteriser.ts'
import { drawnLooks } from './slot-surfaces.ts'
import type { Content } from './source-data/content.ts'
import { type FileSource, readSourceOf, readWhole, surfacesOf } from './source-data/file-source.ts'
import type { FindPackage } from './source-data/materials.ts'
import { filesAmong, packagesAmong } from './source-data/needed-files.ts'
import { packagesBeside } from './source-data/project-packages.ts'
import type { Lack, MadeMedia, MadePreview, MediaOrder } from './threads/media-order.ts'
import { drawSound } from './waveform.ts'

/** Previews and pictures that were made of one file. Throws what the system says of the file. */
export async function makeMedia(order: MediaOrder): Promise<MadeMedia> {
  const bytes = await readWhole(order.path)
  const { hash, preview, thumbnail, name = basename(order.path) } = order
  if (createHash('sha256').update(bytes).digest('hex') !== hash)
    return { lacks: { reason: 'changed', message: 'The file has changed since it was pushed.' } }
  const embedded = thumbnail ? await editorsThumbnail(bytes, name) : undefined
  const isEmbedded = embedded !== undefined
  const made: MadeMedia = embedded ? { thumbnail: own(embedded), isEmbedded } : {}
  if (!preview && isEmbedded) return made
  return { ...made, ...(await fromSource(bytes, { ...order, name, thumbnail: thumbnail && !isEmbedded })) }
}

/** The one that was saved with a package; a damaged one is none. */
async function editorsThumbnail(bytes: Uint8Array, name: string): Promise<Uint8Array | undefined> {
  if (!isPackage(bytes)) return undefined
  try {
    const facts = readPackage(bytes, { stem: basename(name, extname(name)), fileSize: bytes.length })
    return (await embeddedThumbnail(bytes, facts)) ?? undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

async function fromSource(bytes: Uint8Array, { path, name, preview, thumbnail, needed }: MediaOrder): Promise<MadeMedia> {
  const missing: string[] = []
  const media: MadeMedia = {}
  try {
    const source = await readSourceOf(bytes, {
      path,
      ...(name === undefined ? {} : { name }),
      ...(needed && { beside: filesAmong(needed) }),
      onMissing: (one) => missing.push(one),
    })
    if (source === undefined) return { lacks: noSource }
    const find = needed ? packagesAmong(needed) : packagesBeside(path)
    if (thumbnail) media.thumbnail = own(await drawn(source, find))
    if (preview) media.preview = await previewOf(source, find)
    return media
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { reason, message } = error
    return { ...media, lacks: missing.length === 0 ? { reason, message } : { reason: 'beside', message: besideMessage(missing) } }
  }
}

const noSource: Lack = { reason: 'no-source', message: 'It holds neither a mesh nor a picture nor a sound.' }

const besideMessage = ([first, ...others]: readonly string[]): string =>
  `It names ${first}${others.length > 0 ? ` and ${others.length} more` : ''}, which is not beside it.`

const kinds = { glb: 'glb', png: 'image', wav: 'audio' } as const

async function previewOf(source: FileSource, find: FindPackage): Promise<MadePreview> {
  const { ext, bytes, measures, reduced } = await convert(source, find)
  return { kind: kinds[ext], bytes, measures, reduced }
}

/** A PNG of at most 512 x 512: a mesh as seen, a picture made small, a sound as waveform. */
async function drawn(source: FileSource, find: FindPackage): Promise<Uint8Array> {
  const content: Content = source.from === 'package' ? source.source : source.content
  if (content.kind === 'mesh') {
    const looks = drawnLooks(await surfacesOf(source, find))
    return (await picturePng(drawMesh(content.mesh, { looks }))).png
  }
  if (content.kind === 'sound') return (await picturePng(drawSound(content.sound))).png
  const { picture } = content
  return pixelsThumbnail(seen(rgba8(picture), source), picture.width, picture.height)
}

/** Alpha of a texture is often a mask or a roughness: where it would hide the whole picture, it is left out. */
function seen(rgba: Uint8Array, { from }: FileSource): Uint8Array {
  if (from !== 'package') return rgba
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] ?? 0) > 16) return rgba
  const opaque = new Uint8Array(rgba)
  for (let at = 3; at < opaque.length; at += 4) opaque[at] = 255
  return opaque
}

/** Of memory that a library holds, none can be handed over. */
const own = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

// Source files, everything a prop is made from that is no Unreal package: what each extension is to the library, what its
// bytes say, and the picture they give.
import type { EntryMetadata } from './entry-metadata.ts'
import { FormatError, refuseGitLfsPointer } from './format-error.ts'
import type { GltfFacts } from './gltf.ts'
import type { JpegFacts, PngFacts } from './image.ts'
import type { TgaFacts } from './tga.ts'
import type { WavFacts } from './wav.ts'

const MiB = 1024 * 1024

/** What a file with a known extension is, before it is read. */
export type SourceKind = {
  assetClass: string
  /** Null: the file only goes along with another that needs it and is no entry of its own. */
  entryType: string | null
  reader: 'picture' | 'tga' | 'wav' | 'gltf' | null
}

type Row = [assetClass: string, entryType: string | null, extensions: string]
const rows: Row[] = [
  ['SourceMesh', 'source_mesh', 'fbx obj gltf glb stl ply dae abc usd usda usdc usdz 3ds'],
  ['SourceTexture', 'source_texture', 'png jpg jpeg tga bmp gif webp tif tiff exr hdr dds psd psb kra xcf svg ies'],
  ['SourceAudio', 'source_audio', 'wav ogg oga opus mp3 flac aif aiff m4a'],
  ['SourceAnimation', 'source_animation', 'bvh'],
  ['SourceMaterial', 'source_material', 'mtlx sbs sbsar spp'],
  ['SourceScene', 'source_scene', 'blend ma mb max c4d hip hiplc hipnc ztl zpr'],
  ['SourceVolume', 'source_volume', 'vdb'],
  ['SourceVideo', 'source_video', 'mp4 mov avi mkv webm'],
  ['SourceFont', 'source_font', 'ttf otf'],
  ['SourceCompanion', null, 'bin mtl'],
]
const readers: Record<string, SourceKind['reader']> = {
  png: 'picture',
  jpg: 'picture',
  jpeg: 'picture',
  tga: 'tga',
  wav: 'wav',
  gltf: 'gltf',
  glb: 'gltf',
}
const kinds = new Map<string, SourceKind>()
for (const [assetClass, entryType, extensions] of rows) {
  for (const ext of extensions.split(' ')) kinds.set(ext, { assetClass, entryType, reader: readers[ext] ?? null })
}

/** How much of a file's beginning the reader of its kind wants; a file without a reader is only asked whether it is a pointer. */
const headBytes = { picture: MiB, tga: 4096, wav: MiB, gltf: 32 * MiB }
const pointerBytes = 256

/** Pictures are decoded from memory: a larger file gets no thumbnail. Holds a 4096 x 4096 TGA with alpha. */
export const maxThumbnailSourceBytes = 96 * MiB

export type SourceFacts = {
  /** Lower case, as `source_ext` of a push. */
  ext: string
  assetClass: string
  entryType: string | null
  /** What the bytes turned out to be (`png` in a file named .jpg), else the extension. */
  format: string
  /** Flat fields of spec 4.9. glTF bounds are turned from metres to centimetres and keep the file's axes (Y up). */
  metadata: EntryMetadata
  /** Files that this one cannot do without, as addresses relative to its folder. */
  companions: string[]
  /** Whether `sourceThumbnail` can make a picture of the whole file. */
  pictured: boolean
  /** All that the reader of this format found; null for a format without one. */
  details: PngFacts | JpegFacts | TgaFacts | WavFacts | GltfFacts | null
}

/** What an extension (without dot, any case) is to the library; undefined when it is not a source file. */
export function findSourceKind(ext: string): SourceKind | undefined {
  return kinds.get(ext.toLowerCase())
}

/** How many of the first bytes of such a file `describeSource` wants; the file is read once, and never all of a large one. */
export function sourceHeadBytes(ext: string): number {
  const reader = findSourceKind(ext)?.reader
  return reader ? headBytes[reader] : pointerBytes
}

/**
 * What a source file says of itself; null when the extension is not in the table.
 *
 * `bytes` are the first `sourceHeadBytes(ext)` bytes, or all of a smaller file; `sizeBytes` is the size of the whole file.
 * Throws FormatError: `not-this-format` (the bytes are something else than the name says), `git-lfs-pointer`, `unsupported`,
 * `truncated`, `damaged`, `too-large`. Such a file can still be stored, as one of which nothing is known.
 */
export async function describeSource(ext: string, bytes: Uint8Array, sizeBytes = bytes.length): Promise<SourceFacts | null> {
  const kind = findSourceKind(ext)
  if (kind === undefined) return null
  refuseGitLfsPointer(bytes)
  const details = await readDetails(kind, bytes, sizeBytes)
  return {
    ext: ext.toLowerCase(),
    assetClass: kind.assetClass,
    entryType: kind.entryType,
    format: details?.format ?? ext.toLowerCase(),
    metadata: details === null ? {} : metadataOf(details),
    companions: details !== null && 'externalFiles' in details ? details.externalFiles : [],
    pictured: (kind.reader === 'picture' || kind.reader === 'tga') && sizeBytes <= maxThumbnailSourceBytes,
    details,
  }
}

/**
 * A PNG of at most 512 x 512 pixels from the bytes of the whole file, or null for kinds of files that give none.
 * Throws FormatError; `too-large` for a file beyond `maxThumbnailSourceBytes` or a picture with too many pixels.
 */
export async function sourceThumbnail(ext: string, bytes: Uint8Array): Promise<Buffer | null> {
  const reader = findSourceKind(ext)?.reader
  if (reader !== 'picture' && reader !== 'tga') return null
  refuseGitLfsPointer(bytes)
  if (bytes.length > maxThumbnailSourceBytes) {
    throw new FormatError('too-large', `The picture's file has ${bytes.length} bytes, too many to make a thumbnail of.`)
  }
  const { imageThumbnail, pixelsThumbnail, thumbnailEdgePx } = await import('./image.ts')
  if (reader === 'picture') return imageThumbnail(bytes)
  const { decodeTga } = await import('./tga.ts')
  const { rgba, width, height } = decodeTga(bytes, thumbnailEdgePx * 2)
  return pixelsThumbnail(rgba, width, height)
}

/** Readers and the libraries behind them are loaded when the first file needs them. */
async function readDetails({ reader }: SourceKind, bytes: Uint8Array, sizeBytes: number): Promise<SourceFacts['details']> {
  if (reader === null) return null
  if (reader === 'picture') return (await import('./image.ts')).readImage(bytes, sizeBytes)
  if (reader === 'tga') return (await import('./tga.ts')).readTga(bytes, sizeBytes)
  if (reader === 'wav') return (await import('./wav.ts')).readWav(bytes, sizeBytes)
  return (await import('./gltf.ts')).readGltf(bytes)
}

function metadataOf(details: NonNullable<SourceFacts['details']>): EntryMetadata {
  switch (details.format) {
    case 'gltf':
    case 'glb':
      return modelMetadata(details)
    case 'wav':
      return {
        ...(details.durationSeconds === null ? {} : { audio_duration: details.durationSeconds }),
        sample_rate: details.sampleRate,
        channel_count: details.channels,
      }
    default:
      return { texture_width: details.width, texture_height: details.height, texture_format: details.format.toUpperCase() }
  }
}

/** The scene counts where the file has one; a file without scenes is a library of meshes and counts each once. */
function modelMetadata(facts: GltfFacts): EntryMetadata {
  const shown = facts.verticesInScene > 0
  const box = facts.bounds.inScene ?? facts.bounds.inMeshes
  const edges = box?.min.map((low, axis) => centimetres((box.max[axis] ?? low) - low))
  return {
    tri_count: shown ? facts.trianglesInScene : facts.trianglesInMeshes,
    vert_count: shown ? facts.verticesInScene : facts.verticesInMeshes,
    material_count: facts.materials,
    texture_count: facts.images,
    ...(edges && { bounds_x: edges[0], bounds_y: edges[1], bounds_z: edges[2] }),
    ...(facts.skins > 0 && { bone_count: facts.joints }),
    ...(facts.animationSeconds !== null && { anim_length: facts.animationSeconds }),
    ...(facts.generator !== null && { source_app: facts.generator.slice(0, 200) }),
    ...(facts.doubleSided.length > 0 && { two_sided: facts.doubleSided.some(Boolean) }),
  }
}

/** To a thousandth of a millimetre: what is beyond comes from single precision. */
function centimetres(metres: number): number {
  return Math.round(metres * 1e6) / 1e4
}

// Source files, everything a prop is made from that is no Unreal package: what each extension is to the library, what its
// bytes say, and the picture or mesh they give.
import type { EntryMetadata } from './entry-metadata.ts'
import type { WholeFile } from './file-window.ts'
import { FormatError, refuseGitLfsPointer } from './format-error.ts'
import type { ReadBeside, SourceLook } from './source/look.ts'
import type { Mesh } from './source/mesh.ts'
import type { Picture } from './source/picture.ts'
import { metadataOf, type SourceDetails } from './source-metadata.ts'

const MiB = 1024 * 1024

/** What a file with a known extension is, before it is read. */
export type SourceKind = {
  assetClass: string
  /** Null: the file only goes along with another that needs it and is no entry of its own. */
  entryType: string | null
  reader: 'picture' | 'tga' | 'exr' | 'hdr' | 'psd' | 'wav' | 'ogg' | 'flac' | 'mp3' | 'gltf' | 'fbx' | 'obj' | 'mtl' | null
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
  exr: 'exr',
  hdr: 'hdr',
  psd: 'psd',
  psb: 'psd',
  wav: 'wav',
  ogg: 'ogg',
  oga: 'ogg',
  opus: 'ogg',
  flac: 'flac',
  mp3: 'mp3',
  gltf: 'gltf',
  glb: 'gltf',
  fbx: 'fbx',
  obj: 'obj',
  mtl: 'mtl',
}
const kinds = new Map<string, SourceKind>()
for (const [assetClass, entryType, extensions] of rows) {
  for (const ext of extensions.split(' ')) kinds.set(ext, { assetClass, entryType, reader: readers[ext] ?? null })
}

/**
 * How much of a file's beginning the reader of its kind wants; readers that also look further ask for it as they go. A file
 * without a reader is only asked whether it is a pointer.
 */
const headBytes = {
  picture: MiB,
  tga: 4096,
  exr: MiB,
  hdr: 64 * 1024,
  psd: 4096,
  wav: MiB,
  ogg: MiB,
  flac: MiB,
  mp3: MiB,
  gltf: 32 * MiB,
  fbx: MiB,
  obj: MiB,
  mtl: MiB,
}
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
  /** Flat fields of spec 4.9. Bounds are turned to centimetres and keep the file's axes. */
  metadata: EntryMetadata
  /** Files that this one cannot do without, as addresses relative to its folder. */
  companions: string[]
  /** Whether `sourceThumbnail` can make a picture of the whole file. */
  pictured: boolean
  /** All that the reader of this format found; null for a format without one. */
  details: SourceDetails | null
}

/** What an extension (without dot, any case) is to the library; undefined when it is not a source file. */
export function findSourceKind(ext: string): SourceKind | undefined {
  return kinds.get(ext.toLowerCase())
}

/** How many of the first bytes of such a file `describeSource` wants. */
export function sourceHeadBytes(ext: string): number {
  const reader = findSourceKind(ext)?.reader
  return reader ? headBytes[reader] : pointerBytes
}

/**
 * What a source file says of itself; null when the extension is not in the table.
 *
 * `bytes` are the first `sourceHeadBytes(ext)` bytes, or all of a smaller file; `whole` is the file they begin. Readers that
 * need more than the beginning ask for it by `whole.readAt`, in pieces of at most 256 KiB, and say less where there is none.
 * Throws FormatError: `not-this-format` (the bytes are something else than the name says), `git-lfs-pointer`, `unsupported`,
 * `truncated`, `damaged`, `too-large`. Such a file can still be stored, as one of which nothing is known.
 */
export async function describeSource(
  ext: string,
  bytes: Uint8Array,
  whole: WholeFile = { sizeBytes: bytes.length },
): Promise<SourceFacts | null> {
  const kind = findSourceKind(ext)
  if (kind === undefined) return null
  refuseGitLfsPointer(bytes)
  const details = await readDetails(kind, bytes, whole)
  return {
    ext: ext.toLowerCase(),
    assetClass: kind.assetClass,
    entryType: kind.entryType,
    format: details?.format ?? ext.toLowerCase(),
    metadata: details === null ? {} : metadataOf(details),
    companions: details !== null && 'externalFiles' in details ? details.externalFiles : [],
    pictured: isPictured(kind, details) && whole.sizeBytes <= maxThumbnailSourceBytes,
    details,
  }
}

/**
 * A PNG of at most 512 x 512 pixels from the bytes of the whole file, or null for kinds of files that give none.
 * Throws FormatError; `too-large` for a file beyond `maxThumbnailSourceBytes` or a picture with too many pixels.
 */
export async function sourceThumbnail(ext: string, bytes: Uint8Array): Promise<Buffer | null> {
  const reader = findSourceKind(ext)?.reader
  if (!hasThumbnail(reader)) return null
  refuseGitLfsPointer(bytes)
  if (bytes.length > maxThumbnailSourceBytes) {
    throw new FormatError('too-large', `The picture's file has ${bytes.length} bytes, too many to make a thumbnail of.`)
  }
  const { imageThumbnail, pixelsThumbnail, thumbnailEdgePx } = await import('./image.ts')
  if (reader === 'picture') return imageThumbnail(bytes)
  if (reader === 'tga') {
    const { rgba, width, height } = (await import('./tga.ts')).decodeTga(bytes, thumbnailEdgePx * 2)
    return pixelsThumbnail(rgba, width, height)
  }
  const picture = await decoded[reader](bytes)
  return pixelsThumbnail((await import('./source/rgba8.ts')).rgba8(picture), picture.width, picture.height)
}

type DecodedReader = 'exr' | 'hdr' | 'psd'
const isDecoded = (reader: SourceKind['reader'] | undefined): reader is DecodedReader =>
  reader === 'exr' || reader === 'hdr' || reader === 'psd'
const hasThumbnail = (reader: SourceKind['reader'] | undefined): reader is 'picture' | 'tga' | DecodedReader =>
  reader === 'picture' || reader === 'tga' || isDecoded(reader)

/** Those are decoded as a whole, by the processor alone: up to so many pixels it takes a second or two and some hundred MB. */
const maxDecodedPixels = 4096 * 4096

const tooManyPixels = ({ width, height }: { width: number; height: number }): boolean => width * height > maxDecodedPixels

function isPictured({ reader }: SourceKind, details: SourceDetails | null): boolean {
  if (!isDecoded(reader)) return hasThumbnail(reader)
  return details !== null && 'width' in details && !tooManyPixels(details)
}

function refuseManyPixels(facts: { width: number; height: number }): void {
  if (tooManyPixels(facts))
    throw new FormatError(
      'too-large',
      `The picture has ${facts.width} x ${facts.height} pixels, too many to make a thumbnail of.`,
    )
}

const decoded: Record<DecodedReader, (bytes: Uint8Array) => Promise<Picture>> = {
  async exr(bytes) {
    refuseManyPixels((await import('./exr/header.ts')).readExr(bytes))
    return (await import('./exr/picture.ts')).readExrPicture(bytes)
  },
  async hdr(bytes) {
    const { readHdr, readHdrPicture } = await import('./hdr.ts')
    refuseManyPixels(readHdr(bytes))
    return readHdrPicture(bytes)
  },
  async psd(bytes) {
    const { readPsd, readPsdPicture } = await import('./psd.ts')
    refuseManyPixels(readPsd(bytes))
    return readPsdPicture(bytes)
  },
}

/** Source files of more bytes are not read for their mesh. */
const maxMeshSourceBytes = 512 * MiB

/**
 * What a file shows, from all its bytes, as one mesh in Unreal's axes and centimetres, as large as its facts say (their bounds keep the
 * file's axes); null for kinds of files that give none. `readBeside` is asked for the buffers that a glTF keeps in other files.
 * Throws FormatError, as `describeSource`; `unsupported` also for a file without a triangle, with compressed meshes, or whose buffers are
 * not at hand.
 */
export async function sourceMesh(ext: string, bytes: Uint8Array, readBeside?: ReadBeside): Promise<Mesh | null> {
  const reader = findSourceKind(ext)?.reader
  if (reader !== 'fbx' && reader !== 'obj' && reader !== 'gltf') return null
  refuseGitLfsPointer(bytes)
  if (bytes.length > maxMeshSourceBytes)
    throw new FormatError('too-large', `The file has ${bytes.length} bytes, too many to read its mesh.`)
  if (reader === 'fbx') return (await import('./fbx/geometry.ts')).readFbxMesh(bytes)
  if (reader === 'obj') return (await import('./obj/geometry.ts')).readObjMesh(bytes)
  return (await import('./gltf/geometry.ts')).readGltfMesh(bytes, readBeside)
}

/**
 * How the materials of such a file look, by the names that `sourceMesh` gives to slots; none for other files. `readBeside` is asked for the
 * material libraries of an OBJ. Throws FormatError, as `sourceMesh`.
 */
export async function sourceLooks(ext: string, bytes: Uint8Array, readBeside: ReadBeside): Promise<Map<string, SourceLook>> {
  const reader = findSourceKind(ext)?.reader
  if (reader === 'fbx') return (await import('./fbx/looks.ts')).readFbxLooks(bytes)
  if (reader === 'obj') return (await import('./obj/looks.ts')).readObjLooks(bytes, readBeside)
  return reader === 'gltf' ? (await import('./gltf/looks.ts')).readGltfLooks(bytes) : new Map()
}

/** Readers and the libraries behind them are loaded when the first file needs them. */
async function readDetails({ reader }: SourceKind, bytes: Uint8Array, whole: WholeFile): Promise<SourceDetails | null> {
  switch (reader) {
    case 'picture':
      return (await import('./image.ts')).readImage(bytes, whole.sizeBytes)
    case 'tga':
      return (await import('./tga.ts')).readTga(bytes, whole.sizeBytes)
    case 'exr':
      return (await import('./exr/header.ts')).readExr(bytes)
    case 'hdr':
      return (await import('./hdr.ts')).readHdr(bytes)
    case 'psd':
      return (await import('./psd.ts')).readPsd(bytes)
    case 'flac':
      return (await import('./flac/flac.ts')).readFlac(bytes, whole)
    case 'mp3':
      return (await import('./mp3/mp3.ts')).readMp3(bytes, whole)
    case 'wav':
      return (await import('./wav.ts')).readWav(bytes, whole.sizeBytes)
    case 'ogg':
      return (await import('./ogg.ts')).readOgg(bytes, whole)
    case 'gltf':
      return (await import('./gltf/gltf.ts')).readGltf(bytes)
    case 'fbx':
      return (await import('./fbx/fbx.ts')).readFbx(bytes, whole)
    case 'obj':
      return (await import('./obj/obj.ts')).readObj(bytes, whole)
    case 'mtl':
      return (await import('./obj/obj.ts')).readMtl(bytes, whole)
    default:
      return null
  }
}

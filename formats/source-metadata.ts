// What the facts of a source file are called in the metadata of an entry (spec 4.9), and in which units they stand there.
import type { EntryMetadata } from './entry-metadata.ts'
import type { ExrFacts } from './exr/header.ts'
import type { FbxFacts } from './fbx/fbx.ts'
import type { FlacFacts } from './flac/flac.ts'
import type { GltfFacts } from './gltf/gltf.ts'
import type { HdrFacts } from './hdr.ts'
import type { JpegFacts, PngFacts } from './image.ts'
import type { Mp3Facts } from './mp3/mp3.ts'
import type { MtlFacts, ObjFacts } from './obj/obj.ts'
import type { OggFacts } from './ogg.ts'
import type { PsdFacts } from './psd.ts'
import type { TgaFacts } from './tga.ts'
import type { WavFacts } from './wav.ts'

/** What the reader of each format gives. */
export type SourceDetails =
  | (PngFacts | JpegFacts | TgaFacts | ExrFacts | HdrFacts | PsdFacts)
  | (WavFacts | OggFacts | FlacFacts | Mp3Facts)
  | (GltfFacts | FbxFacts | ObjFacts | MtlFacts)

/** As long as the library takes texts. */
const maxTextLength = 200

/** The fields that the facts fill; what is not known is left out. Bounds keep the file's own axes, in centimetres. */
export function metadataOf(details: SourceDetails): EntryMetadata {
  switch (details.format) {
    case 'gltf':
    case 'glb':
      return gltfMetadata(details)
    case 'fbx':
      return fbxMetadata(details)
    case 'obj':
      return objMetadata(details)
    case 'mtl':
      return { material_count: details.materials }
    case 'wav':
    case 'ogg':
    case 'flac':
    case 'mp3':
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
function gltfMetadata(facts: GltfFacts): EntryMetadata {
  const shown = facts.verticesInScene > 0
  return {
    tri_count: shown ? facts.trianglesInScene : facts.trianglesInMeshes,
    vert_count: shown ? facts.verticesInScene : facts.verticesInMeshes,
    material_count: facts.materials,
    texture_count: facts.images,
    ...edges(facts.bounds.inScene ?? facts.bounds.inMeshes, 100),
    ...(facts.skins > 0 && { bone_count: facts.joints }),
    ...(facts.animationSeconds !== null && { anim_length: facts.animationSeconds }),
    ...(facts.generator !== null && { source_app: facts.generator.slice(0, maxTextLength) }),
    ...(facts.doubleSided.length > 0 && { two_sided: facts.doubleSided.some(Boolean) }),
  }
}

/** Every mesh counts once, also levels of detail and collision shapes: the file does not say which of them a game shows. */
function fbxMetadata(facts: FbxFacts): EntryMetadata {
  const { triangles, controlPoints, materials, limbNodes, animationSeconds, lods } = facts
  const app = `${facts.applicationName} ${facts.applicationVersion}`.trim() || facts.creator
  return {
    ...(triangles !== null && { tri_count: triangles }),
    ...(controlPoints !== null && { vert_count: controlPoints }),
    ...(materials !== null && { material_count: materials }),
    ...(lods !== null && { lod_count: lods }),
    ...(facts.hasCollision && { has_collision: true }),
    ...edges(facts.boundsInScene ?? facts.boundsGeometrySpace, facts.unitScaleFactor),
    ...(limbNodes && { bone_count: limbNodes }),
    ...(animationSeconds !== null && { anim_length: animationSeconds }),
    ...(app !== '' && { source_app: app.slice(0, maxTextLength) }),
  }
}

function objMetadata({ triangles, vertices, materials, bounds, unitCentimetres, creator }: ObjFacts): EntryMetadata {
  return {
    ...(triangles !== null && { tri_count: triangles }),
    ...(vertices !== null && { vert_count: vertices }),
    ...(materials !== null && { material_count: materials }),
    ...(unitCentimetres !== null && edges(bounds, unitCentimetres)),
    ...(creator !== null && { source_app: creator.slice(0, maxTextLength) }),
  }
}

type Box = { min: number[]; max: number[] }

/** Beyond the edge of any world; the library takes no more. */
const maxCentimetres = 1e12

/** To a thousandth of a millimetre: what is beyond comes from single precision. */
function edges(box: Box | null, unitCentimetres: number): Pick<EntryMetadata, 'bounds_x' | 'bounds_y' | 'bounds_z'> {
  const lengths = box?.min.map((low, axis) => Math.round(((box.max[axis] ?? low) - low) * unitCentimetres * 1e4) / 1e4)
  if (lengths === undefined || !lengths.every((length) => length <= maxCentimetres)) return {}
  return { bounds_x: lengths[0] ?? 0, bounds_y: lengths[1] ?? 0, bounds_z: lengths[2] ?? 0 }
}

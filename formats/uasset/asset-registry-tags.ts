// Turns the asset registry tags of an Unreal package into entry metadata. Tags are text, come and go with engine releases, and any may be absent.
import type { EntryMetadata } from '../entry-metadata.ts'

type Tags = ReadonlyMap<string, string>

/** How the engine writes "loops for ever" as a duration in seconds. */
const endless = 10_000

/**
 * The flat metadata of a push for a package's main asset: only what its tags say in a form that is understood. Tags that
 * name people's folders (AssetImportData) are not passed on; when and with what the source was made is not in them.
 */
export function metadataFromTags(assetClass: string, tags: Tags): EntryMetadata {
  const read = readers.get(assetClass)
  return read === undefined ? {} : withoutUnknown(read(tags))
}

type Reading = { [Key in keyof EntryMetadata]: EntryMetadata[Key] | undefined }

const readers = new Map<string, (tags: Tags) => Reading>([
  ['StaticMesh', readStaticMesh],
  ['SkeletalMesh', readSkeletalMesh],
  ['Texture2D', readTexture],
  ['Texture2DArray', readTexture],
  ['TextureCube', readTexture],
  ['TextureCubeArray', readTexture],
  ['VolumeTexture', readTexture],
  ['TextureRenderTarget2D', readRenderTarget],
  ['CanvasRenderTarget2D', readRenderTarget],
  ['SoundWave', readSound],
  ['SoundCue', readSound],
  ['MetaSoundSource', readSound],
  ['AnimSequence', readAnimation],
  ['AnimMontage', readAnimation],
  ['AnimComposite', readAnimation],
  ['Material', readMaterial],
  ['MaterialInstanceConstant', readMaterial],
  ['NiagaraSystem', readEffect],
  ['ParticleSystem', readEffect],
])

function readStaticMesh(tags: Tags): Reading {
  const [x, y, z] = numbersBetween(tags.get('ApproxSize'), 3)
  return {
    tri_count: integer(tags, 'Triangles'),
    vert_count: integer(tags, 'Vertices'),
    material_count: integer(tags, 'Materials'),
    lod_count: integer(tags, 'LODs'),
    has_collision: collides(tags),
    nanite_enabled: flag(tags, 'NaniteEnabled'),
    bounds_x: x,
    bounds_y: y,
    bounds_z: z,
  }
}

/** Shapes made for collision, or the mesh itself used as one. */
function collides(tags: Tags): boolean | undefined {
  if (tags.get('CollisionComplexity') === 'CTF_UseComplexAsSimple') return true
  const shapes = integer(tags, 'CollisionPrims')
  return shapes === undefined ? undefined : shapes > 0
}

function readSkeletalMesh(tags: Tags): Reading {
  return {
    tri_count: integer(tags, 'Triangles'),
    vert_count: integer(tags, 'Vertices'),
    lod_count: integer(tags, 'LODs'),
    bone_count: integer(tags, 'Bones'),
  }
}

function readTexture(tags: Tags): Reading {
  const dimensions = tags.get('Dimensions')
  const [width, height] = numbersBetween(dimensions, (dimensions ?? '').split('x').length === 3 ? 3 : 2)
  return { texture_width: width, texture_height: height, texture_format: word(tags, 'Format') }
}

function readRenderTarget(tags: Tags): Reading {
  return { texture_width: integer(tags, 'SizeX'), texture_height: integer(tags, 'SizeY') }
}

function readSound(tags: Tags): Reading {
  const duration = decimal(tags, 'Duration')
  return {
    audio_duration: duration === undefined || duration >= endless ? undefined : duration,
    sample_rate: integer(tags, 'SampleRate'),
    channel_count: integer(tags, 'NumChannels'),
  }
}

function readAnimation(tags: Tags): Reading {
  return { anim_length: decimal(tags, 'SequenceLength') }
}

/** `BLEND_Masked` is shown as `Masked`, as the editor does. */
function readMaterial(tags: Tags): Reading {
  return { blend_mode: word(tags, 'BlendMode')?.replace(/^BLEND_/, '') }
}

function readEffect(tags: Tags): Reading {
  return { emitter_count: integer(tags, 'NumEmitters') ?? integer(tags, 'ActiveEmitters') }
}

function integer(tags: Tags, key: string): number | undefined {
  const text = tags.get(key)
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function decimal(tags: Tags, key: string): number | undefined {
  const text = tags.get(key)
  return text !== undefined && /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined
}

function flag(tags: Tags, key: string): boolean | undefined {
  const text = tags.get(key)
  return text === 'True' ? true : text === 'False' ? false : undefined
}

/** An enumerator's name; anything else is not passed on. */
function word(tags: Tags, key: string): string | undefined {
  const text = tags.get(key)
  return text !== undefined && /^\w{1,64}$/.test(text) ? text : undefined
}

/** `100x200x50`; nothing unless there are exactly as many numbers as expected. */
function numbersBetween(text: string | undefined, count: number): number[] {
  if (text === undefined || !/^\d{1,12}(\.\d{1,6})?(x\d{1,12}(\.\d{1,6})?)*$/.test(text)) return []
  const numbers = text.split('x').map(Number)
  return numbers.length === count ? numbers : []
}

function withoutUnknown(reading: Reading): EntryMetadata {
  return Object.fromEntries(Object.entries(reading).filter(([, value]) => value !== undefined))
}

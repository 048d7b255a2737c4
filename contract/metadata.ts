/** What is known about the content of a version: the flat entry fields and the structured document (spec 2 and 4.9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { absentOrNull, nullable } from './shapes.ts'

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Amount = Type.Number({ minimum: 0, maximum: 1e15 })
const Text = Type.String({ maxLength: 200 })
const Flag = Type.Boolean()

/** Flat fields as they are sent: bounds in centimetres, durations in seconds, `pbr_channels` comma-separated. */
export const flatMetadata = {
  tri_count: Whole,
  vert_count: Whole,
  material_count: Whole,
  lod_count: Whole,
  has_collision: Flag,
  nanite_enabled: Flag,
  bounds_x: Amount,
  bounds_y: Amount,
  bounds_z: Amount,
  texture_count: Whole,
  max_texture_res: Whole,
  pbr_channels: Text,
  blend_mode: Text,
  two_sided: Flag,
  source_app: Text,
  source_authored_at: Text,
  audio_duration: Amount,
  sample_rate: Whole,
  channel_count: Whole,
  texture_width: Whole,
  texture_height: Whole,
  texture_format: Text,
  bone_count: Whole,
  anim_length: Amount,
  emitter_count: Whole,
}
export type MetadataField = keyof typeof flatMetadata
export const metadataFields = Object.keys(flatMetadata) as MetadataField[]

type Sent<T> = { [K in keyof T]: ReturnType<typeof absentOrNull<T[K] extends import('typebox').TSchema ? T[K] : never>> }
const sent = Object.fromEntries(Object.entries(flatMetadata).map(([key, schema]) => [key, absentOrNull(schema)])) as Sent<
  typeof flatMetadata
>

/** `entry.metadata` of a manifest item, and the body of PUT metadata. Null and absent both mean unknown. */
export const FlatMetadata = Type.Object(sent)
export type FlatMetadata = Static<typeof FlatMetadata>

const { bounds_x: _x, bounds_y: _y, bounds_z: _z, ...scalars } = flatMetadata
type Shown<T> = { [K in keyof T]: ReturnType<typeof nullable<T[K] extends import('typebox').TSchema ? T[K] : never>> }
const shown = Object.fromEntries(Object.entries(scalars).map(([key, schema]) => [key, nullable(schema)])) as Shown<typeof scalars>

/** `metadata` of an entry as it is read: every field there, null when unknown, `bounds` as one object. */
export const EntryMetadata = Type.Object({
  ...shown,
  bounds: nullable(Type.Object({ x: nullable(Amount), y: nullable(Amount), z: nullable(Amount) })),
})
export type EntryMetadata = Static<typeof EntryMetadata>

const closed = { additionalProperties: false }
const MaterialSlot = Type.Object(
  { name: Type.String({ maxLength: 200 }), blend: absentOrNull(Text), two_sided: absentOrNull(Flag) },
  closed,
)

/** The closed part of a metadata document. */
export const MetadataCore = Type.Object(
  {
    bounds: absentOrNull(Type.Object({ x: Amount, y: Amount, z: Amount }, closed)),
    counts: absentOrNull(
      Type.Object(
        {
          tris: absentOrNull(Whole),
          verts: absentOrNull(Whole),
          materials: absentOrNull(Whole),
          lods: absentOrNull(Whole),
          bones: absentOrNull(Whole),
          emitters: absentOrNull(Whole),
        },
        closed,
      ),
    ),
    materials: absentOrNull(Type.Array(MaterialSlot, { maxItems: limits.metadataDoc.materials })),
    preview: absentOrNull(Type.Object({ kind: absentOrNull(Text) }, closed)),
    source: absentOrNull(
      Type.Object({ app: absentOrNull(Text), authored_at: absentOrNull(Text), ext: absentOrNull(Text) }, closed),
    ),
    audio: absentOrNull(
      Type.Object({ duration: absentOrNull(Amount), sample_rate: absentOrNull(Whole), channels: absentOrNull(Whole) }, closed),
    ),
    image: absentOrNull(
      Type.Object({ width: absentOrNull(Whole), height: absentOrNull(Whole), format: absentOrNull(Text) }, closed),
    ),
    anim: absentOrNull(Type.Object({ length: absentOrNull(Amount) }, closed)),
  },
  closed,
)
export type MetadataCore = Static<typeof MetadataCore>

/** Marks the schema of a metadata document for validators that know what else holds for one. */
export const metadataDocKeyword = 'x-metadata-doc'

/**
 * The structured document of a version: `v` is 1, `core` is closed, `ext` holds one object per namespace, stored as sent.
 * Beyond this schema: at most 64 KiB of compact UTF-8 JSON, `ext` at most 8 levels deep (checked by `metadataDocFailure`).
 */
export const MetadataDoc = Type.Object(
  {
    v: Type.Literal(1),
    core: absentOrNull(MetadataCore),
    ext: absentOrNull(
      Type.Unsafe<Record<string, Record<string, unknown>>>({
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z0-9_]{1,15}$' },
        additionalProperties: { type: 'object' },
      }),
    ),
  },
  { ...closed, [metadataDocKeyword]: `at most ${limits.metadataDoc.bytes} bytes of compact JSON` },
)
export type MetadataDoc = Static<typeof MetadataDoc>

const depthOf = (value: unknown, deepest: number): number => {
  if (typeof value !== 'object' || value === null) return 0
  if (deepest === 0) return 1
  let depth = 0
  for (const child of Object.values(value)) depth = Math.max(depth, depthOf(child, deepest - 1))
  return depth + 1
}

/** What a schema cannot say about a metadata document, as a sentence; undefined when all is well. */
export function metadataDocFailure(doc: MetadataDoc): string | undefined {
  const { bytes, extDepth } = limits.metadataDoc
  for (const [namespace, value] of Object.entries(doc.ext ?? {}))
    if (depthOf(value, extDepth) > extDepth) return `ext.${namespace} is nested deeper than ${extDepth} levels`
  const size = new TextEncoder().encode(JSON.stringify(doc)).length
  return size > bytes ? `is ${size} bytes of JSON; at most ${bytes} are allowed` : undefined
}

/** The flat fields that the core of a document fills. */
export function flatFromCore(core: MetadataCore | null | undefined): FlatMetadata {
  if (!core) return {}
  const { bounds, counts, materials, source, audio, image, anim } = core
  const flat: FlatMetadata = {
    bounds_x: bounds?.x,
    bounds_y: bounds?.y,
    bounds_z: bounds?.z,
    tri_count: counts?.tris,
    vert_count: counts?.verts,
    material_count: counts?.materials ?? materials?.length,
    lod_count: counts?.lods,
    bone_count: counts?.bones,
    emitter_count: counts?.emitters,
    source_app: source?.app,
    source_authored_at: source?.authored_at,
    audio_duration: audio?.duration,
    sample_rate: audio?.sample_rate,
    channel_count: audio?.channels,
    texture_width: image?.width,
    texture_height: image?.height,
    texture_format: image?.format,
    anim_length: anim?.length,
  }
  return Object.fromEntries(Object.entries(flat).filter(([, value]) => value !== undefined && value !== null))
}

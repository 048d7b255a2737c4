/** Measures of source data, as `ph inspect --source --json` tells them. */
import { createHash } from 'node:crypto'
import { type MeshMeasures, measureMesh } from '../../formats/source/mesh-measures.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { rgba8Rows } from '../../formats/source/rgba8.ts'
import type { Sound } from '../../formats/source/sound.ts'
import type { Source } from '../../formats/uasset-data/source.ts'
import type { Content } from './content.ts'
import type { FileSource, PackageSource } from './file-source.ts'

/**
 * By name. Lengths are centimetres, times seconds. Hashes are SHA-256 of what was decoded: pixels as 8-bit RGBA rows from the top left,
 * samples as in the data of a WAV file. `payload_id` is the engine's name of the stored bytes, the same in every package that holds them.
 */
export type SourceFacts = Record<string, string | number | readonly number[] | null>

export function sourceFacts(from: FileSource): SourceFacts {
  if (from.from === 'source file') return { class: from.class, ...contentFacts(from.content) }
  return { class: from.source.class, engine: from.engine, ...packageFacts(from.source, from.tags) }
}

function packageFacts(source: Source, tags: PackageSource['tags']): SourceFacts {
  if (source.kind === 'picture') {
    const { compression, format, payloadId, picture } = source
    // Decoders of JPEG differ in their last bits.
    const { rgba8_sha256, ...size } = pictureFacts(picture)
    return { compression, format, ...size, ...(compression !== 'TSCF_JPEG' && { rgba8_sha256 }), payload_id: payloadId }
  }
  if (source.kind === 'sound') return { format_tag: source.formatTag, ...soundFacts(source.sound), payload_id: source.payloadId }
  if ('bones' in source) {
    const { bones, sections, vertices } = source
    return { bones, sections, triangles: measureMesh(source.mesh).triangles, vertices }
  }
  return {
    source: source.encoding,
    build_scale: source.buildScale,
    ...meshFacts(measureMesh(source.mesh)),
    tag_triangles: tags.get('Triangles') ?? null,
    tag_nanite: tags.get('NaniteTriangles') ?? null,
    payload_id: source.payloadId,
  }
}

function contentFacts(content: Content): SourceFacts {
  if (content.kind === 'picture') return pictureFacts(content.picture)
  if (content.kind === 'sound') return soundFacts(content.sound)
  return meshFacts(measureMesh(content.mesh))
}

function pictureFacts(picture: Picture) {
  const hash = createHash('sha256')
  for (const rows of rgba8Rows(picture)) hash.update(rows)
  return { width: picture.width, height: picture.height, rgba8_sha256: hash.digest('hex') }
}

function soundFacts({ sampleRate, channels, bits, data }: Sound) {
  const frame = (channels * bits) / 8
  return {
    sample_rate: sampleRate,
    channels,
    bits,
    duration_s: rounded(data.length / frame / sampleRate, 4),
    data_bytes: data.length,
    pcm_sha256: sha256(data),
  }
}

function meshFacts({ triangles, trianglesNotDegenerate, bounds }: MeshMeasures) {
  const lengths = (values: readonly number[]) => values.map((value) => rounded(value, 3))
  return {
    triangles,
    triangles_not_degenerate: trianglesNotDegenerate,
    bounds_min_cm: bounds && lengths(bounds.min),
    bounds_max_cm: bounds && lengths(bounds.max),
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Without a minus zero. */
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0

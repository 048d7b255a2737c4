/** What differs between a file here and a version that comes in, as short sentences for programs that show them as they are. */
import { printable } from '../../system/printable.ts'
import type { Change, ComparedField, ComparedValue, Comparison } from './compare.ts'

/** In the order in which they are told. */
export const fieldNames: Record<ComparedField, string> = {
  asset_class: 'class',
  engine_version: 'engine',
  origin_path: 'path',
  tri_count: 'triangles',
  vert_count: 'vertices',
  bounds: 'bounds',
  lod_count: 'LODs',
  material_count: 'materials',
  bone_count: 'bones',
  emitter_count: 'emitters',
  has_collision: 'collision',
  nanite_enabled: 'Nanite',
  texture_count: 'textures',
  max_texture_res: 'largest',
  pbr_channels: 'channels',
  texture_width: 'width',
  texture_height: 'height',
  texture_format: 'format',
  blend_mode: 'blend mode',
  two_sided: 'two-sided',
  audio_duration: 'duration',
  anim_length: 'duration',
  sample_rate: 'sample rate',
  channel_count: 'sound',
  source_app: 'made with',
  source_authored_at: 'made on',
  blob_size: 'size',
}

const units: Partial<Record<ComparedField, string>> = {
  max_texture_res: ' px',
  texture_width: ' px',
  texture_height: ' px',
  audio_duration: ' s',
  anim_length: ' s',
  sample_rate: ' Hz',
  channel_count: ' channels',
  blob_size: ' bytes',
}

const order = Object.keys(fieldNames)

/** `from` is the file here. */
export function differenceWords({ changes, dependencies }: Comparison): string[] {
  const known = changes.toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field)).map(changeWords)
  const needs = dependencies
    ? [
        ...dependencies.added.map(({ name }) => `needs ${printable(name)} incoming`),
        ...dependencies.gone.map(({ name }) => `needs ${printable(name)} here only`),
      ]
    : []
  return [...known, ...needs]
}

function changeWords({ field, from, to }: Change): string {
  const words = (value: ComparedValue) => valueWords(value) + (value === null ? '' : (units[field] ?? ''))
  return `${fieldNames[field] ?? printable(field)}: ${words(from)} here, ${words(to)} incoming`
}

function valueWords(value: ComparedValue): string {
  if (value === null) return 'unknown'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value.toLocaleString('en-US')
  if (typeof value === 'string') return printable(value)
  return `${[value.x, value.y, value.z].map((edge) => (edge === null ? '?' : Math.round(edge * 10) / 10)).join(' x ')} cm`
}

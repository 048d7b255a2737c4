/** The facts of an entry as two columns of words: what it is, where it is filed, what was measured. */
import type { EntryDetail } from '../contract/entries.ts'
import { count, duration, number, size } from './amounts.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'
import { pad } from './table.ts'

type Fact = readonly [name: string, value: string | null | undefined]
const LABEL_WIDTH = 12

/** Lines `name  value`; what is not known has no line. */
export function entryFacts(entry: EntryDetail, { paint }: Pick<Output, 'paint'>): string[] {
  const facts: Fact[] = [
    ['entry', `${entry.id}, ${entry.entry_type}`],
    ['pack', entry.pack.name],
    ['category', entry.category && `${entry.category}${entry.category_locked ? ' (set by hand)' : ''}`],
    ['variant', entry.is_variant ? (entry.variant_label ?? entry.variant_group?.label ?? 'yes') : null],
    ['tags', entry.tags.map(({ name }) => name).join(', ')],
    ['collections', entry.collections.map(({ name }) => name).join(', ')],
    ['review', entry.review_status.replaceAll('_', ' ')],
    ['size', size(entry.blob_size)],
    ['engine', entry.engine_version],
    ['file', entry.source_ext && `.${entry.source_ext}`],
    ...measured(entry),
  ]
  return facts
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${paint('dim', pad(name, LABEL_WIDTH))}${printable(String(value))}`)
}

const some = (amount: number | null): string | null => (amount === null ? null : number(amount))
const centimetres = (amount: number | null): string => (amount === null ? '?' : number(Math.round(amount * 10) / 10))

function measured({ metadata }: EntryDetail): Fact[] {
  const { bounds, texture_width, texture_height, sample_rate, channel_count, audio_duration, anim_length } = metadata
  const seconds = audio_duration ?? anim_length
  return [
    ['triangles', some(metadata.tri_count)],
    ['vertices', some(metadata.vert_count)],
    ['materials', some(metadata.material_count)],
    ['LODs', some(metadata.lod_count)],
    ['bones', some(metadata.bone_count)],
    ['emitters', some(metadata.emitter_count)],
    ['bounds', bounds && `${centimetres(bounds.x)} x ${centimetres(bounds.y)} x ${centimetres(bounds.z)} cm`],
    ['mesh', [metadata.nanite_enabled ? 'Nanite' : '', metadata.has_collision ? 'collision' : ''].filter(Boolean).join(', ')],
    [
      'texture',
      texture_width && texture_height ? `${texture_width} x ${texture_height} ${metadata.texture_format ?? ''}`.trim() : null,
    ],
    ['blend mode', metadata.blend_mode && `${metadata.blend_mode}${metadata.two_sided ? ', two-sided' : ''}`],
    ['length', seconds === null ? null : duration(seconds * 1000)],
    [
      'sound',
      sample_rate === null ? null : `${number(sample_rate)} Hz${channel_count ? `, ${count(channel_count, 'channel')}` : ''}`,
    ],
    ['made with', metadata.source_app],
  ]
}

/** The facts of an entry as two columns of words: what it is, where it is filed, what was measured, with units. */

import { versionName } from '../../client/entries/current-version.ts'
import { missingDependencies } from '../../client/entries/missing-dependencies.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { age, count, duration, number, size } from '../terminal/amounts.ts'
import { pad } from '../terminal/table.ts'
import { wrapAfter } from '../terminal/wrap.ts'
import { noteLine } from './version-name.ts'

type Fact = readonly [name: string, value: string | null | undefined]
const LABEL_WIDTH = 13

interface FactLook extends Pick<Context, 'out' | 'now'> {
  /** A mirror does not know every version, nor what was pulled. */
  isOffline?: boolean | undefined
}

/** Lines `name  value` of at most `width` columns where words allow it; what is not known has no line. */
export function entryFacts(entry: EntryDetail, { out, now, isOffline }: FactLook, width: number): string[] {
  const facts = [...filed(entry), ...measured(entry), ...lacking(entry), ...history(entry, now(), isOffline ?? false)]
  return facts.flatMap(([name, value]) => {
    if (value === null || value === undefined || value === '') return []
    return wrapAfter(out.paint('dim', pad(name, LABEL_WIDTH)), printable(value), width)
  })
}

const words = (state: string): string => state.replaceAll('_', ' ')
const listed = (records: readonly { name: string }[]): string => records.map(({ name }) => name).join(', ')

function filed(entry: EntryDetail): Fact[] {
  return [
    ['entry', `${entry.id}, ${words(entry.entry_type)}`],
    ['pack', entry.pack.name],
    ['category', entry.category && `${entry.category}${entry.category_locked ? ' (set by hand)' : ''}`],
    ['tags', listed(entry.tags)],
    ['collections', listed(entry.collections)],
    ['variant', variantWords(entry)],
    ['review', words(entry.review_status)],
    [
      'preview',
      entry.preview_status === 'ready' ? entry.preview_kind : entry.preview_status === 'none' ? null : 'cannot be made',
    ],
    ['comments', entry.comments.length > 0 ? String(entry.comments.length) : null],
    ['file', `${size(entry.blob_size)}${entry.source_ext === null ? '' : `, .${entry.source_ext}`}`],
    ['engine', entry.engine_version],
  ]
}

function variantWords({ is_variant, variant_label, variant_group: group }: EntryDetail): string | null {
  if (!is_variant) return null
  const of = group ? `one of ${group.count} in group ${group.id}${group.label ? ` (${group.label})` : ''}` : null
  return [variant_label, of].filter(Boolean).join(', ')
}

const versionWords = ({ face }: EntryDetail, today: Date): string => {
  const by = face.published_by ? `, pushed by ${face.published_by.name}` : ''
  const from = face.pushed_from ? `${by === '' ? ', pushed' : ''} from ${face.pushed_from}` : ''
  return `${versionName(face)}${by}${from} ${age(face.date_ingested, today)}`
}

/** Of long lists; `--json` has all. */
const mostNames = 8

function lacking({ face }: EntryDetail): Fact[] {
  const { packages, plugins } = missingDependencies([face])
  const namesOf = (missing: readonly { name: string }[]) =>
    [
      ...missing.slice(0, mostNames).map(({ name }) => name),
      ...(missing.length > mostNames ? [`and ${number(missing.length - mostNames)} more`] : []),
    ].join(', ')
  return [
    ['missing', namesOf(packages)],
    ['plugins', namesOf(plugins)],
  ]
}

const history = (entry: EntryDetail, today: Date, isOffline: boolean): Fact[] => [
  ['version', isOffline && entry.face.version === undefined ? null : versionWords(entry, today)],
  ['note', noteLine(entry.face.push_note)],
  ['pushed as', entry.face.source_path],
  ['added', age(entry.date_indexed, today)],
  ['updated', age(entry.date_updated, today)],
  ['pulled', isOffline ? null : entry.ever_pulled ? 'yes, so it can be deprecated but not deleted' : 'never'],
]

const amount = (value: number | null): string | null => (value === null ? null : number(value))
const rounded = (value: number | null): string => (value === null ? '?' : number(Math.round(value * 10) / 10))
const yesOrNo = (value: boolean | null): string | null => (value === null ? null : value ? 'yes' : 'no')

function measured({ metadata }: EntryDetail): Fact[] {
  const { bounds, blend_mode, two_sided, audio_duration, anim_length } = metadata
  const seconds = audio_duration ?? anim_length
  return [
    ['triangles', amount(metadata.tri_count)],
    ['vertices', amount(metadata.vert_count)],
    ['materials', amount(metadata.material_count)],
    ['LODs', amount(metadata.lod_count)],
    ['bones', amount(metadata.bone_count)],
    ['emitters', amount(metadata.emitter_count)],
    ['bounds', bounds && `${rounded(bounds.x)} x ${rounded(bounds.y)} x ${rounded(bounds.z)} cm`],
    ['collision', yesOrNo(metadata.has_collision)],
    ['Nanite', yesOrNo(metadata.nanite_enabled)],
    ['textures', texturesWords(metadata)],
    [
      'channels',
      metadata.pbr_channels
        ?.split(',')
        .map((channel) => words(channel.trim()))
        .join(', '),
    ],
    ['texture', imageWords(metadata)],
    ['blend mode', blend_mode],
    ['two-sided', yesOrNo(two_sided)],
    ['length', seconds === null ? null : duration(seconds * 1000)],
    ['sound', soundWords(metadata)],
    ['made with', metadata.source_app],
    ['made on', metadata.source_authored_at],
  ]
}

type Metadata = EntryDetail['metadata']

function texturesWords({ texture_count, max_texture_res: largest }: Metadata): string | null {
  const most = largest === null ? null : `up to ${number(largest)} px`
  return [amount(texture_count), most].filter(Boolean).join(', ')
}

const imageWords = ({ texture_width: width, texture_height: height, texture_format: format }: Metadata): string | null =>
  [width !== null && height !== null ? `${number(width)} x ${number(height)} px` : null, format].filter(Boolean).join(', ')

const soundWords = ({ sample_rate, channel_count }: Metadata): string =>
  [
    sample_rate === null ? null : `${number(sample_rate)} Hz`,
    channel_count === null ? null : (channelWords[channel_count] ?? count(channel_count, 'channel')),
  ]
    .filter(Boolean)
    .join(', ')

const channelWords: Record<number, string> = { 1: 'mono', 2: 'stereo' }

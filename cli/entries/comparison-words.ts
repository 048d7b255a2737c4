/** What differs between two versions, in words: measures with units, dependencies with signs, nothing told by colour alone. */
import type { ActorChanges } from '../../client/compare/actors.ts'
import type {
  Change,
  ComparedField,
  ComparedNeed,
  ComparedValue,
  ComparedVersion,
  Comparison,
} from '../../client/compare/compare.ts'
import { isSilent } from '../../client/compare/compare.ts'
import { fieldNames } from '../../client/compare/difference-words.ts'
import { versionName } from '../../client/entries/current-version.ts'
import { printable } from '../../system/printable.ts'
import { count, duration, number, size } from '../terminal/amounts.ts'
import type { Paint } from '../terminal/output.ts'
import { pad } from '../terminal/table.ts'
import { wrap, wrapAfter } from '../terminal/wrap.ts'

export interface ComparisonLook {
  paint: Paint
  width: number
  /** List every dependency. */
  all?: boolean
}

/** What a side is called: `v2`, or the file. */
export const sideName = ({ file, object_id, version }: Pick<ComparedVersion, 'file' | 'object_id' | 'version'>): string =>
  file === null && object_id !== null ? versionName({ object_id, version }) : 'the file here'

type Format = (value: ComparedValue) => string

const plain: Format = (value) => (typeof value === 'number' ? number(value) : printable(String(value)))
const yesOrNo: Format = (value) => (value === true ? 'yes' : 'no')
const seconds: Format = (value) => duration(Number(value) * 1000)
const unit =
  (name: string): Format =>
  (value) =>
    `${number(Number(value))} ${name}`
const rounded = (edge: number | null): string => (edge === null ? '?' : number(Math.round(edge * 10) / 10))
const box: Format = (value) =>
  typeof value === 'object' && value ? `${rounded(value.x)} x ${rounded(value.y)} x ${rounded(value.z)} cm` : '-'

const formats: Record<ComparedField, Format> = {
  asset_class: plain,
  engine_version: plain,
  origin_path: plain,
  tri_count: plain,
  vert_count: plain,
  bounds: box,
  lod_count: plain,
  material_count: plain,
  bone_count: plain,
  emitter_count: plain,
  has_collision: yesOrNo,
  nanite_enabled: yesOrNo,
  texture_count: plain,
  max_texture_res: unit('px'),
  pbr_channels: plain,
  texture_width: unit('px'),
  texture_height: unit('px'),
  texture_format: plain,
  blend_mode: plain,
  two_sided: yesOrNo,
  audio_duration: seconds,
  anim_length: seconds,
  sample_rate: unit('Hz'),
  channel_count: (value) => count(Number(value), 'channel'),
  source_app: plain,
  source_authored_at: plain,
  blob_size: (value) => size(Number(value)),
}
const order = Object.keys(fieldNames) as ComparedField[]
const labelWidth = 13

/** Lines of at most `width` columns where words allow it. */
export function comparisonLines(comparison: Comparison, look: ComparisonLook): string[] {
  if (comparison.identical) return wrap('They are the same, byte for byte.', look.width)
  if (isSilent(comparison))
    return wrap('The bytes differ; measures and dependencies are the same, as far as they are known.', look.width)
  const { changes, dependencies, missing, plugins } = comparison
  const known = changes.toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
  return [
    ...known.flatMap((change) => changeLines(change, look)),
    ...(dependencies ? needSection(dependencies, look) : []),
    ...nameSection('Missing in the library', missing, look),
    ...nameSection('Plugins', plugins, look),
  ]
}

function changeLines({ field, from, to }: Change, { paint, width }: ComparisonLook): string[] {
  const format = formats[field] ?? plain
  const words = (value: ComparedValue) => (value === null ? 'unknown' : format(value))
  const label13 = paint('dim', pad(fieldNames[field] ?? field, labelWidth))
  return wrapAfter(label13, `${words(from)} → ${words(to)}${growth({ field, from, to }, format)}`, width)
}

/** ` (+1,200, twice as many)` would be too much: the amount alone. */
function growth({ field, from, to }: Change, format: Format): string {
  if (typeof from !== 'number' || typeof to !== 'number' || field === 'sample_rate') return ''
  const grown = Math.abs(to - from)
  return ` (${to > from ? '+' : '-'}${format(field.endsWith('_duration') ? grown : Math.round(grown * 1000) / 1000)})`
}

type Dependencies = NonNullable<Comparison['dependencies']>
const mostNeeds = 12

function needSection({ added, gone, updated }: Dependencies, look: ComparisonLook): string[] {
  const named = ({ name, path }: ComparedNeed) => `${printable(name)}${path === null ? '' : `  ${printable(path)}`}`
  return section('Dependencies', look, [
    ...added.map((need) => ({ sign: '+', words: named(need) })),
    ...gone.map((need) => ({ sign: '-', words: named(need) })),
    ...updated.map(({ name, from, to }) => ({
      sign: '~',
      words: `${printable(name)}  ${sideName({ ...from, file: null })} → ${sideName({ ...to, file: null })}`,
    })),
  ])
}

const nameSection = (title: string, names: Comparison['missing'], look: ComparisonLook): string[] =>
  section(title, look, [
    ...(names?.added ?? []).map((name) => ({ sign: '+', words: printable(name) })),
    ...(names?.gone ?? []).map((name) => ({ sign: '-', words: printable(name) })),
  ])

/** Actors of a level, by what people call them. */
export const actorSection = ({ added, changed, removed }: ActorChanges, look: ComparisonLook): string[] =>
  section('Actors', look, [
    ...added.map((label) => ({ sign: '+', words: printable(label) })),
    ...removed.map((label) => ({ sign: '-', words: printable(label) })),
    ...changed.map((label) => ({ sign: '~', words: printable(label) })),
  ])

const styles = { '+': 'green', '-': 'red', '~': 'yellow' } as const

interface Line {
  sign: string
  words: string
}

function section(title: string, { paint, width, all = false }: ComparisonLook, lines: readonly Line[]): string[] {
  if (lines.length === 0) return []
  const shown = all ? lines : lines.slice(0, mostNeeds)
  const more = lines.length - shown.length
  return [
    paint('bold', title),
    ...shown.flatMap(({ sign, words }) => wrapAfter(`  ${paint(styles[sign as '+'], sign)} `, words, width)),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ]
}

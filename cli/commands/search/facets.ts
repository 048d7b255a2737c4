/** What facets of a search say, as rows: each value with how many entries have it, and the option that narrows to them (spec 4.2). */
import type { EntryQuestion } from '../../../client/entries/pages.ts'
import type { Facets } from '../../../contract/facets.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { typeWords } from '../../entries/type-names.ts'
import { count, number } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { type Column, table } from '../../terminal/table.ts'
import { rangeText } from './number-range.ts'

export interface FacetRow {
  dimension: string
  value: string
  /** Entries; a range of numbers has none. */
  count: number | null
  /** The option that narrows to it. */
  typed: string
  /** It is among those asked for already. */
  isChosen: boolean
}

/** So many values of a dimension are shown where nobody asked for all. */
const mostValues = 10

/** How many entries match. Each has one pack, and a dimension ignores its own filter only. */
export function totalOf({ packs }: Facets, { pack }: EntryQuestion): number {
  return packs.filter(({ id }) => !pack || pack.includes(id)).reduce((sum, { count: each }) => sum + each, 0)
}

type Value = Pick<FacetRow, 'value' | 'count' | 'typed'> & { isChosen: boolean | undefined }

/** Dimensions by the parameter that filters by them, most telling first. */
const dimensions = {
  type: ({ types }, { type }) =>
    types.map(({ value, count: each }) => ({
      value: typeWords(value),
      count: each,
      typed: option('--type', typeWords(value)),
      isChosen: type?.includes(value),
    })),
  category: ({ categories }, { category, uncategorized }) =>
    categories.map(({ value, count: each }) =>
      value === null
        ? { value: '(none)', count: each, typed: '--uncategorized', isChosen: uncategorized }
        : { value, count: each, typed: option('--category', value), isChosen: category?.includes(value) },
    ),
  tag: ({ tags }, { tag }) =>
    tags.map(({ name, count: each }) => ({
      value: name,
      count: each,
      typed: option('--tag', name),
      isChosen: tag?.includes(name),
    })),
  pack: ({ packs }, { pack }) =>
    packs.map(({ id, name, count: each }) => ({
      value: name,
      count: each,
      typed: option('--pack', name),
      isChosen: pack?.includes(id),
    })),
  variant: ({ variant }, { variant: chosen }) =>
    variant.map(({ value, count: each }) => ({
      value: value ? 'yes' : 'no',
      count: each,
      typed: value ? '--variants' : '--no-variants',
      isChosen: chosen === value,
    })),
  review: ({ review }, { review: chosen }) =>
    review.map(({ value, count: each }) => ({
      value: value.replaceAll('_', ' '),
      count: each,
      typed: option('--review', value.replaceAll('_', '-')),
      isChosen: chosen === value,
    })),
} satisfies Record<string, (facets: Facets, question: EntryQuestion) => Value[]>

export type Dimension = keyof typeof dimensions

export const dimensionNames = Object.keys(dimensions) as Dimension[]

const option = (name: string, value: string): string => `${name} ${shellWord(value)}`

/** The values of a dimension that some entry has, most frequent first. */
export function facetRows(facets: Facets, question: EntryQuestion, dimension: Dimension): FacetRow[] {
  return dimensions[dimension](facets, question)
    .filter(({ count: each }) => each > 0)
    .toSorted((a, b) => b.count - a.count)
    .map((row) => ({ ...row, dimension, isChosen: row.isChosen === true }))
}

const measures = [
  ['triangles', 'tri_count', 'tri'],
  ['vertices', 'vert_count', 'vert'],
  ['materials', 'material_count', 'material'],
  ['lods', 'lod_count', 'lod'],
  ['bounds', 'bounds', 'bounds'],
] as const

/** The range of each measure that some entry has. */
export function measureRows({ metadata }: Facets, question: EntryQuestion): FacetRow[] {
  return measures.flatMap(([dimension, field, filter]) => {
    const { min, max } = metadata[field]
    if (min === null || max === null) return []
    const unit = field === 'bounds' ? ' cm' : ''
    const value = min === max ? number(min) : `${number(min)} to ${number(max)}`
    const isChosen = question[`${filter}_min`] !== undefined || question[`${filter}_max`] !== undefined
    return [{ dimension, value: `${value}${unit}`, count: null, typed: `--${dimension} ${rangeText({ min, max })}`, isChosen }]
  })
}

/** On a terminal a heading, and each dimension once; elsewhere one row a line, nothing left out. */
export function facetLines(
  facets: Facets,
  { question, all, out }: { question: EntryQuestion; all: boolean; out: Output },
): string[] {
  const most = all || !out.terminal ? Number.POSITIVE_INFINITY : mostValues
  const rows = [
    ...dimensionNames.flatMap((dimension) => longest(facetRows(facets, question, dimension), most)),
    ...measureRows(facets, question),
  ]
  if (rows.length === 0) return out.terminal ? ['Nothing matches.'] : []
  const isFirst = (row: FacetRow) => rows.find(({ dimension }) => dimension === row.dimension) === row
  const columns: Column<FacetRow>[] = [
    { title: '', value: (row) => (!out.terminal || isFirst(row) ? row.dimension : '') },
    { title: 'VALUE', value: (row) => row.value, cut: 'end' },
    { title: 'ENTRIES', value: (row) => (row.count === null ? '' : number(row.count)), right: true },
    { title: 'FILTER', value: (row) => `${row.typed}${row.isChosen && out.terminal ? ' *' : ''}`, cut: 'end' },
  ]
  const lines = table(rows, columns, out)
  if (!out.terminal) return lines
  const chosen = rows.some((row) => row.isChosen) ? [out.paint('dim', '* this filter is on already')] : []
  return [out.paint('bold', count(totalOf(facets, question), 'entry', 'entries')), ...lines, ...chosen]
}

/** So many rows, the last of which says what is missing. */
function longest(rows: FacetRow[], most: number): FacetRow[] {
  const hidden = rows.slice(most)
  const [first] = hidden
  if (!first) return rows
  const sum = hidden.reduce((all, row) => all + (row.count ?? 0), 0)
  return [
    ...rows.slice(0, most),
    { dimension: first.dimension, value: `… ${count(hidden.length, 'other')}`, count: sum, typed: 'see --all', isChosen: false },
  ]
}

/** Values with their counts on one line: `mesh 41, material 20 and 3 others`. */
export function facetWords(rows: readonly FacetRow[], most: number): string {
  const shown = rows.slice(0, most).map((row) => printable(row.count === null ? row.value : `${row.value} ${number(row.count)}`))
  const hidden = rows.length - shown.length
  return shown.join(', ') + (hidden > 0 ? ` and ${count(hidden, 'other')}` : '')
}

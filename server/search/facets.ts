/** How many entries of a selection have what: each dimension counts as if its own filter were not there (spec 4.2). */
import type { Facets } from '../../contract/facets.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Coded } from './catalog/columns.ts'
import { bitOf, type Dimension } from './filters.ts'
import { failing, rowsFailingElse, rowsFailingOnly, type Selection } from './selection.ts'

/** What dimensions are counted by. */
interface Counting {
  catalog: Catalog
  /** Of every row, the bits of the dimensions in which it fails. */
  fails: Uint16Array
  /** The rows that count in a dimension. */
  rowsOf(dimension: Dimension): Uint32Array
}

export function facetsOf(catalog: Catalog, selection: Selection): Facets {
  const fails = failing(catalog, selection)
  const counting = { catalog, fails, rowsOf: rowsPerDimension(fails, selection) }
  return {
    packs: packsOf(counting),
    categories: valuesOf<string | null>(counting, 'category'),
    tags: tagsOf(counting),
    types: valuesOf<string>(counting, 'type'),
    variant: valuesOf<boolean>(counting, 'variant'),
    preview: valuesOf<'none' | 'ready' | 'unavailable'>(counting, 'preview'),
    review: valuesOf<'draft' | 'in_review' | 'changes_requested' | 'approved'>(counting, 'review'),
    metadata: {
      tri_count: rangeOf(counting, 'tri'),
      vert_count: rangeOf(counting, 'vert'),
      material_count: rangeOf(counting, 'material'),
      lod_count: rangeOf(counting, 'lod'),
      bounds: rangeOf(counting, 'bounds'),
    },
  }
}

/** Dimensions without a filter of their own count the same rows, which are put together once. */
function rowsPerDimension(fails: Uint16Array, selection: Selection): (dimension: Dimension) => Uint32Array {
  const filtered = selection.filters.reduce((bits, { bit }) => bits | bit, 0)
  const common = rowsFailingOnly(fails, 0)
  return (dimension) => ((filtered & bitOf(dimension)) === 0 ? common : rowsFailingOnly(fails, bitOf(dimension), 'own'))
}

/** The most frequent first, then by name. */
const byCount = <T extends { count: number }>(buckets: T[], nameOf: (bucket: T) => string): T[] =>
  buckets.sort((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1))

function valuesOf<K extends string | boolean | null>(counting: Counting, name: Coded & Dimension): { value: K; count: number }[] {
  const keys = counting.catalog.columns.dictionaries[name].keys as readonly unknown[] as readonly K[]
  const buckets = [...countCodes(counting, name)].flatMap((count, code) => (count > 0 ? [{ value: keys[code] as K, count }] : []))
  return byCount(buckets, ({ value }) => String(value ?? ''))
}

function packsOf(counting: Counting): Facets['packs'] {
  const { packNames, columns } = counting.catalog
  const buckets = [...countCodes(counting, 'pack')].flatMap((count, code) =>
    count > 0 ? [{ id: columns.dictionaries.pack.keys[code] ?? 0, name: packNames[code] ?? '', count }] : [],
  )
  return byCount(buckets, ({ name }) => name)
}

function tagsOf(counting: Counting): Facets['tags'] {
  const { tags, tagLabels } = counting.catalog
  const buckets = [...countTags(counting)].flatMap((count, code) =>
    count > 0
      ? [{ id: tags.keys[code] ?? 0, name: tagLabels[code]?.name ?? '', color: tagLabels[code]?.color ?? null, count }]
      : [],
  )
  return byCount(buckets, ({ name }) => name)
}

function countCodes({ catalog, rowsOf }: Counting, name: Coded & Dimension): Uint32Array {
  const codes = catalog.columns.codes[name]
  const counts = new Uint32Array(catalog.columns.dictionaries[name].keys.length)
  const rows = rowsOf(name)
  for (let index = 0; index < rows.length; index++) {
    const code = codes[rows[index] as number] as number
    counts[code] = (counts[code] as number) + 1
  }
  return counts
}

/** Where most rows count, those that do not are taken off all of them. */
function countTags({ catalog, fails, rowsOf }: Counting): Uint32Array {
  const { tagLists, entries } = catalog
  const codes = catalog.tags.keys.length
  const rows = rowsOf('tag')
  if (rows.length * 2 < entries.end) return tagLists.count(rows, codes)
  const left = tagLists.count(rowsFailingElse(fails, bitOf('tag')), codes)
  return tagLists.countAll(codes).map((count, code) => (code === 0 ? 0 : count - (left[code] as number)))
}

/** Both are null when no row that counts has a value. */
function rangeOf({ catalog, rowsOf }: Counting, name: 'tri' | 'vert' | 'material' | 'lod' | 'bounds') {
  const numbers = catalog.columns.numbers[name]
  const rows = rowsOf(name)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = 0; index < rows.length; index++) {
    const value = numbers[rows[index] as number] as number
    if (value < min) min = value
    if (value > max) max = value
  }
  return max < min ? { min: null, max: null } : { min, max }
}

/** How many entries of a selection have what: each dimension counts as if its own filter were not there (spec 4.2). */
import type { Facets } from '../../contract/facets.ts'
import type { Catalog } from './catalog.ts'
import type { Coded } from './columns.ts'
import { bitOf, type Dimension } from './filters.ts'
import { failing, type Selection } from './selection.ts'

/** What one dimension is counted by. */
interface Counting {
  catalog: Catalog
  fails: Uint16Array
}

export function facetsOf(catalog: Catalog, selection: Selection): Facets {
  const counting = { catalog, fails: failing(catalog, selection) }
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

function countCodes({ catalog, fails }: Counting, name: Coded & Dimension): Uint32Array {
  const codes = catalog.columns.codes[name]
  const counts = new Uint32Array(catalog.columns.dictionaries[name].keys.length)
  const others = ~bitOf(name)
  for (let row = 0; row < fails.length; row++) {
    if (((fails[row] as number) & others) !== 0) continue
    const code = codes[row] as number
    counts[code] = (counts[code] as number) + 1
  }
  return counts
}

function countTags({ catalog, fails }: Counting): Uint32Array {
  const { cells, starts } = catalog.tagsOf
  const counts = new Uint32Array(catalog.tags.keys.length)
  const others = ~bitOf('tag')
  for (let row = 0; row < fails.length; row++) {
    if (((fails[row] as number) & others) !== 0) continue
    for (let at = starts[row] as number; cells[at] !== 0; at++) {
      const code = cells[at] as number
      counts[code] = (counts[code] as number) + 1
    }
  }
  return counts
}

/** Both are null when no row that counts has a value. */
function rangeOf({ catalog, fails }: Counting, name: 'tri' | 'vert' | 'material' | 'lod' | 'bounds') {
  const numbers = catalog.columns.numbers[name]
  const others = ~bitOf(name)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < fails.length; row++) {
    if (((fails[row] as number) & others) !== 0) continue
    const value = numbers[row] as number
    if (value < 0) continue
    if (value < min) min = value
    if (value > max) max = value
  }
  return max < min ? { min: null, max: null } : { min, max }
}

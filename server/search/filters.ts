/** What the filters of a question mean in one catalog: which rows fail, and in which dimension of the facets (spec 4.2). */
import type { Static, TObject } from 'typebox'
import type { entryFilters } from '../../contract/entry-filters.ts'
import { nameKey } from '../../contract/names.ts'
import { pathKey } from '../push/manifest.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Coded, Measured } from './catalog/columns.ts'
import { type Glob, PathPattern } from './globs.ts'

export type FilterInput = Static<TObject<typeof entryFilters>>

/** Each facet ignores the filters of its own dimension. */
export const dimensions = [
  'pack',
  'category',
  'tag',
  'type',
  'variant',
  'preview',
  'review',
  'tri',
  'vert',
  'material',
  'lod',
  'bounds',
] as const
export type Dimension = (typeof dimensions)[number]

export const bitOf = (dimension: Dimension): number => 1 << dimensions.indexOf(dimension)
/** Rows that no facet counts. */
export const outside = 1 << 15

export interface Filter {
  /** Of its dimension. */
  readonly bit: number
  passes(row: number): boolean
  /** Sets the filter's bit of every row that fails: without branches, as no processor guesses which rows do. */
  sweep(fails: Uint16Array): void
}

/** Rows whose code is one of some. */
class CodeFilter implements Filter {
  readonly bit: number
  readonly #codes: Uint8Array | Uint32Array
  /** By code: the bit, or 0. */
  readonly #fails: Uint16Array

  constructor(codes: Uint8Array | Uint32Array, fails: Uint16Array, bit: number) {
    this.bit = bit
    this.#codes = codes
    this.#fails = fails
  }

  passes(row: number): boolean {
    return this.#fails[this.#codes[row] as number] === 0
  }

  sweep(fails: Uint16Array): void {
    const codes = this.#codes
    const own = this.#fails
    for (let row = 0; row < fails.length; row++) fails[row] = (fails[row] as number) | (own[codes[row] as number] as number)
  }
}

/** Rows whose number lies between two others; unknown ones do not. */
class RangeFilter implements Filter {
  readonly bit: number
  readonly #numbers: Float64Array
  readonly #range: { min: number; max: number }

  constructor(numbers: Float64Array, range: { min: number; max: number }, bit: number) {
    this.bit = bit
    this.#numbers = numbers
    this.#range = range
  }

  passes(row: number): boolean {
    const value = this.#numbers[row] as number
    return value >= this.#range.min && value <= this.#range.max
  }

  sweep(fails: Uint16Array): void {
    const numbers = this.#numbers
    const { min, max } = this.#range
    for (let row = 0; row < fails.length; row++) {
      const value = numbers[row] as number
      const isIn = Number(value >= min) & Number(value <= max)
      fails[row] = (fails[row] as number) | ((1 - isIn) * this.bit)
    }
  }
}

/** Rows that have one of some tags. */
class TagFilter implements Filter {
  readonly bit = bitOf('tag')
  readonly #has: (row: number) => number

  constructor(has: (row: number) => number) {
    this.#has = has
  }

  passes(row: number): boolean {
    return this.#has(row) === 1
  }

  sweep(fails: Uint16Array): void {
    const has = this.#has
    for (let row = 0; row < fails.length; row++) fails[row] = (fails[row] as number) | ((1 - has(row)) * this.bit)
  }
}

type RowTest = (row: number) => boolean

/** What a folder says of its rows: all fail, all pass; or, from 2 on, which test tells. */
const [noneIn, allIn, tested] = [0, 1, 2]

/** Rows whose path matches. */
class PathFilter implements Filter {
  readonly bit = outside
  readonly #codes: Uint32Array
  /** By folder. */
  readonly #says: Uint32Array
  readonly #tests: readonly RowTest[]

  constructor(codes: Uint32Array, says: Uint32Array, tests: readonly RowTest[]) {
    this.#codes = codes
    this.#says = says
    this.#tests = tests
  }

  passes(row: number): boolean {
    const said = this.#says[this.#codes[row] as number] as number
    return said < tested ? said === allIn : (this.#tests[said - tested] as RowTest)(row)
  }

  sweep(fails: Uint16Array): void {
    for (let row = 0; row < fails.length; row++) if (!this.passes(row)) fails[row] = (fails[row] as number) | this.bit
  }
}

/** The filters of a question. They hold for the catalog as it is now. */
export function toFilters(catalog: Catalog, input: FilterInput): Filter[] {
  const statuses = input.include_deprecated ? ['active', 'deprecated'] : ['active']
  return [
    ...codeFilter(catalog, 'group', input.variant_group === undefined ? undefined : [input.variant_group]),
    ...codeFilter(catalog, 'pack', input.pack),
    ...categoryFilter(catalog, input),
    ...tagFilter(catalog, input.tag),
    ...codeFilter(catalog, 'type', input.type),
    ...codeFilter(catalog, 'status', statuses),
    ...codeFilter(catalog, 'variant', one(input.variant)),
    ...codeFilter(catalog, 'preview', one(input.preview)),
    ...codeFilter(catalog, 'review', one(input.review)),
    ...codeFilter(catalog, 'collision', one(input.has_collision)),
    ...codeFilter(catalog, 'nanite', one(input.nanite)),
    ...codeFilter(catalog, 'project', input.pushed_from?.map(nameKey)),
    ...pathFilter(catalog, input.path),
    ...range(catalog, 'tri', [input.tri_min, input.tri_max]),
    ...range(catalog, 'vert', [input.vert_min, input.vert_max]),
    ...range(catalog, 'material', [input.material_min, input.material_max]),
    ...range(catalog, 'lod', [input.lod_min, input.lod_max]),
    ...range(catalog, 'bounds', [input.bounds_min, input.bounds_max]),
  ]
}

const one = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value])

const bitFor = (name: string): number => {
  const bit = (dimensions as readonly string[]).indexOf(name)
  return bit < 0 ? outside : 1 << bit
}

function codeFilter<K>(catalog: Catalog, name: Coded, keys: readonly K[] | undefined): Filter[] {
  if (!keys) return []
  const dictionary = catalog.columns.dictionaries[name] as { find(key: K): number | undefined; keys: readonly unknown[] }
  const bit = bitFor(name)
  const fails = new Uint16Array(dictionary.keys.length).fill(bit)
  for (const key of keys) {
    const code = dictionary.find(key)
    if (code !== undefined) fails[code] = 0
  }
  return [new CodeFilter(catalog.columns.codes[name], fails, bit)]
}

/** Wanted ones first, where there are any; then those to drop. Null is the uncategorized. */
function categoryFilter(catalog: Catalog, input: FilterInput): Filter[] {
  const include = [...(input.category ?? []), ...(input.uncategorized ? [null] : [])]
  const exclude = [...(input.exclude_category ?? []), ...(input.exclude_uncategorized ? [null] : [])]
  if (include.length + exclude.length === 0) return []
  const { keys } = catalog.columns.dictionaries.category
  const [kept, dropped] = [new Set<string | null>(include), new Set<string | null>(exclude)]
  const passes = (key: string | null) => (kept.size === 0 || kept.has(key)) && !dropped.has(key)
  const fails = Uint16Array.from(keys, (key) => (passes(key) ? 0 : bitOf('category')))
  return [new CodeFilter(catalog.columns.codes.category, fails, bitOf('category'))]
}

function tagFilter(catalog: Catalog, names: readonly string[] | undefined): Filter[] {
  if (!names) return []
  const keys = new Set(names.map(nameKey))
  const chosen = Uint8Array.from(catalog.tags.keys, (_, code) => {
    const label = catalog.tagLabels[code]
    return Number(label !== undefined && keys.has(label.key))
  })
  return [new TagFilter(catalog.tagLists.havingOneOf(chosen))]
}

function pathFilter({ columns, leaves }: Catalog, paths: readonly string[] | undefined): Filter[] {
  if (!paths) return []
  const patterns = paths.map((path) => new PathPattern(pathKey(path)))
  const tests: RowTest[] = []
  const known = new Map<Glob, number>()
  const testOf = (leaf: Glob): number => {
    const index = known.get(leaf) ?? tests.push(leaves.matching(leaf)) - 1
    known.set(leaf, index)
    return index
  }
  const saying = (folder: string): number => {
    const asks: Glob[] = []
    for (const pattern of patterns) {
      const leaf = pattern.leafIn(folder)
      if (leaf?.isOpen) return allIn
      if (leaf) asks.push(leaf)
    }
    const [first, ...others] = asks
    if (!first) return noneIn
    if (others.length === 0) return tested + testOf(first)
    const indexes = asks.map(testOf)
    return tested + tests.push((row) => indexes.some((index) => (tests[index] as RowTest)(row))) - 1
  }
  const says = Uint32Array.from(columns.dictionaries.folder.keys, (folder) => (folder === null ? noneIn : saying(folder)))
  return [new PathFilter(columns.codes.folder, says, tests)]
}

function range(catalog: Catalog, name: Measured & Dimension, [min, max]: (number | undefined)[]): Filter[] {
  if (min === undefined && max === undefined) return []
  const ends = { min: min ?? 0, max: max ?? Number.POSITIVE_INFINITY }
  return [new RangeFilter(catalog.columns.numbers[name], ends, bitOf(name))]
}

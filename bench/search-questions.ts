/** What the catalog is asked, in the words of the API and in SQL over the contenders' tables (`contender-tables.ts` says which). */
import { nouns, properName } from './prop-words.ts'
import { nameOfTag, propOf, randomOf } from './props.ts'

/** Facets that count values. Ranges of metadata are asked besides. */
export const dimensions = ['pack', 'category', 'type', 'is_variant', 'preview'] as const
export type Dimension = (typeof dimensions)[number] | 'tag'

export interface Filter {
  query: string
  sql: string
  /** The facet that ignores it. */
  dimension?: Dimension
}

const sortColumns = { name: 'name_key', date_indexed: 'indexed', date_updated: 'updated', blob_size: 'size', tri_count: 'tri' }
export type Sort = keyof typeof sortColumns

export interface Listing {
  filters: readonly Filter[]
  sort: Sort
  order: 'asc' | 'desc'
}

const type = (value: string): Filter => ({ query: `type=${value}`, sql: `type = '${value}'`, dimension: 'type' })
const category = (value: string): Filter => ({
  query: `category=${value}`,
  sql: `category = '${value}'`,
  dimension: 'category',
})
const tag = (number: number): Filter => ({
  query: `tag=${encodeURIComponent(nameOfTag(number))}`,
  sql: `id in (select entry_id from tagged where tag = ${number})`,
  dimension: 'tag',
})
const pack = (number: number): Filter => ({ query: `pack=${number}`, sql: `pack = ${number}`, dimension: 'pack' })
const range = (name: 'tri' | 'bounds', from: number, to: number): Filter => ({
  query: `${name}_min=${from}&${name}_max=${to}`,
  sql: `${name === 'tri' ? 'tri' : 'edge'} between ${from} and ${to}`,
})
const ready: Filter = { query: 'preview=ready', sql: "preview = 'ready'", dimension: 'preview' }
const notTextures: Filter = {
  query: 'exclude_category=Textures',
  sql: "(category is null or category <> 'Textures')",
  dimension: 'category',
}
const collides: Filter = { query: 'has_collision=true', sql: 'has_collision' }
const meshOrMaterial: Filter = { query: 'type=mesh&type=material', sql: "type in ('mesh', 'material')", dimension: 'type' }
const isVariant: Filter = { query: 'variant=true', sql: 'is_variant', dimension: 'is_variant' }
const uncategorized: Filter = { query: 'uncategorized=true', sql: 'category is null', dimension: 'category' }

export const listings: readonly Listing[] = [
  { filters: [], sort: 'name', order: 'asc' },
  { filters: [], sort: 'date_updated', order: 'desc' },
  { filters: [type('mesh')], sort: 'blob_size', order: 'desc' },
  { filters: [category('Textures'), type('texture')], sort: 'name', order: 'asc' },
  { filters: [range('tri', 1000, 20_000)], sort: 'tri_count', order: 'asc' },
  { filters: [tag(1)], sort: 'date_indexed', order: 'desc' },
  { filters: [notTextures, ready], sort: 'name', order: 'desc' },
  { filters: [meshOrMaterial], sort: 'date_updated', order: 'desc' },
  { filters: [range('bounds', 50, 200), collides], sort: 'tri_count', order: 'desc' },
  { filters: [pack(1)], sort: 'name', order: 'asc' },
  { filters: [category('Temple'), tag(40), isVariant], sort: 'name', order: 'asc' },
  { filters: [uncategorized, type('mesh')], sort: 'blob_size', order: 'asc' },
]

/** A folder, what its names begin with, and patterns that no folder answers alone; no contender is asked these. */
export const placeQuestions = [
  'path=/Game/',
  'path=/Game/*/Props/*',
  'path=/Game/*/SM_Rock*',
  'path=*barrel*',
  'pushed_from=project%207',
]

export const facetFilters: readonly (readonly Filter[])[] = [
  [category('Props'), type('mesh')],
  [type('mesh')],
  [tag(3), range('tri', 500, 50_000)],
  [pack(2), ready],
  [notTextures],
  [category('Props')],
]

/** Each matches about half of the library, in names, categories, tags and packs. */
export const commonWords = ['ro', 'b', 'c', 'p']

/** Words whose pieces stand side by side in a name, or that a name says in several. */
export const typedWords = ['SM_Rock', 'SM_B', 'T_Rock', 'oldbarrel', 'rustybarrel01', 'SM_RustyBarrel_01', '4k']

/** Names of nobody that props bear; each matches between one and a few dozen. */
export function rareWords(entries: number): string[] {
  const rare = new Set(Array.from({ length: 15_000 }, (_, at) => properName(at + 100)))
  const found = new Set<string>()
  const random = randomOf(entries)
  for (let tries = 0; tries < 20_000 && found.size < 200; tries++) {
    const { name } = propOf(1 + Math.floor(random() * entries), entries)
    for (const word of wordsOf(name)) if (rare.has(word)) found.add(word.toLowerCase())
  }
  return found.size > 0 ? [...found] : [(nouns.at(-1) ?? '').toLowerCase()]
}

/** Split where the search splits: `SM_OldBarrel_01` is SM, Old, Barrel, 01. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')

export const pagePath = ({ filters, sort, order }: Listing): string =>
  `/entries?${[...filters.map(({ query }) => query), `sort=${sort}`, `order=${order}`].join('&')}`

/** Where a page begins: behind the entry with this value of the sort's column and this id. */
export interface Behind {
  value: string | number
  id: number
}

/** `page` rows of id and name. Columns are named as in `contender-tables.ts`. */
export function pageStatement({ filters, sort, order }: Listing, page: number, behind?: Behind): string {
  const column = sortColumns[sort]
  const beyond = behind && `(${column}, id) ${order === 'asc' ? '>' : '<'} (${literal(behind.value)}, ${behind.id})`
  const where = [...filters.map(({ sql }) => sql), ...(beyond ? [beyond] : [])]
  return `select id, name, ${column} as value from entry ${whereOf(where)} order by ${column} ${order}, id ${order} limit ${page}`
}

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
const whereOf = (conditions: readonly string[]): string => (conditions.length > 0 ? `where ${conditions.join(' and ')}` : '')

interface FacetQuestion {
  filters: readonly Filter[]
  /** A condition that holds of what a search found. */
  found?: string
  /** Whether several groupings can be asked in one statement. */
  hasGroupingSets: boolean
}

/** Statements that count every facet, each without its own filter, and the ranges of metadata. */
export function facetStatements({ filters, found, hasGroupingSets }: FacetQuestion): string[] {
  const where = (own?: Dimension): string =>
    whereOf([
      ...filters.filter(({ dimension }) => own === undefined || dimension !== own).map(({ sql }) => sql),
      ...(found ? [found] : []),
    ])
  const isFiltered = (dimension: Dimension): boolean => filters.some((filter) => filter.dimension === dimension)
  const shared = hasGroupingSets ? dimensions.filter((dimension) => !isFiltered(dimension)) : []
  const alone = dimensions.filter((dimension) => !shared.includes(dimension))
  const tagged = where('tag')
  return [
    ...(shared.length > 0
      ? [`select ${shared}, count(*) from entry ${where()} group by grouping sets (${shared.map((each) => `(${each})`)})`]
      : []),
    ...alone.map((dimension) => `select ${dimension}, count(*) from entry ${where(dimension)} group by ${dimension}`),
    `select tag, count(*) from ${tagged ? `entry join tagged on entry_id = id ${tagged}` : 'tagged'} group by tag`,
    `select ${['tri', 'vert', 'material', 'lod', 'edge'].map((each) => `min(${each}), max(${each})`)} from entry ${where()}`,
  ]
}

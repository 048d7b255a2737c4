/** Random questions to the catalog, and answers in the form in which they are compared. */
import type { Facets } from '../../contract/facets.ts'
import type { Question, Sorting } from './plain-search.ts'
import { categories, names, paths, pick, projects, type Random, searches, tagNames, types } from './random-library.ts'

/** The ids of a workspace's packs and groups besides what every library has. */
export interface Known {
  packIds: number[]
  groupIds: number[]
}

const some = <T>(random: Random, from: readonly T[]): T[] => Array.from({ length: 1 + random(3) }, () => pick(random, from))
const wordOf = (text: string | null): string => text ?? 'None such'

/** Each filter has a chance to be asked for; most questions ask for one to three. */
export function randomQuestion(random: Random, { packIds, groupIds }: Known): Question {
  const limit = () => pick(random, [0, 1, 5, 9, 10, 999, 1000, 1001])
  const all: Question = {
    pack: some(random, [...packIds, 999_999]),
    category: some(random, categories).map(wordOf),
    uncategorized: true,
    exclude_category: some(random, categories).map(wordOf),
    exclude_uncategorized: true,
    tag: some(random, [...tagNames, 'WOOD', 'none']),
    type: some(random, [...types, 'none']),
    variant: random(2) === 0,
    variant_group: pick(random, [...groupIds, 999_999]),
    preview: pick(random, ['none', 'ready', 'unavailable']),
    review: pick(random, ['draft', 'draft', 'approved']),
    has_collision: random(2) === 0,
    nanite: random(2) === 0,
    tri_min: limit(),
    tri_max: limit(),
    vert_min: limit(),
    vert_max: limit(),
    material_max: limit(),
    lod_min: limit(),
    bounds_min: pick(random, [-1, 0, 0.5, 2.5]),
    bounds_max: pick(random, [-1, 0, 2.4, 2.5, 100]),
    include_deprecated: true,
    name: some(random, names),
    origin_path: some(random, ['/Game/P1', '/game/p2', '/GAME/P3']),
    path: some(random, paths),
    pushed_from: some(random, [...projects, 'NOWHERE']),
    q: pick(random, searches),
  }
  const chance = pick(random, [0, 1, 2, 3])
  return Object.fromEntries(Object.entries(all).filter(([key]) => random(20) < (key === 'include_deprecated' ? 10 : chance)))
}

export const sortings: Sorting[] = (['name', 'date_indexed', 'date_updated', 'blob_size', 'tri_count'] as const).flatMap(
  (sort) => [
    { sort, order: 'asc' },
    { sort, order: 'desc' },
  ],
)

/** Facets without the order of their values: packs by id, tags by name. */
export function tallied({ packs, categories, tags, types, variant, preview, review, metadata }: Facets) {
  const byValue = (buckets: { value: unknown; count: number }[]) =>
    Object.fromEntries(buckets.map(({ value, count }) => [String(value), count]))
  return {
    packs: Object.fromEntries(packs.map(({ id, count }) => [String(id), count])),
    categories: byValue(categories),
    tags: Object.fromEntries(tags.map(({ name, count }) => [name, count])),
    types: byValue(types),
    variant: byValue(variant),
    preview: byValue(preview),
    review: byValue(review),
    metadata,
  }
}

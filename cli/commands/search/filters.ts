/** What hits of a search have in common: every filter of GET /entries as an option, and as the library is asked (spec 4.2). */

import type { EntryQuestion } from '../../../client/entries/pages.ts'
import type { Api } from '../../../client/http/api.ts'
import { reviewStates } from '../../../contract/shapes.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { flag, type OptionSpec, texts, type ValueOf, value } from '../../command.ts'
import { requirePacks } from '../../entries/pack-list.ts'
import { requireTypes } from '../../entries/type-names.ts'
import { choiceOf, wholeNumber } from '../../refusal.ts'
import { type NumberRange, numberRange, rangeText } from './number-range.ts'

/** What is asked when an option was given this value; what names other records is looked up. */
type Asks<O> = (given: ValueOf<O>, api: Api) => EntryQuestion | Promise<EntryQuestion>

const filter = <O extends OptionSpec<unknown>>(option: O, asks: Asks<O>) => ({ option, asks })

type Measure = 'tri' | 'vert' | 'material' | 'lod' | 'bounds'

const range = (name: string, summary: string, measure: Measure) =>
  filter(value(`${name} <range>`, summary, numberRange(name, { whole: measure !== 'bounds' })), (given) => ({
    ...(given?.min === undefined ? {} : { [`${measure}_min`]: given.min }),
    ...(given?.max === undefined ? {} : { [`${measure}_max`]: given.max }),
  }))

const groupId = wholeNumber('--variant-group', 1, Number.MAX_SAFE_INTEGER)
const reviews = reviewStates.join(', ').replaceAll('_', '-')

const filters = {
  type: filter(texts('--type <type>', 'of this type: mesh, texture, source mesh … (repeatable)'), async (given, api) => ({
    type: await requireTypes(api, given),
  })),
  category: filter(texts('--category <name>', 'in this category (repeatable)'), (category) => ({ category })),
  uncategorized: filter(flag('--uncategorized', 'without a category, or in those of --category'), () => ({
    uncategorized: true,
  })),
  excludeCategory: filter(texts('--exclude-category <name>', 'not in this category (repeatable)'), (given) => ({
    exclude_category: given,
  })),
  categorized: filter(flag('--categorized', 'in any category'), () => ({ exclude_uncategorized: true })),
  tag: filter(texts('--tag <name>', 'with this tag (repeatable)'), (tag) => ({ tag })),
  pack: filter(texts('--pack <pack>', 'from this pack, by its name or id (repeatable)'), async (given, api) => ({
    pack: (await requirePacks(api, given)).map(({ id }) => id),
  })),
  name: filter(texts('--name <name>', 'of exactly this name (repeatable)'), (name) => ({ name })),
  path: filter(
    texts('--path <path>', 'at this /Game path, below a folder (/Game/Props/), or as * allows (repeatable)'),
    (given) => (given.some((path) => path.endsWith('/') || path.includes('*')) ? { path: given } : { origin_path: given }),
  ),
  pushedFrom: filter(texts('--pushed-from <project>', 'whose version was pushed from this project (repeatable)'), (given) => ({
    pushed_from: given,
  })),
  variants: filter(flag('--variants', 'one of several looks of a prop'), () => ({ variant: true })),
  noVariants: filter(flag('--no-variants', 'no variant of a prop'), () => ({ variant: false })),
  variantGroup: filter(value('--variant-group <id>', 'in this variant group, by its id in `ph show`', groupId), (given) => ({
    variant_group: given,
  })),
  review: filter(
    value('--review <state>', `with this review state: ${reviews}`, choiceOf('--review', reviewStates)),
    (review) => ({
      review,
    }),
  ),
  triangles: range('--triangles', 'with so many triangles: 100..2k, 100.., ..2k or 100', 'tri'),
  vertices: range('--vertices', 'with so many vertices', 'vert'),
  materials: range('--materials', 'with so many materials', 'material'),
  lods: range('--lods', 'with so many levels of detail', 'lod'),
  bounds: range('--bounds', 'whose longest edge has so many cm', 'bounds'),
  collision: filter(flag('--collision', 'with collision'), () => ({ has_collision: true })),
  noCollision: filter(flag('--no-collision', 'known to be without collision'), () => ({ has_collision: false })),
  nanite: filter(flag('--nanite', 'with Nanite'), () => ({ nanite: true })),
  noNanite: filter(flag('--no-nanite', 'known to be without Nanite'), () => ({ nanite: false })),
}

type FilterOptions = { [K in keyof typeof filters]: (typeof filters)[K]['option'] }

/** The options alone, for a command to take. */
export const filterOptions = Object.fromEntries(
  Object.entries(filters).map(([key, { option }]) => [key, option]),
) as unknown as FilterOptions

/** The values that they were given. */
export type GivenFilters = { [K in keyof FilterOptions]: ValueOf<FilterOptions[K]> }

/** One thing that every hit has: as it is typed, and as the library is asked. */
export interface Condition {
  typed: string
  asks: EntryQuestion
}

/** Words first, then filters. Throws Refusal where a pack or an entry is named that is not there. */
export async function readConditions(api: Api, words: readonly string[], given: GivenFilters): Promise<Condition[]> {
  const conditions = words.flatMap(wordCondition)
  for (const [key, { option, asks }] of Object.entries(filters)) {
    const one = given[key as keyof GivenFilters]
    if (one === undefined || one === false || (Array.isArray(one) && one.length === 0)) continue
    const condition = { typed: typedAs(option.flags, one), asks: await (asks as Asks<unknown>)(one as never, api) }
    const before = conditions.at(-1)
    // Both together widen the search (spec 4.2): neither can be left out alone.
    if (key === 'uncategorized' && before?.asks.category) conditions.splice(-1, 1, joined(before, condition))
    else conditions.push(condition)
  }
  return conditions
}

/** The question that all of them make; words stand side by side. */
export function questionOf(conditions: readonly Condition[]): EntryQuestion {
  const { typed: _typed, asks } = conditions.reduce(joined, { typed: '', asks: {} })
  return asks
}

function joined(one: Condition, other: Condition): Condition {
  const q = [one.asks.q, other.asks.q].flatMap((words) => words ?? []).join(' ')
  return { typed: `${one.typed} ${other.typed}`, asks: { ...one.asks, ...other.asks, ...(q === '' ? {} : { q }) } }
}

/** What was one argument although there is a space in it is looked for as it stands. */
function wordCondition(typed: string): Condition[] {
  const word = typed.trim()
  if (word === '') return []
  return [{ typed: shellWord(word), asks: { q: /\s/.test(word) && !word.includes('"') ? `"${word}"` : word } }]
}

function typedAs(flags: string, given: unknown): string {
  const [name = ''] = flags.split(' ')
  if (given === true) return name
  return [given]
    .flat()
    .map((one) => `${name} ${typeof one === 'object' ? rangeText(one as NumberRange) : shellWord(String(one))}`)
    .join(' ')
}

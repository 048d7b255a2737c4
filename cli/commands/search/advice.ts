/** What to do when a search finds nothing, or too much: asked of the library's facets (spec 4.2). */
import pLimit from 'p-limit'
import type { EntryPage, EntryQuestion } from '../../../client/entries/pages.ts'
import type { Api } from '../../../client/http/api.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Facets } from '../../../contract/facets.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { count, number } from '../../terminal/amounts.ts'
import { type Dimension, dimensionNames, facetRows, facetWords, measureRows, totalOf } from './facets.ts'
import { type Condition, questionOf } from './filters.ts'

interface Search {
  conditions: readonly Condition[]
  /** All conditions together, and whether deprecated entries count. */
  question: EntryQuestion
}

/** Each condition is a question of its own to the library. */
const mostConditions = 20
const mostAlternatives = 4

/** Says on stderr which condition leaves nothing, and what there would be without it. */
export async function tellWhatEmpties({ out }: Context, api: Api, { conditions, question }: Search): Promise<void> {
  if (out.json) return
  const { include_deprecated } = question
  const everything = include_deprecated ? { include_deprecated } : {}
  const total = async (narrowed: EntryQuestion) => {
    const facets = await facetsOf(api, narrowed)
    return facets ? totalOf(facets, narrowed) : undefined
  }
  if (conditions.length === 0) return out.note('The library is empty. Send props to it with `ph push`.')
  out.note(`Nothing matches ${printable(conditions.map(({ typed }) => typed).join(' '))}.`)
  if ((await total(everything)) === 0) return out.note('The library is empty. Send props to it with `ph push`.')
  const atOnce = pLimit(4)
  const culprits = conditions.slice(0, mostConditions).map((condition) =>
    atOnce(async () => {
      const others = { ...questionOf(conditions.filter((one) => one !== condition)), ...everything }
      return withoutWords(condition, others, await facetsOf(api, others))
    }),
  )
  const lines = (await Promise.all(culprits)).flat()
  const deprecated = include_deprecated ? 0 : await total({ ...question, include_deprecated: true })
  if (deprecated) lines.push(`${count(deprecated, 'entry', 'entries')} with --deprecated`)
  for (const line of lines.length > 0 ? lines : hopeless(conditions)) out.note(line)
}

const hopeless = ([first, second]: readonly Condition[]): string[] => {
  if (second) return ['Leaving out one of these is not enough: leave out several.']
  if (first?.asks.q?.includes('"')) return ['Words in quotes must stand side by side: try them without quotes.']
  return first?.asks.q === undefined ? [] : ['Words are looked for from their beginning: try fewer letters.']
}

/** What would be left without a condition, and what of its kind there is. A lone word has nothing to be left out of. */
function withoutWords({ typed, asks }: Condition, others: EntryQuestion, facets: Facets | undefined): string[] {
  const total = facets ? totalOf(facets, others) : 0
  if (!facets || total === 0 || (asks.q !== undefined && Object.keys(others).every((key) => key === 'include_deprecated')))
    return []
  const kinds = facetWords(rowsLike(asks, facets), mostAlternatives)
  return [`${count(total, 'entry', 'entries')} without ${printable(typed)}${kinds === '' ? '' : `: ${kinds}`}`]
}

/** The parameters of a filter that are not named for their dimension. */
const kindOf: Record<string, Dimension> = {
  uncategorized: 'category',
  exclude_category: 'category',
  exclude_uncategorized: 'category',
}

function rowsLike(asks: EntryQuestion, facets: Facets) {
  const [parameter = ''] = Object.keys(asks)
  const dimension = dimensionNames.find((name) => name === (kindOf[parameter] ?? parameter))
  if (dimension) return facetRows(facets, {}, dimension)
  return measureRows(facets, asks).filter(({ isChosen }) => isChosen)
}

/** Says on stderr how many hits there are, and which filters would narrow them down the most telling way. */
export async function tellHowToNarrow(
  { out }: Context,
  api: Api,
  { question, found }: Pick<Search, 'question'> & { found: EntryPage },
): Promise<void> {
  const facets = await facetsOf(api, question)
  const total = found.total ?? (facets ? totalOf(facets, question) : 0)
  const shown = number(found.entries.length)
  if (!facets || total <= found.entries.length) {
    if (found.next_cursor) out.note(`${shown} shown; there are more: see them with --all.`)
    return
  }
  const isCut = found.next_cursor === null && found.entries.at(-1)?.score !== undefined
  const more = isCut ? 'only the best are ranked: --sort name lists them all' : 'see them with --all'
  const narrow = narrowing(facets, question, total)
  out.note(`${shown} of ${number(total)} shown; ${more}${narrow === '' ? '' : `, or fewer with ${narrow}`}.`)
}

/** Of each dimension that is not asked for yet, the value that most have but not all. */
function narrowing(facets: Facets, question: EntryQuestion, total: number): string {
  const values = dimensionNames.flatMap((dimension) => {
    const rows = facetRows(facets, question, dimension)
    const best = rows.find((row) => (row.count ?? total) < total)
    return best && !rows.some(({ isChosen }) => isChosen) ? [`${printable(best.typed)} (${number(best.count ?? 0)})`] : []
  })
  return values.slice(0, 3).join(', ')
}

/** Advice is worth a question, but not a failure. */
async function facetsOf(api: Api, question: EntryQuestion): Promise<Facets | undefined> {
  return api.entries.facets(question).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
}

/** Filters that are additions of our server: another one ignores them, and would list everything as if it had been found. */
import type { Api } from '../client/api.ts'
import type { EntryQuestion } from '../client/entry-pages.ts'
import { failed } from './refusal.ts'
import type { GivenFilters } from './search-filters.ts'

const additions = [
  ['name', '--name'],
  ['path', '--path'],
  ['pushedFrom', '--pushed-from'],
] as const satisfies (readonly [keyof GivenFilters, string])[]

/** Asks for one hit: a server that knows these filters says how many there are (`total`). Throws Refusal `NOT_SUPPORTED`. */
export async function requireFilters(api: Api, given: GivenFilters, question: EntryQuestion): Promise<void> {
  const used = additions.filter(([key]) => given[key].length > 0).map(([, option]) => option)
  if (used.length === 0) return
  const { total } = await api.entries.list({ ...question, limit: 1 })
  if (total !== undefined) return
  const options = used.join(' and ')
  throw failed(
    'NOT_SUPPORTED',
    `This server does not know ${options}: it would list entries that do not match.`,
    `Leave ${options} out, or look for words: \`ph search barrel\`. A newer server knows ${used.length > 1 ? 'them' : 'it'}.`,
  )
}

/** Filters that are additions of our server: another one ignores them, and would list everything as if it had been found. */
import { randomUUID } from 'node:crypto'
import type { EntryQuestion } from '../../../client/entries/pages.ts'
import type { Api } from '../../../client/http/api.ts'
import { failed } from '../../refusal.ts'

/** Parameters of GET /entries, what people type for them, and a value that no entry has. */
const additions = [
  ['name', '--name', (unique: string) => unique],
  ['path', '--path', (unique: string) => `/Game/${unique}`],
  ['origin_path', '--path', (unique: string) => `/Game/${unique}`],
  ['pushed_from', '--pushed-from', (unique: string) => unique],
] as const satisfies (readonly [keyof EntryQuestion, string, (unique: string) => string])[]

/**
 * Asks the question with a value that nothing has, once for each of these filters: a server that ignores the filter shows an entry all
 * the same. Where it shows none, it knows the filter, or has nothing that could be listed by mistake. Throws Refusal `NOT_SUPPORTED`.
 */
export async function requireFilters(api: Api, question: EntryQuestion): Promise<void> {
  const used = additions.filter(([parameter]) => question[parameter] !== undefined)
  const ignored = used.map(async ([parameter, option, none]) => {
    const { entries } = await api.entries.list({ ...question, [parameter]: [none(randomUUID())], limit: 1 })
    return entries.length > 0 ? [option] : []
  })
  const options = (await Promise.all(ignored)).flat()
  if (options.length === 0) return
  const named = options.join(' and ')
  throw failed(
    'NOT_SUPPORTED',
    `This server does not know ${named}: it would list entries that do not match.`,
    `Leave ${named} out, or look for words: \`ph search barrel\`. A newer server knows ${options.length > 1 ? 'them' : 'it'}.`,
  )
}

/** The entries that a command is about, as they are typed or piped: one a line where `-` stands. */
import type { Context } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { readAll } from '../terminal/standard-input.ts'

/** More than a million ids. */
const longestListBytes = 16 * 1024 * 1024

/** What the arguments of such a command mean. */
export const entriesArgument = 'ids, names or /Game paths; - reads them from standard input, one a line'

/** What was typed, with the lines of standard input in place of `-`; at least one. */
export async function readEntryList(context: Context, given: readonly string[]): Promise<string[]> {
  const isPiped = given.includes('-')
  const text = isPiped ? (await readAll(context, 'The list of entries', longestListBytes)).toString('utf8') : ''
  const lines = text.split(/\r?\n/).flatMap((line) => line.trim() || [])
  const references = given.flatMap((one) => (one === '-' ? lines : [one]))
  if (references.length === 0) throw wrongUsage('No entry came on standard input.', 'Check what is piped into ph.')
  return references
}

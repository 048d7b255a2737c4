/** What people type to order files for a project: which entries, where they land, which of two versions. */
import { limits } from '../contract/limits.ts'
import { number } from './amounts.ts'
import type { Context } from './context.ts'
import { wrongUsage } from './refusal.ts'
import { readAll } from './standard-input.ts'

export function readRoot(given: string): string {
  if (/^\/Game(\/[A-Za-z0-9_-]+)*$/.test(given)) return given
  throw wrongUsage(`${given} is not a folder of a project.`, 'Write /Game or a folder below it: --root /Game/Imported')
}

export function readPrefer(given: string): 'newest' {
  if (given === 'newest') return given
  throw wrongUsage(`--prefer takes newest, not "${given}".`, 'Leave it out to be told of clashes instead.')
}

const longestListBytes = 1024 * 1024

/** What was typed, with the lines of standard input in place of `-`. */
export async function readReferences(context: Context, given: readonly string[]): Promise<string[]> {
  const isPiped = given.includes('-')
  const text = isPiped ? (await readAll(context, 'The list of entries', longestListBytes)).toString('utf8') : ''
  const lines = text.split(/\r?\n/).flatMap((line) => line.trim() || [])
  const references = given.flatMap((one) => (one === '-' ? lines : [one]))
  if (references.length === 0) throw wrongUsage('No entry came on standard input.', 'Check what is piped into ph.')
  if (references.length <= limits.pullJob.entries) return references
  throw wrongUsage(
    `A job takes at most ${number(limits.pullJob.entries)} entries, and these are ${number(references.length)}.`,
    'Name them in several jobs.',
  )
}

/** What people type to order files for a project: which entries, where they land, which of two versions. */
import { limits } from '../../contract/limits.ts'
import type { Context } from '../context.ts'
import { readEntryList } from '../entries/list.ts'
import { wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'

export function readRoot(given: string): string {
  if (/^\/Game(\/[A-Za-z0-9_-]+)*$/.test(given)) return given
  throw wrongUsage(`${given} is not a folder of a project.`, 'Write /Game or a folder below it: --root /Game/Imported')
}

export function readPrefer(given: string): 'newest' {
  if (given === 'newest') return given
  throw wrongUsage(`--prefer takes newest, not "${given}".`, 'Leave it out to be told of clashes instead.')
}

/** What was typed, with the lines of standard input in place of `-`; as many as a job takes. */
export async function readReferences(context: Context, given: readonly string[]): Promise<string[]> {
  const references = await readEntryList(context, given)
  if (references.length <= limits.pullJob.entries) return references
  throw wrongUsage(
    `A job takes at most ${number(limits.pullJob.entries)} entries, and these are ${number(references.length)}.`,
    'Name them in several jobs.',
  )
}

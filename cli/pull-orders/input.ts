/** What people type to order files for a project: which entries, where they land, which of two versions. */
import { wrongUsage } from '../refusal.ts'

export function readRoot(given: string): string {
  if (/^\/Game(\/[A-Za-z0-9_-]+)*$/.test(given)) return given
  throw wrongUsage(`${given} is not a folder of a project.`, 'Write /Game or a folder below it: --root /Game/Imported')
}

export function readPrefer(given: string): 'newest' {
  if (given === 'newest') return given
  throw wrongUsage(`--prefer takes newest, not "${given}".`, 'Leave it out to be told of clashes instead.')
}

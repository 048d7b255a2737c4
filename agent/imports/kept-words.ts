/** What became of files that an import would have replaced and that stay, and the ways out of it, as they are typed. */
import { join } from 'node:path'
import { shellWord } from '../../system/shell-word.ts'
import type { KeptConflict } from './conflict-file.ts'

export const theirsCommand = (path: string): string => `ph pull ${shellWord(path)} --theirs`
export const mineCommand = (path: string): string => `ph pull ${shellWord(path)} --mine`

/** Of the first; null where nothing waits. */
export function keptMessage([first, ...others]: readonly KeptConflict[]): string | null {
  if (!first) return null
  const path = join(first.root, first.file)
  const why = first.reason === 'open' ? 'was open in the editor' : 'was changed here'
  const mine = first.reason === 'open' ? '' : ` \`${mineCommand(path)}\` keeps yours, which the next push makes the next version.`
  const more = others.length > 0 ? ` And ${others.length} more: \`ph agent conflicts\`.` : ''
  return `${first.file} ${why} and stays. \`${theirsCommand(path)}\` takes the library's version, with a backup of yours.${mine}${more}`
}

/** Ways out of what neither a push nor a pull decides by itself, as they are typed. `files`: as they are named from where a person stands. Pure. */
import { shellWord } from '../../system/shell-word.ts'

/** So many files still make a command line that can be copied. */
const mostInCommand = 20

const typed = (files: readonly string[]): string => files.slice(0, mostInCommand).map(shellWord).join(' ')

/** Takes the library's version; the file that is here becomes a backup. */
export const theirsCommand = (...files: readonly string[]): string => `ph pull ${typed(files)} --theirs`

/** Keeps the file that is here; the next push makes it the next version. */
export const mineCommand = (...files: readonly string[]): string => `ph pull ${typed(files)} --mine`

/** For files that were edited here while another version became current. */
export function twoWaysOut(files: readonly string[]): string[] {
  if (files.length === 0) return []
  return [
    `To see both, with what differs: \`ph diff ${shellWord(files[0] ?? '<file>')} --from current --to file\``,
    `To take the library's version, with yours as a backup: \`${theirsCommand(...files)}\``,
    `To keep yours, which the next push makes the next version: \`${mineCommand(...files)}\``,
  ]
}

/** For files whose props were deleted in the library. */
export function deletedWaysOut(files: readonly string[]): string[] {
  if (files.length === 0) return []
  return [
    `To keep them, as new props: \`ph push ${typed(files)} --held new\``,
    `To remove them here too: \`${process.platform === 'win32' ? 'del' : 'rm'} ${typed(files)}\``,
  ]
}

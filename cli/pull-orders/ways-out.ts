/** Ways out of what neither a push nor a pull decides by itself, as they are typed. */
import { shellWord } from '../../system/shell-word.ts'

/** So many files still make a command line that can be copied. */
const mostInCommand = 20

/** Of files that were edited here while another version became current. `files`: as they are named from where one stands. */
export function twoWaysOut(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const named = files.slice(0, mostInCommand).map(shellWord).join(' ')
  return [
    `To see both, with what differs: \`ph diff ${shellWord(files[0] ?? '<file>')} --from current --to file\``,
    `To take the library's version, with yours as a backup: \`ph pull ${named} --theirs\``,
    `To keep yours, which the next push makes the next version: \`ph pull ${named} --mine\``,
  ]
}

/** Of files whose props were deleted in the library. */
export function deletedWaysOut(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const named = files.slice(0, mostInCommand).map(shellWord).join(' ')
  return [
    `To keep them, as new props: \`ph push ${named} --held new\``,
    `To remove them here too: \`${process.platform === 'win32' ? 'del' : 'rm'} ${named}\``,
  ]
}

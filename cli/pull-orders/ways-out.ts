/** The two ways out of a file that was edited here while another version became current, as they are typed. */
import { shellWord } from '../../system/shell-word.ts'

/** So many files still make a command line that can be copied. */
const mostInCommand = 20

/** `files`: as they are named from where one stands. */
export function twoWaysOut(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const named = files.slice(0, mostInCommand).map(shellWord).join(' ')
  return [
    `To see both, with what differs: \`ph diff ${shellWord(files[0] ?? '<file>')} --from current --to file\``,
    `To take the library's version, with yours as a backup: \`ph pull ${named} --theirs\``,
    `To keep yours, which the next push makes the next version: \`ph pull ${named} --mine\``,
  ]
}

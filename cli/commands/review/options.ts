/** Arguments and options that several commands of `ph review` take. */
import { flag, text, texts, value } from '../../command.ts'
import { readText } from '../../entries/note-text.ts'
import { whoWords } from './people.ts'

/** What the arguments of commands about rounds mean. */
export const roundsArgument =
  'reviews such as r12, or props by name, id or /Game path, which mean their open review; - reads them from standard input, one a line'

export const noteOption = (meaning: string) => value('--note <text>', meaning, readText('--note'))
export const imageOption = texts('--image <file>', 'a picture that goes with it: PNG, JPEG, WebP or GIF; up to 10')
export const dryRunOption = flag('--dry-run', 'only show what would change')
export const assignOption = (meaning: string) => text('--assign <who>', `${meaning} (${whoWords})`)

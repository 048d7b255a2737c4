/** Commands by the words that they are typed with. */
import type { Command } from './command.ts'
import { firstWords } from './first-words.ts'

/** `server user add` of `server user add <email>`. */
export const wordsOf = ({ usage }: Pick<Command, 'usage'>): string =>
  usage
    .split(' ')
    .filter((word) => !/^[<[]/.test(word))
    .join(' ')

/** The command that these words begin with, the longest that fits; what else was typed is left aside. Loads its file. */
export async function commandFor(typed: readonly string[]): Promise<Command | undefined> {
  const [first = ''] = typed
  if (!Object.hasOwn(firstWords, first)) return undefined
  const loaded = await firstWords[first]?.load()
  const fits = (command: Command) =>
    wordsOf(command)
      .split(' ')
      .every((word, at) => typed[at] === word)
  return loaded?.commands.filter(fits).sort((a, b) => wordsOf(b).length - wordsOf(a).length)[0]
}

/** Every command there is, in the order of `ph help`. Loads all files. */
export async function allCommands(): Promise<Command[]> {
  const loaded = await Promise.all(Object.values(firstWords).map(({ load }) => load()))
  return loaded.flatMap(({ commands }) => commands)
}

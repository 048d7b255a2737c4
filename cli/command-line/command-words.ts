/** Commands by the words that they are typed with. */
import type { Command } from '../command.ts'
import type { FirstWord } from './parser.ts'

/** All first words, as first-words.ts has them: handed over, since some commands tell of all. */
export type FirstWords = Readonly<Record<string, FirstWord>>

/** `server user add` of `server user add <email>`. */
export const wordsOf = ({ usage }: Pick<Command, 'usage'>): string =>
  usage
    .split(' ')
    .filter((word) => !/^[<[]/.test(word))
    .join(' ')

/** The command that these words begin with, the longest that fits; what else was typed is left aside. Loads its file. */
export async function commandFor(typed: readonly string[], firstWords: FirstWords): Promise<Command | undefined> {
  const [first = ''] = typed
  if (!Object.hasOwn(firstWords, first)) return undefined
  const loaded = await firstWords[first]?.load()
  const fits = (command: Command) =>
    wordsOf(command)
      .split(' ')
      .every((word, at) => typed[at] === word)
  return loaded?.commands.filter(fits).sort((a, b) => wordsOf(b).length - wordsOf(a).length)[0]
}

export interface KnownCommand {
  /** Its words: `server user add`. */
  command: string
  /** As `ph help` groups them. */
  group: string
  summary: string
  spec: Command
}

/** Every command there is, in the order of `ph help`. Loads all files. */
export async function commandsByWords(firstWords: FirstWords): Promise<KnownCommand[]> {
  const words = Object.values(firstWords)
  const loaded = await Promise.all(words.map(({ load }) => load()))
  return words.flatMap(({ group, summary }, at) =>
    (loaded[at]?.commands ?? []).map((spec) => ({ command: wordsOf(spec), group, summary: spec.summary ?? summary, spec })),
  )
}

/** What was typed, before it is understood: where its first word stands, and which words there are. */
import { Command as Parser } from 'commander'
import type { Surroundings } from './context.ts'
import { globalOptions } from './global-options.ts'
import { prepared } from './parser.ts'

/** The words, or after `help` those that it is to explain. */
export function usedWords(args: readonly string[], surroundings: Surroundings): string[] {
  const scout = prepared(new Parser('ph'), surroundings).helpOption(false).allowUnknownOption()
  for (const option of globalOptions()) scout.addOption(option)
  const { operands, unknown } = scout.parseOptions([...args])
  const words = [...operands, ...unknown].filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words.slice(1) : words
}

/** Where the first word stands that is no option of every command, nor the value of one; -1 where there is none. */
export function firstWordAt(args: readonly string[]): number {
  const options = globalOptions()
  for (let at = 0; at < args.length; at++) {
    const [word = '', next] = [args[at], args[at + 1]]
    if (!word.startsWith('-')) return at
    const option = options.find(({ long }) => long === word)
    if (option?.required || (option?.optional && next !== undefined && !next.startsWith('-'))) at++
  }
  return -1
}

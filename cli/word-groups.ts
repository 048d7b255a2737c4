/** The groups of `ph help`. */
import type { FirstWord } from './parser.ts'

export const library = 'The library:'
export const together = 'Working together:'
export const curation = 'Keeping it in order:'
export const signIn = 'Signing in:'
export const machine = 'On this machine:'

/** Words of one group of `ph help`. */
export const inGroup = (group: string, words: Record<string, Omit<FirstWord, 'group'>>): Record<string, FirstWord> =>
  Object.fromEntries(Object.entries(words).map(([word, first]) => [word, { group, ...first }]))

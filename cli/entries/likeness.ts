/** How alike two pictures are, in words and as a number. */
import type { EntrySummary } from '../../contract/entries.ts'

/** From the most alike on: what a person would say of two such pictures. */
const words: readonly (readonly [least: number, word: string])[] = [
  [0.97, 'looks the same'],
  [0.9, 'very similar'],
  [0.8, 'similar'],
  [0.65, 'a little similar'],
]

export const likenessWord = (score: number): string => words.find(([least]) => score >= least)?.[1] ?? 'hardly similar'

/** `very similar (0.93)`. Cut, not rounded: only what is the same is 1. */
export const likenessWords = (score: number): string => `${likenessWord(score)} (${(Math.floor(score * 100) / 100).toFixed(2)})`

/** How alike a hit of a search by looks is; undefined of other searches. */
export const looksOf = ({ reason }: EntrySummary): number | undefined => reason?.looks ?? undefined

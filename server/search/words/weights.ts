/** What a match is worth. */
import { wordFields } from '../../../contract/entries.ts'
import { type Field, fieldBits } from './forward-index.ts'
import type { Question } from './query-words.ts'

/**
 * What a weight is made of. Every word of the question is worth what it is worth in the best field where it stands:
 *
 *                                 name  category  tags  pack  comments
 *   the whole word                  64        32    16     8         4
 *   the beginning of a word         48        24    12     6         3
 *
 * A typed word that stands in several, or several that stand in one, are worth as much as if they were split alike: `earthcore` is
 * whole in `EarthCore`, and a beginning in `EarthCores`. Words of a phrase or pieces of a typed word are worth as much each as the
 * place where they stand side by side. A row's weight is the sum over the words, and one more when its name says just what was asked
 * and nothing else: every word whole in the name, and the name as long. A score is the weight as a share of the best that the
 * question could reach.
 */
const fieldWeights: Record<Field, number> = { name: 64, category: 32, tags: 16, pack: 8, comments: 4 }
const begunShare = 0.75

/** What a word can be worth. A power of two. */
export const bestWord = fieldWeights.name

/** For every set of fields the weight of its best, for whole words and for beginnings; 0 for no field at all. */
const weighed = (share: number): Uint8Array =>
  Uint8Array.from({ length: 2 ** wordFields.length }, (_, fields) =>
    Math.max(0, ...wordFields.map((name) => (fields & fieldBits[name] ? fieldWeights[name] * share : 0))),
  )
export const wholeWeights = weighed(1)
export const begunWeights = weighed(begunShare)

/** The most that a question can reach. */
export const bestWeight = (wordCount: number): number => bestWord * wordCount + 1

/** Lengths of names are kept up to here: no name so long is told from a longer one, nor found to be just the question. */
export const longestName = 255

/** What a question weighs where all of it is whole in the name, and how long such a name is, in bytes without gaps. */
export interface WholeName {
  weight: number
  length: number
}

export function wholeNameOf({ clauses, wordCount }: Question): WholeName {
  const length = clauses.reduce((sum, { words }) => sum + Buffer.byteLength(words.join('')), 0)
  return { weight: bestWord * wordCount, length: length < longestName ? length : longestName + 1 }
}

/** One more, when every word is whole in the name, and the name is as long. */
export const withWholeName = (weight: number, nameLength: number, whole: WholeName): number =>
  weight + ((((weight ^ whole.weight) | (nameLength ^ whole.length)) - 1) >>> 31)

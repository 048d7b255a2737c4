/** What a match is worth. */
import { wordFields } from '../../../contract/entries.ts'
import { begunShare, bestWord, fieldWeights } from '../../../words/field-weights.ts'
import type { Question } from '../../../words/query-words.ts'
import { fieldBits } from './forward-index.ts'

/**
 * What a weight is made of. Every word of the question is worth what it is worth in the best field where it stands
 * (words/field-weights.ts).
 *
 * A typed word that stands in several, or several that stand in one, are worth as much as if they were split alike: `earthcore` is
 * whole in `EarthCore`, and a beginning in `EarthCores`. Words of a phrase or pieces of a typed word are worth as much each as the
 * place where they stand side by side. A row's weight is the sum over the words, and one more when its name says just what was asked
 * and nothing else: every word whole in the name, and the name as long. A score is the weight as a share of the best that the
 * question could reach.
 */

/** For every set of fields the weight of its best, for whole words and for beginnings; 0 for no field at all. */
const weighed = (share: number): Uint8Array =>
  Uint8Array.from({ length: 2 ** wordFields.length }, (_, fields) =>
    Math.max(0, ...wordFields.map((name) => (fields & fieldBits[name] ? fieldWeights[name] * share : 0))),
  )
export const wholeWeights = weighed(1)
export const begunWeights = weighed(begunShare)

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

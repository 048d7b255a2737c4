/** What a match is worth. */
import { wordFields } from '../../contract/entries.ts'
import { type Field, fieldBits } from './records.ts'

/**
 * What a weight is made of. Every word of the question is worth what it is worth in the best place where it stands:
 *
 *                                 name  category  tags  pack  comments
 *   the whole word                  64        32    16     8         4
 *   the beginning of a word         48        24    12     6         3
 *
 * Words that follow one another (quoted, or in a script without spaces) are worth as much each as the place where they do. A row's
 * weight is the sum over the words, and one more when its name says just what was asked and nothing else. A score is the weight as
 * a share of the best that the question could reach.
 */
const fieldWeights: Record<Field, number> = { name: 64, category: 32, tags: 16, pack: 8, comments: 4 }
const begunShare = 0.75

/** For every set of fields the weight of its best, for whole words and for beginnings; 0 for no field at all. */
const weighed = (share: number): Uint8Array =>
  Uint8Array.from({ length: 2 ** wordFields.length }, (_, fields) =>
    Math.max(0, ...wordFields.map((name) => (fields & fieldBits[name] ? fieldWeights[name] * share : 0))),
  )
export const wholeWeights = weighed(1)
export const begunWeights = weighed(begunShare)

/** The most that a question can reach. */
export const bestWeight = (wordCount: number): number => fieldWeights.name * wordCount + 1

/** One more, when every word is whole in the name, and the name has as many. */
export const withWholeName = (weight: number, nameWords: number, wordCount: number): number =>
  weight + ((((weight ^ (fieldWeights.name * wordCount)) | (nameWords ^ wordCount)) - 1) >>> 31)

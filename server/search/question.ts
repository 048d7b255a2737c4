/** What `q` asks for (spec 4.2; contract-gaps 6): words that must all match, each in whatever field. */
import { runsOf, wordsOf } from './words.ts'

/**
 * One thing that must be found: a word, or words that follow one another in one name, category, tag, pack or comment. The last of
 * them may go on (`barrel` finds `barrels`) where `open`; quoted ones are whole.
 */
export interface Clause {
  words: readonly string[]
  open: boolean
}

export interface Question {
  clauses: readonly Clause[]
  /** Of all clauses together. */
  wordCount: number
}

/**
 * The most words of a question that count; `q` itself may have 10,000 characters. Repeated ones count once, and what stands behind the
 * last that counts is passed over: whatever has 128 different words of a question is what was asked for.
 */
const mostWords = 128

/** Straight, curly, low and wide. */
const quote = /["“”„‟＂]/

/** Reads `q`; undefined when there is no word in it. A quote that nothing closes is none. */
export function toQuestion(q: string): Question | undefined {
  const parts = q.split(quote)
  const clauses = parts.flatMap((part, index) => (index % 2 === 1 && index < parts.length - 1 ? phrase(part) : bare(part)))
  const counted = withinBound(distinct(clauses))
  const wordCount = counted.reduce((sum, { words }) => sum + words.length, 0)
  return wordCount === 0 ? undefined : { clauses: counted, wordCount }
}

function phrase(text: string): Clause[] {
  const words = wordsOf(text)
  return words.length === 0 ? [] : [{ words, open: false }]
}

const bare = (text: string): Clause[] => runsOf(text).map((words) => ({ words, open: true }))

function distinct(clauses: readonly Clause[]): Clause[] {
  return [...new Map(clauses.map((clause) => [`${clause.open} ${clause.words.join(' ')}`, clause])).values()]
}

function withinBound(clauses: readonly Clause[]): Clause[] {
  let left = mostWords
  return clauses.flatMap(({ words, open }) => {
    const counted = words.slice(0, left)
    left -= counted.length
    return counted.length === 0 ? [] : [{ words: counted, open }]
  })
}

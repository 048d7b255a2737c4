/** What `q` asks for (spec 4.2; contract-gaps 6): words that must all match, each in whatever field. */
import { wordsOf } from './tokenizer.ts'

/**
 * One thing that must be found in one name, category, tag, pack or comment.
 *
 * - Quoted: the words, whole, one after the other.
 * - `open`, a word as it was typed, by the pieces it splits into: they stand side by side, and the last may go on. Where the library
 *   splits it otherwise, or not at all, is the same to the one who types: it is found wherever adjoining words, written together, begin
 *   with it, so that `earthcore`, `EarthCore` and `earth_core` find the same, and `barrels` is found by `barrel`.
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

/** Between two typed words. What else is no letter or digit holds the pieces of one together, as in `SM_Barrel-01`. */
const betweenTyped = /[\s,;、，；]+/

/** Reads `q`; undefined when there is no word in it. A quote that nothing closes is none. */
export function toQuestion(q: string): Question | undefined {
  const parts = q.split(quote)
  const clauses = parts.flatMap((part, index) =>
    index % 2 === 1 && index < parts.length - 1
      ? clauseOf(part, false)
      : part.split(betweenTyped).flatMap((typed) => clauseOf(typed, true)),
  )
  const counted = withinBound(distinct(clauses))
  const wordCount = counted.reduce((sum, { words }) => sum + words.length, 0)
  return wordCount === 0 ? undefined : { clauses: counted, wordCount }
}

function clauseOf(text: string, open: boolean): Clause[] {
  const words = wordsOf(text)
  return words.length === 0 ? [] : [{ words, open }]
}

function distinct(clauses: readonly Clause[]): Clause[] {
  return [...new Map(clauses.map((clause) => [`${clause.open} ${clause.words.join(clause.open ? '' : ' ')}`, clause])).values()]
}

function withinBound(clauses: readonly Clause[]): Clause[] {
  let left = mostWords
  return clauses.flatMap(({ words, open }) => {
    const counted = words.slice(0, left)
    left -= counted.length
    return counted.length === 0 ? [] : [{ words: counted, open }]
  })
}

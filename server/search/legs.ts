/** The way of a question along the postings: which words are passed, in which order. */
import { fieldsIn, rowOf } from './block.ts'
import type { Dictionary, Slice } from './dictionary.ts'
import { toKey } from './folded-text.ts'
import type { Clause, Question } from './question.ts'

/** A clause to be found by the postings of its words, the rarest first. */
export interface Leg {
  words: Slice[][]
  /** Postings of all its words. */
  size: number
}

/** Reading the record of a row takes about as long for each clause as passing this many postings. */
export const postingsPerClause = 64

/** The clauses, rarest first; none when a word of one is nowhere. */
export function legsOf(dictionary: Dictionary, { clauses }: Question): Leg[] {
  const legs: Leg[] = []
  for (const clause of clauses) {
    const leg = legOf(dictionary, clause)
    if (!leg) return []
    legs.push(leg)
  }
  return legs.sort((a, b) => a.size - b.size)
}

/** The rows that have the rarest word of a leg, ascending: sooner gathered than marked among all rows, where they are few. */
export function rowsOf({ words: [rarest = []] }: Leg): Uint32Array {
  const rows = new Set<number>()
  for (const { postings, from, to } of rarest)
    for (const posting of postings.subarray(from, to)) if (fieldsIn(posting) !== 0) rows.add(rowOf(posting))
  return Uint32Array.from(rows).sort()
}

/** Undefined when one of the words is nowhere. Words so common that records are read sooner than they are passed are left out. */
function legOf(dictionary: Dictionary, { words, open }: Clause): Leg | undefined {
  const found = new Map<string, { slices: Slice[]; size: number }>()
  for (const [index, word] of words.entries()) {
    const isOpen = open && index === words.length - 1
    const name = `${isOpen} ${word}`
    if (found.has(name)) continue
    const slices = dictionary.find(toKey(word), isOpen)
    const size = slices.reduce((sum, { from, to }) => sum + to - from, 0)
    if (size === 0) return undefined
    found.set(name, { slices, size })
  }
  const [rarest, ...others] = [...found.values()].sort((a, b) => a.size - b.size)
  if (!rarest) return undefined
  const useful = [rarest, ...others.filter(({ size }) => size < rarest.size * postingsPerClause)]
  return { words: useful.map(({ slices }) => slices), size: useful.reduce((sum, { size }) => sum + size, 0) }
}

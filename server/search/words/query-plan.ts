/** The way of a question along the postings: which words are passed, in which order. */
import { fieldsIn, rowOf } from './block.ts'
import type { Dictionary, Slice } from './dictionary.ts'
import { toKey } from './folded-text.ts'
import type { Clause, Question } from './query-words.ts'
import { mostPlaces, sizeOf, type Way, waysOf } from './splits.ts'

/** A clause to be found by postings. */
export interface Leg {
  /** Of words that say the clause by themselves. */
  alone: readonly Slice[]
  /** Words of which a row has to have those of one way to say the clause otherwise. */
  ways: readonly Way[]
  /** How many words the clause counts for. */
  words: number
  /** At most so many rows say it. */
  rows: number
  /** Postings to pass. */
  size: number
}

/** Reading the record of a row takes about as long for each clause as passing this many postings. */
export const postingsPerClause = 64

/** So small a share of a library is sooner read than told apart by another word. */
const fewShare = 1 / 512

/** The clauses, rarest first; none when one of them can be nowhere. */
export function legsOf({ dictionary, rowCount }: { dictionary: Dictionary; rowCount: number }, { clauses }: Question): Leg[] {
  const asked = { dictionary, few: rowCount * fewShare, places: { left: mostPlaces } }
  const legs: Leg[] = []
  for (const clause of clauses) {
    const leg = clause.open ? typedLeg(asked, clause) : quotedLeg(dictionary, clause)
    if (leg.alone.length + leg.ways.length === 0) return []
    legs.push(leg)
  }
  return legs.sort((a, b) => a.rows - b.rows)
}

/** The rows that may say a leg, ascending: sooner gathered than marked among all rows, where they are few. */
export function rowsOf({ alone, ways }: Leg): Uint32Array {
  const rows = new Set<number>()
  for (const { postings, from, to } of [alone, ...ways.map(rarestOf)].flat())
    for (const posting of postings.subarray(from, to)) if (fieldsIn(posting) !== 0) rows.add(rowOf(posting))
  return Uint32Array.from(rows).sort()
}

function typedLeg(asked: Parameters<typeof waysOf>[0], { words }: Clause): Leg {
  const typed = toKey(words.join(''))
  return toLeg(words, asked.dictionary.find(typed, true), waysOf(asked, typed))
}

function quotedLeg(dictionary: Dictionary, { words }: Clause): Leg {
  const found = [...new Set(words)].map((word) => dictionary.find(toKey(word), false))
  if (found.some((slices) => slices.length === 0)) return toLeg(words, [], [])
  return words.length === 1 ? toLeg(words, found.flat(), []) : toLeg(words, [], [found])
}

function toLeg(words: readonly string[], alone: readonly Slice[], ways: readonly Way[]): Leg {
  const sum = (pick: (way: Way) => number): number => ways.reduce((all, way) => all + pick(way), sizeOf(alone))
  return {
    alone,
    ways: ways.map((way) => way.toSorted((a, b) => sizeOf(a) - sizeOf(b))),
    words: words.length,
    rows: sum((way) => Math.min(...way.map(sizeOf))),
    size: sum((way) => way.reduce((all, slices) => all + sizeOf(slices), 0)),
  }
}

/** Words of a way stand rarest first. */
const rarestOf = ([rarest = []]: Way): readonly Slice[] => rarest

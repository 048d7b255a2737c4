/** The query plan: along the postings of which words a question goes, in which order. */

import { toKey } from '../../../words/folded-text.ts'
import type { Clause, Question } from '../../../words/query-words.ts'
import { fieldsIn, rowOf } from './block.ts'
import type { Dictionary, Slice } from './dictionary.ts'
import { mostLookups, sizeOf, type Way, waysOf } from './splits.ts'

/** A clause to be found by postings. */
export interface PlanStep {
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
export function queryPlan(
  { dictionary, rowCount }: { dictionary: Dictionary; rowCount: number },
  { clauses }: Question,
): PlanStep[] {
  const search = { dictionary, few: rowCount * fewShare, lookups: { left: mostLookups } }
  const steps: PlanStep[] = []
  for (const clause of clauses) {
    const step = clause.open ? typedStep(search, clause) : quotedStep(dictionary, clause)
    if (step.alone.length + step.ways.length === 0) return []
    steps.push(step)
  }
  return steps.sort((a, b) => a.rows - b.rows)
}

/** The rows that may say a step, ascending: sooner listed than scored among all rows, where they are few. */
export function rowsOf({ alone, ways }: PlanStep): Uint32Array {
  const rows = new Set<number>()
  for (const { postings, from, to } of [alone, ...ways.map(rarestOf)].flat())
    for (const posting of postings.subarray(from, to)) if (fieldsIn(posting) !== 0) rows.add(rowOf(posting))
  return Uint32Array.from(rows).sort()
}

function typedStep(search: Parameters<typeof waysOf>[0], { words }: Clause): PlanStep {
  const typed = toKey(words.join(''))
  return toStep(words, search.dictionary.find(typed, true), waysOf(search, typed))
}

function quotedStep(dictionary: Dictionary, { words }: Clause): PlanStep {
  const found = [...new Set(words)].map((word) => dictionary.find(toKey(word), false))
  if (found.some((slices) => slices.length === 0)) return toStep(words, [], [])
  return words.length === 1 ? toStep(words, found.flat(), []) : toStep(words, [], [found])
}

function toStep(words: readonly string[], alone: readonly Slice[], ways: readonly Way[]): PlanStep {
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

/** Finds the rows that match a question, with what each is worth. */

import type { Dictionary } from './dictionary.ts'
import type { Field } from './forward-index.ts'
import { legsOf, postingsPerClause, rowsOf } from './query-plan.ts'
import type { Question } from './query-words.ts'
import { Marks } from './scores.ts'
import { type Said, type Weighed, Weighing } from './scoring.ts'
import { bestWeight } from './weights.ts'

/** All that is known of the words of one library. */
export interface Library extends Said {
  dictionary: Dictionary
}

/** Every row that matches, ascending, not yet filtered or cut. Good until the next change of the library. */
export interface Hits extends Weighed {
  /** Above 0, at most 1. */
  scoreOf(weight: number): number
  /** Where a row says what was asked, strongest first. */
  fieldsOf(row: number): Field[]
}

export function findHits(library: Library, question: Question): Hits {
  const weighing = new Weighing(library, question)
  const { rows, weights } = match(library, question, weighing)
  const best = bestWeight(question.wordCount)
  return {
    rows,
    weights,
    scoreOf: (weight) => weight / best,
    fieldsOf: (row) => weighing.fieldsOf(row),
  }
}

const nothing: Weighed = { rows: new Uint32Array(), weights: new Uint16Array() }

/**
 * Passes along the postings of the clauses, rarest first, until few rows are left; those are weighed by what they say, as are those
 * whose words have to stand side by side.
 */
function match(library: Library, question: Question, weighing: Weighing): Weighed {
  const { dictionary, nameLengths } = library
  const legs = legsOf({ dictionary, rowCount: nameLengths.length }, question)
  const [rarest] = legs
  if (!rarest) return nothing
  if (rarest.rows * question.clauses.length * postingsPerClause < nameLengths.length) return weighing.only(rowsOf(rarest))
  const marks = new Marks(nameLengths)
  let rest = legs.reduce((sum, { size }) => sum + size, 0)
  for (const [passed, leg] of legs.entries()) {
    if (passed > 0 && marks.left * question.clauses.length * postingsPerClause < rest) return weighing.only(marks.rows())
    marks.see(leg)
    marks.pass(leg.words, passed === 0)
    rest -= leg.size
    if (marks.left === 0) break
  }
  return marks.left === 0 ? nothing : marks.found(weighing)
}
